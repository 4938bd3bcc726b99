"""Words of a question → units that can be looked up in an index.

In: the text a person typed, and the lexicon that applies (their aliases and synonyms; the shipped words are added).
Out: ``Piece``s, the known words it is cut into, and ``Question``, the terms to look up. Never: a look at the index.

Chinese is cut where the known words are: the cut that covers the most characters with the fewest words wins, so that
用户名称 is 用户 + 名称. What no known word covers stays as overlapping pairs. A span of several words also counts as
one whole name (``user name`` finds ``user_name``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dbgraph_nb import text_reference, text_tables
from dbgraph_nb.catalog.words import builtin, key, plural, singular, words_of_kind

LONGEST = 8  # atoms (words, or Chinese characters) of one known word or whole name
MOST_ATOMS = 200  # of a question; what comes after them is not looked at
# How much another word counts beside the word itself, by who says that it is the same.
WEIGHT = {"": 1.0, "alias": 1.0, "synonym": 0.95, "built-in": 0.8, "near": 0.55}
STOP_SIZE = 0.1
WHOLE_SIZE = 0.3  # of a span as one whole name, per word
LOOSE = 0.8  # a pair of characters, or a single one, that is no known word
ASTRIDE = 0.3  # a pair that begins or ends in a known word

Lexicon = Mapping[str, Sequence[tuple[str, str]]]  # key of a word → (origin, other word)
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Atom:
    """A word of an alphabetic run, or one character of a CJK run; ``run`` numbers the runs."""

    text: str
    cjk: bool
    run: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A known word of a text, or a row of characters that is none; ``others``: (origin, word) it may stand for."""

    text: str
    start: int
    end: int
    others: tuple[tuple[str, str], ...] = ()
    known: bool = True
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """One way to write a unit: all ``terms`` together (each an equal share), or one of ``keys`` as a whole name.

    ``word`` is the other word and ``origin`` who says so: "" (the word itself), alias, synonym, built-in, near."""

    terms: tuple[str, ...]
    keys: tuple[str, ...] = ()
    word: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of the question: its text, its weight among the pieces, its place (atoms ``start`` to ``end``)."""

    text: str
    size: float
    start: int
    end: int
    ways: tuple[Way, ...]
    whole: bool = False  # only a whole-name hit counts: a span over several units


@dataclass(frozen=True, slots=True)
class Question:
    """The units of a text in reading order, and its atoms."""

    units: tuple[Unit, ...]
    atoms: tuple[Atom, ...] = ()


def analyse(words: str, lexicon: Lexicon) -> Question:
    """Cuts ``words`` into units.

    >>> [unit.text for unit in analyse("用户名称和 phone", {}).units if not unit.whole]
    ['用户', '户名', '名称', '称和', 'phone']
    """
    atoms = to_atoms(words)
    pieces = [piece for piece in cut(atoms, lexicon) if piece.known]
    units = [_known_unit(atoms, piece) for piece in pieces] + _loose_units(atoms, pieces)
    if all(unit.size <= STOP_SIZE for unit in units):  # nothing but small words: then they are meant
        units = [Unit(unit.text, 1.0, unit.start, unit.end, unit.ways) for unit in units]
    units += _whole_names(atoms)
    units.sort(key=lambda unit: (unit.start, unit.end, unit.whole))
    return Question(tuple(units), tuple(atoms))


def question_terms(words: str, lexicon: Lexicon | None = None) -> tuple[list[str], list[tuple[str, ...]]]:
    """The terms and the whole-name keys that a text looks up.

    >>> question_terms("order no")[1][:2]
    [('orderno', 'ordernos'), ('订单号',)]
    """
    ways = [way for unit in analyse(words, lexicon or {}).units for way in unit.ways]
    keys = [way.keys for way in ways if way.keys]
    return list(dict.fromkeys(term for way in ways for term in way.terms)), list(dict.fromkeys(keys))


def to_atoms(words: str) -> list[Atom]:
    """The words and characters of a text, characters simplified."""
    table = text_tables.simplified()
    atoms: list[Atom] = []
    for number, (text, pieces) in enumerate(text_reference.split_runs(words)):
        if pieces:
            atoms += [Atom(piece, False, number) for piece in pieces]
        else:
            atoms += [Atom(char, True, number) for char in text.translate(table)]
    return atoms[:MOST_ATOMS]


def cut(atoms: Sequence[Atom], lexicon: Lexicon, longest: int = LONGEST) -> list[Piece]:
    """The pieces of a text, which cover it: the known words of the best cut (a Latin word alone is always one), and
    the rows of characters between them. ``longest`` bounds a known word of several atoms."""
    count = len(atoms)
    best: list[tuple[int, int, list[Span]]] = [(0, 0, [])] * (count + 1)  # from i on: uncovered, words, their spans
    for start in range(count - 1, -1, -1):
        uncovered, words, rest = best[start + 1]
        options = [(uncovered + 1, words, rest)]
        for end in range(min(count, start + longest), start, -1):
            joined, alone = _joined(atoms, start, end), end == start + 1
            latin_alone = alone and not atoms[start].cjk
            small = is_stop(joined) and (alone or atoms[start].cjk)
            if latin_alone or small or others_of(joined, lexicon):
                uncovered, words, rest = best[end]
                options.append((uncovered, words + 1, [(start, end), *rest]))
        best[start] = min(options, key=lambda option: option[:2])
    return _filled(atoms, best[0][2], lexicon)


def _filled(atoms: Sequence[Atom], spans: Sequence[Span], lexicon: Lexicon) -> list[Piece]:
    """The pieces of known spans, and of the rows of characters of one run between them."""
    pieces, at = [], 0
    for start, end in [*spans, (len(atoms), len(atoms))]:
        while at < start:
            stop = at + 1
            while stop < start and atoms[stop].run == atoms[at].run:
                stop += 1
            pieces.append(Piece(_joined(atoms, at, stop), at, stop, known=False))
            at = stop
        if start < end:
            joined = _joined(atoms, start, end)
            latin = not any(atom.cjk for atom in atoms[start:end])
            shown = " ".join(atom.text for atom in atoms[start:end]) if latin else joined
            pieces.append(Piece(shown, start, end, tuple(others_of(joined, lexicon)), True, is_stop(joined)))
            at = end
    return pieces


def others_of(joined: str, lexicon: Lexicon) -> list[tuple[str, str]]:
    """(origin, word) of all that a key may stand for; a plural stands for what its singular does."""
    for form in dict.fromkeys((joined, singular(joined))):
        found = [*lexicon.get(form, ()), *builtin().get(form, ())]
        if found:
            return found
    return []


def is_stop(joined: str) -> bool:
    """Whether a word of a question names nothing in a catalog."""
    return joined in words_of_kind("small")


@lru_cache(maxsize=4096)
def _terms(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens of a word that stands for another, and its whole-name keys."""
    tokens = tuple(dict.fromkeys(text_reference.tokenize(word, "query").tokens))
    return tokens, _key_forms(key(word)) if tokens else ()


