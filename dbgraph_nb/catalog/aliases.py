"""Words that the user taught: the aliases of one connection, and the synonyms that hold everywhere.

In: two text files, and an index to check targets against. Out: ``Aliases``. Never: a target that names nothing, the
value of a sensitive column in a file, or a file that is half written or readable by others.

An aliases file has lines ``word = target``; the target is a table, ``table.column``, ``table.column=value`` (the
literal that the word stands for) or another word. A synonyms file has lines ``用户 = user = customer``. Lines that
begin with # are comments. Which of the four a target is, the index decides, so that a name may hold dots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dbgraph_nb.catalog.atomic import replacing
from dbgraph_nb.catalog.score import unknown_pieces
from dbgraph_nb.catalog.store import CatalogIndex, ColumnRow, ObjectRow
from dbgraph_nb.catalog.words import check_length, key, link, nearest
from dbgraph_nb.errors import BadArgument, DbgraphError, UnknownName
from dbgraph_nb.settings import private_folder

LOCK_SECONDS = 10
_EQUALS = re.compile("[=＝]")


@dataclass(frozen=True, slots=True)
class Target:
    """What an alias stands for: a table, a column of it, or a ``value`` of that column."""

    table: ObjectRow
    column: ColumnRow | None = None
    value: str | None = None

    @property
    def name(self) -> str:
        """``table``, ``table.column`` or ``table.column = value``."""
        column = f".{self.column.name}" if self.column else ""
        return f"{self.table.name}{column}" + (f" = {self.value}" if self.value is not None else "")


@dataclass(frozen=True, slots=True)
class Aliases:
    """What the user taught. ``words``: key of a word → (the word, its targets as written); ``synonyms``: key of a word
    → the words it may stand for."""

    words: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def lexicon(self, index: CatalogIndex) -> dict[str, list[tuple[str, str]]]:
        """Key → (origin, other word), of the synonyms and of the aliases that stand for another word."""
        found: dict[str, list[tuple[str, str]]] = {}
        for word, (_, targets) in self.words.items():
            others = [("alias", target) for target in targets if parse_target(index, target) is None]
            if others:
                found[word] = others
        for word, synonyms in self.synonyms.items():
            found.setdefault(word, []).extend(("synonym", other) for other in synonyms)
        return found

    def targets(self, index: CatalogIndex, word: str) -> list[Target]:
        """The tables, columns and values that an alias gives ``word``."""
        _, targets = self.words.get(key(word), ("", ()))
        parsed = (parse_target(index, target) for target in targets)
        return [target for target in parsed if target is not None]

    def literals(self, index: CatalogIndex, word: str, column: ColumnRow) -> list[tuple[str, str]]:
        """(origin, other spelling) of a value of ``column`` that the user wrote as ``word``.

        The alias of exactly that column comes first, then other words; the shipped word pairs say nothing here."""
        exact = [t.value for t in self.targets(index, word) if t.value is not None and t.column == column]
        return [("alias", value) for value in exact] + self.lexicon(index).get(key(word), [])


NONE = Aliases()


def read(path: Path | None, synonyms: Path | None = None) -> Aliases:
    """Reads both files; a file that does not exist holds nothing.

    Raises:
        BadArgument: a line is not of its form (code ``alias-line`` or ``synonym-line``), or a file is not UTF-8 text
            (``alias-encoding``); file and line are named.
    """
    words: dict[str, tuple[str, tuple[str, ...]]] = {}
    for _, word, target in _alias_lines(path):
        first, targets = words.get(key(word), (word, ()))
        words[key(word)] = (first, tuple(dict.fromkeys((*targets, target))))
    found: dict[str, dict[str, str]] = {}
    for number, line in _lines(synonyms):
        group = [part.strip() for part in _EQUALS.split(line)]
        if len(group) < 2 or not all(key(word) for word in group):
            raise BadArgument(
                f"Line {number} of {synonyms} is no list of synonyms.",
                code="synonym-line",
                hint="Write two or more words with = between them, as 用户 = user = customer.",
                line=number,
                token=line,
            )
        link(found, group, group, "synonym")
    return Aliases(words, {word: tuple(others) for word, others in found.items()})


def add(path: Path, word: str, target: str, *, index: CatalogIndex) -> str:
    """Writes one alias to the file at ``path``, in place of what the word meant before.

    A value alias only replaces one of the same column, so that 已支付 may mean ``paid`` in one table and ``PAID`` in
    another. Returns the target as it was understood.

    Raises:
        BadArgument: an empty word or target or one that fits no line (code ``alias-word``, ``alias-target``), or a
            value of a sensitive column (``alias-sensitive``), or more than 2,000 characters (``words-too-long``).
        UnknownName: the target names no table, column, declared value or word of the catalog (``alias-unknown``), with
            the nearest names.
        DbgraphError: the file could not be written (``alias-not-written``).
    """
    word, target = word.strip(), target.strip()
    check_length(word, "The word of the alias")
    check_length(target, "The target of the alias")
    _check_word(word)
    if not target or re.search(r"[\r\n\x00\ud800-\udfff]", target):
        raise BadArgument(f"The alias {word} needs a target in one line.", code="alias-target", hint="As 用户=users.")
    parsed = parse_target(index, target)
    if parsed is None:
        _check_other_word(index, target)
    elif parsed.value is not None:
        _check_value(parsed)
    _rewrite(path, f"{word} = {target}", lambda line: _replaced(line, index, word, parsed))
    return parsed.name if parsed else target


def _rewrite(path: Path, new: str, gives_way: Callable[[str], bool]) -> None:
    """Appends a line and drops those that give way, one writer at a time."""
    import filelock

    problem = None
    try:
        private_folder(path.parent)
        with filelock.FileLock(f"{path}.lock", mode=0o600, timeout=LOCK_SECONDS):
            kept = [line.rstrip() for line in _raw(path) if not gives_way(line)]
            while kept and not kept[-1]:
                kept.pop()
            with replacing(path) as temporary:
                temporary.write_text("\n".join([*kept, new, ""]), encoding="utf-8", newline="\n")
    except filelock.Timeout:
        problem = f"Another process holds {path} for more than {LOCK_SECONDS} s."
    except OSError as error:
        problem = f"{path} could not be written: {(error.strerror or str(error)).lower()}."
    if problem:
        raise DbgraphError(problem, code="alias-not-written", hint="Nothing was changed.")


def _check_word(word: str) -> None:
    if not key(word) or _EQUALS.search(word) or re.search(r"[\r\n\x00\ud800-\udfff]", word) or word.startswith("#"):
        raise BadArgument(
            f"{word!r} cannot be an alias.",
            code="alias-word",
            hint="It needs a letter or digit, and no = or line break.",
        )


def _replaced(line: str, index: CatalogIndex, word: str, parsed: Target | None) -> bool:
    """Whether a line of the file gives way to the new alias."""
    parts = _EQUALS.split(line, maxsplit=1)
    if len(parts) < 2 or line.lstrip().startswith("#") or key(parts[0]) != key(word):
        return False
    old = parse_target(index, parts[1].strip())
    old_value, new_value = old is not None and old.value is not None, parsed is not None and parsed.value is not None
    if old_value and new_value:
        assert old is not None
        assert parsed is not None
        return old.column == parsed.column
    return old_value == new_value


def parse_target(index: CatalogIndex, text: str) -> Target | None:
    """The table, column or value that ``text`` names in the index; None if it names none of these."""
    table = index.find_object(text)
    if table is not None:
        return Target(table)
    for match in _EQUALS.finditer(text):
        place = _column(index, text[: match.start()].strip())
        if place is not None:
            return Target(*place, text[match.end() :].strip())
    place = _column(index, text)
    return Target(*place) if place else None


def _column(index: CatalogIndex, text: str) -> tuple[ObjectRow, ColumnRow] | None:
    """``table.column``, wherever the dot is that makes both names known."""
    for match in re.finditer(r"\.", text):
        table = index.find_object(text[: match.start()])
        if table is not None:
            wanted = text[match.end() :]
            columns = index.columns(table.id)
            named = [row for row in columns if row.name == wanted] or [
                row for row in columns if row.name.casefold() == wanted.casefold()
            ]
            if named:
                return table, named[0]
    return None


def _check_value(target: Target) -> None:
    assert target.column is not None
    column = target.column
    if column.tier is not None:
        raise BadArgument(
            f"{target.table.name}.{column.name} is sensitive; no value of it is stored.", code="alias-sensitive"
        )
    if not target.value:
        raise BadArgument(f"The alias has no value after {target.table.name}.{column.name}=.", code="alias-target")
    if column.type_class == "enum" and column.enum_values and target.value not in column.enum_values:
        raise UnknownName(
            f"{target.table.name}.{column.name} has no value {target.value!r}.",
            code="alias-unknown",
            hint=f"It has {', '.join(column.enum_values)}.",
        )


def _check_other_word(index: CatalogIndex, target: str) -> None:
    """A target that is only words must occur in the catalog, each of them; one with a dot or = was meant as a name."""
    if not re.search(r"[.=＝]", target) and not unknown_pieces(index, target):
        return
    table, dot, column = target.partition(".")
    owner = index.find_object(table)
    if dot and owner is not None:
        known = [row.name for row in index.columns(owner.id)]
        near = [f"{owner.name}.{name}" for name in nearest(_EQUALS.split(column)[0].strip(), known)]
    else:
        near = nearest(table, [row.name for row in index.objects()])
    raise UnknownName(
        f"{target!r} names no table, column or word of this catalog.",
        code="alias-unknown",
        hint=f"Did you mean {', '.join(near)}?" if near else "Name a table, table.column or table.column=value.",
    )


def _alias_lines(path: Path | None) -> Iterable[tuple[int, str, str]]:
    for number, line in _lines(path):
        word, _, target = (part.strip() for part in _EQUALS.sub("\0", line, count=1).partition("\0"))
        if not key(word) or not target:
            raise BadArgument(
                f"Line {number} of {path} is no alias.",
                code="alias-line",
                hint="Write word = target, as 用户 = users or 已支付 = orders.status=paid.",
                line=number,
                token=line,
            )
        yield number, word, target


def _lines(path: Path | None) -> list[tuple[int, str]]:
    """The numbered lines of a file that say something."""
    lines = [(number, line.strip()) for number, line in enumerate(_raw(path), 1)]
    return [(number, line) for number, line in lines if line and not line.startswith("#")]


def _raw(path: Path | None) -> Sequence[str]:
    if path is None or not path.exists():
        return []
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")  # not splitlines: a word may hold other breaks
    except UnicodeDecodeError:
        raise BadArgument(
            f"{path} is not UTF-8 text.", code="alias-encoding", hint="Save it as UTF-8, or remove it."
        ) from None