def _key_forms(joined: str) -> tuple[str, ...]:
    """A whole-name key, in the singular and the plural if its end is a Latin word."""
    if not joined[-1:].isascii() or not joined[-1:].isalpha():
        return (joined,)
    single = singular(joined)
    return tuple(dict.fromkeys((joined, single, plural(single))))


def _joined(atoms: Sequence[Atom], start: int, end: int) -> str:
    return "".join(atom.text for atom in atoms[start:end])


def _known_unit(atoms: Sequence[Atom], piece: Piece) -> Unit:
    latin = sum(not atom.cjk for atom in atoms[piece.start : piece.end])
    size = STOP_SIZE if piece.stop else max(1.0, float(latin))
    ways = [Way(_own_terms(atoms, piece.start, piece.end), _key_forms(_joined(atoms, piece.start, piece.end)))]
    for origin, word in piece.others:
        terms, keys = _terms(word)
        if terms:
            ways.append(Way(terms, keys, word, origin))
    return Unit(piece.text, size, piece.start, piece.end, tuple(ways))


def _own_terms(atoms: Sequence[Atom], start: int, end: int) -> tuple[str, ...]:
    """The tokens of a span: its Latin words, and the pairs of its characters (one alone is itself)."""
    terms = [atom.text for atom in atoms[start:end] if not atom.cjk]
    chars = [i for i in range(start, end) if atoms[i].cjk]
    pairs = [atoms[i].text + atoms[i + 1].text for i in chars if i + 1 < end and atoms[i + 1].run == atoms[i].run]
    if chars and not pairs and not terms:
        pairs = [atoms[chars[0]].text]
    return tuple(dict.fromkeys(terms + pairs))


def _loose_units(atoms: Sequence[Atom], known: Sequence[Piece]) -> list[Unit]:
    """Pairs of characters that no known word holds both of, and single characters that stand alone."""
    owner = {i: piece for piece in known for i in range(piece.start, piece.end)}
    stops = {i for i, piece in owner.items() if piece.stop}
    units = []
    for i, atom in enumerate(atoms):
        joins = i + 1 < len(atoms) and atom.cjk and atoms[i + 1].run == atom.run
        within = owner.get(i) is not None and owner.get(i) is owner.get(i + 1)
        if joins and not within and not {i, i + 1} & stops:
            pair = atom.text + atoms[i + 1].text
            size = ASTRIDE if i in owner or i + 1 in owner else LOOSE
            units.append(Unit(pair, size, i, i + 2, (Way((pair,)),)))
        alone = not joins and not (i and atoms[i - 1].run == atom.run)
        if atom.cjk and alone and i not in owner:
            units.append(Unit(atom.text, LOOSE, i, i + 1, (Way((atom.text,), (atom.text,)),)))
    return units


def _whole_names(atoms: Sequence[Atom]) -> list[Unit]:
    """Each span of several atoms as one whole name; a span of characters stays in its run."""
    units = []
    count = len(atoms)
    for start in range(count):
        for end in range(start + 2, min(count, start + LONGEST) + 1):
            inside = atoms[start:end]
            if inside[0].cjk and inside[-1].cjk and inside[0].run != inside[-1].run:
                break
            if all(is_stop(atom.text) for atom in inside):
                continue
            joined = _joined(atoms, start, end)
            words = sum(0.5 if atom.cjk else 1.0 for atom in inside)
            units.append(Unit(joined, WHOLE_SIZE * words, start, end, (Way((), _key_forms(joined)),), whole=True))
    return units
