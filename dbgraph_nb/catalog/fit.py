"""Whether a word names a table or a column: the whole of it, a part of it, or not.

In: the pieces of a word, and a subject: name, comment, and what its surroundings already say. Out: a ``Fit`` with a
quality that ``find`` compares, and readable reasons. Never: a fit that leaves a piece of the word unexplained.

Quality: 1.2 the name as written, a little less in another spelling; about 1 the whole name or the whole first phrase
of the comment (what the table says anyway is left out: 金额 is the whole of 订单金额 in orders); about 0.6 a part of
them. A word that only the shipped pairs link costs a tenth, one that is only near a fifth, an abbreviation a quarter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dbgraph_nb.catalog.candidates import abbreviates, is_short
from dbgraph_nb.catalog.phrases import NO_MARKS, Marks, Words, find_marks, parse
from dbgraph_nb.catalog.spans import LONGEST, Lexicon, Piece, cut, is_stop, to_atoms
from dbgraph_nb.catalog.words import key, words_of_kind

EXACT = 1.2
SPELLED = 0.005  # each step away from the name as it is written: in full, in another case, without separators
ALIAS = 2.0
COMMENT = 0.95  # a whole first phrase of a comment, beside a whole name
TAIL = 0.65  # the rest of a comment
PART = 0.6
ORIGIN = {"": 1.0, "alias": 1.0, "synonym": 0.98, "built-in": 0.9, "near": 0.79, "short": 0.75}
LIGHT_LEFT = 0.85  # a light word of the question (记录, info) that the catalog does without
BY_KEY = 0.12  # a piece that only the foreign key's own column explains: it tells two keys to one table apart
NEAR_TABLE = 0.9  # a piece that only a word near the table's explains
BOTH = 0.02  # name and comment both say it
BY_TYPE = 0.45  # nothing fits but the type
TYPE_WORDS = {"time": frozenset(("time", "date", "时间", "日期"))}
UNTOLD = 0.6  # all that fits is what the table says of every column
_HEAD_END = re.compile(r"[,，。.;；:：(（\[【、|/\n]")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a word may name.

    ``written``: the ways its name is written in full (``amount``, ``orders.amount``). ``around``: words that the table
    says anyway; ``near``: words that are only near those; ``via``: words of the foreign key's column that leads to it.
    ``narrow``: the surroundings explain pieces, but do not make a part of the name the whole."""

    name: str
    comment: str | None
    written: tuple[str, ...]
    around: tuple[Words, ...] = ()
    near: tuple[Words, ...] = ()
    via: tuple[Words, ...] = ()
    narrow: bool = False
    type_class: str = ""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a word fits, at least about 0.3, and why."""

    quality: float
    reasons: tuple[str, ...]


def readings(word: str, lexicon: Lexicon) -> list[list[Piece]]:
    """The ways to cut a word: by the longest known words; finer, if one word is all of it; by words of two characters
    at most; and with a single character that is no word (the 人 of 评价人) left at the word before it."""
    atoms = to_atoms(word)
    result: list[list[Piece]] = []
    for longest in (LONGEST, max(1, len(atoms) - 1), 2):
        pieces = cut(atoms, lexicon, longest)
        result += [one for one in (pieces, _merged(pieces)) if one and one not in result]
    return result


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        single = not piece.known and piece.end - piece.start == 1
        if single and last is not None and last.text[-1:] > "\x7f" and piece.start == last.end and not last.stop:
            merged[-1] = Piece(last.text + piece.text, last.start, piece.end, known=False)
        else:
            merged.append(piece)
    return merged


def needed(pieces: Sequence[Piece]) -> list[bool]:
    """Which pieces must be explained: not the small and the light words, unless there are no others."""
    solid = [not piece.stop and key(piece.text) not in words_of_kind("light") for piece in pieces]
    if not any(solid):
        solid = [not piece.stop for piece in pieces]
    return solid if any(solid) else [True] * len(pieces)


def core(word: str, lexicon: Lexicon) -> str:
    """The word without small words: 这个用户 is 用户."""
    pieces = cut(to_atoms(word), lexicon)
    return "".join(piece.text for piece in pieces if not piece.stop) or word


def fit(word: str, cuts: Sequence[Sequence[Piece]], subject: Subject) -> Fit | None:
    """The best fit of a word, given the ways to cut it; None if a piece of it stays unexplained."""
    asked = word.strip()
    spelled = (
        asked in subject.written,
        asked.casefold() in {name.casefold() for name in subject.written},
        asked == subject.name,
        asked.casefold() == subject.name.casefold(),
        bool(key(word)) and key(word) == key(subject.name),
    )
    if any(spelled):
        return Fit(EXACT - SPELLED * spelled.index(True), (f"name = {subject.name}",))
    found = [one for pieces in cuts if (one := _fit(pieces, subject)) is not None]
    return max(found, key=lambda one: one.quality, default=None)


def _fit(pieces: Sequence[Piece], subject: Subject) -> Fit | None:
    head, _, tail = _HEAD_END.sub("\0", subject.comment or "", count=1).partition("\0")
    fields = (("name", subject.name, 1.0), ("comment", head.strip(), COMMENT), ("comment", tail.strip(), TAIL))
    wholes: list[Fit] = []
    seen: dict[int, tuple[_Explained, float, str]] = {}  # piece → how, the weight of the field, the reason
    for label, text, scale in fields:
        words = parse(text)
        found = {i: one for i, piece in enumerate(pieces) if (one := _explain(piece, words)) is not None}
        alone = all(is_weak(pieces[i].text) for i in found)  # a digit says nothing by itself: only what it stands for
        if not found:
            continue
        said = _said_anyway(words, subject)
        explained = ((i, _explain(pieces[i], words, said, alone)) for i in found)
        here = {i: one for i, one in explained if one is not None}
        for i, one in here.items():
            before = seen.get(i)
            if before is None or (one.tells, one.weight * scale) > (before[0].tells, before[0].weight * before[1]):
                seen[i] = (one, scale, f"{one.reason}{label} has {one.word}")
        if scale > TAIL and _is_whole(words, here.values(), said):
            fitted = _with_surroundings(pieces, here, subject)
            if fitted is not None:
                reason = next((one.reason for one in here.values() if one.reason), "")
                wholes.append(Fit(fitted[0] * scale, (f"{reason}{label} = {text}", *fitted[1])))
    if wholes:
        best = max(wholes, key=lambda one: one.quality)
        return Fit(best.quality + BOTH * (len(wholes) - 1), best.reasons)
    if not seen and all(_by_type(piece, subject) for piece in pieces):
        return Fit(BY_TYPE, (f"its type is {subject.type_class}",))
    fitted = _with_surroundings(pieces, {i: one for i, (one, _, _) in seen.items()}, subject)
    if fitted is None:
        return None
    scale = min(scale for _, scale, _ in seen.values())
    return Fit(PART * scale * fitted[0], (*dict.fromkeys(reason for _, _, reason in seen.values()), *fitted[1]))


class _Explained(NamedTuple):
    """How a piece is in a text. ``tells`` is False if it is only in what the table says of all its columns."""

    tells: bool
    weight: float
    reason: str
    word: str
    marks: Marks


def is_weak(text: str) -> bool:
    """Whether a piece is too little to name anything by itself: digits, or one letter.

    >>> [is_weak(text) for text in ("1", "2024", "t", "id", "号")]
    [True, True, True, False, False]
    """
    return text.isdecimal() or (len(text) == 1 and text.isascii())


def _explain(piece: Piece, words: Words, said: Marks = NO_MARKS, taught: bool = False) -> _Explained | None:
    """The best way in which a piece is in a text; ``said`` are the places in it that the table says anyway; ``taught``:
    only what the user taught counts."""
    found: list[_Explained] = []
    ways = (("", piece.text), *piece.others)
    for origin, other in (way for way in ways if not taught or way[0] in ("alias", "synonym")):
        marks = find_marks(parse(other), words)
        if marks is not None:
            reason = ""
            if origin:
                who = "yours" if origin in ("alias", "synonym") else origin
                reason = f"{origin if who == 'yours' else 'word'} {piece.text} → {other} ({who}), "
            tells = not (marks[0] <= said[0] and marks[1] <= said[1])
            found.append(_Explained(tells, ORIGIN[origin], reason, other, marks))
    if not found and not taught and " " not in piece.text and piece.text.isascii():
        for i, token in enumerate(words.latin):
            if is_short(piece.text, token) or abbreviates(token, piece.text):
                marks = (frozenset({i}), frozenset())
                reason = f"short {piece.text} → {token} (begins alike), "
                found.append(_Explained(i not in said[0], ORIGIN["short"], reason, token, marks))
    return max(found, key=lambda one: one[:2], default=None)


def _with_surroundings(
    pieces: Sequence[Piece], explained: Mapping[int, _Explained], subject: Subject
) -> tuple[float, tuple[str, ...]] | None:
    """The share of the quality that the origins leave, and reasons for what only the surroundings explain; None if a
    needed piece is explained by nothing."""
    must = needed(pieces)
    own = [one for i, one in explained.items() if must[i]]
    telling = [one for one in own if one.tells]
    if not own:
        return None
    quality = min(one.weight for one in telling or own) * (1.0 if telling else UNTOLD)
    reasons = []
    for i, piece in enumerate(pieces):
        if i in explained:
            continue
        if any(_explain(piece, words) for words in subject.via):
            quality += BY_KEY
            reasons.append(f"its key has {piece.text}")
        elif any(_explain(piece, words) for words in subject.around):
            reasons.append(f"its table has {piece.text}")
        elif any(_explain(piece, words) for words in subject.near):
            quality *= NEAR_TABLE
            reasons.append(f"its table is near {piece.text}")
        elif _by_type(piece, subject):
            reasons.append(f"its type is {subject.type_class}")
        elif must[i]:
            return None
        elif not piece.stop:
            quality *= LIGHT_LEFT
    return quality, tuple(reasons)


def _by_type(piece: Piece, subject: Subject) -> bool:
    """Whether the type of a column says what a piece does."""
    said = TYPE_WORDS.get(subject.type_class, frozenset())
    return piece.text in said or any(origin == "built-in" and other in said for origin, other in piece.others)


def _said_anyway(words: Words, subject: Subject) -> Marks:
    """The places in a text that the surroundings say."""
    around = () if subject.narrow else subject.around
    found = [marks for word in around if (marks := find_marks(word, words)) is not None]
    return frozenset().union(*(marks[0] for marks in found)), frozenset().union(*(marks[1] for marks in found))


def _is_whole(words: Words, explained: Iterable[_Explained], said: Marks) -> bool:
    """Whether the pieces, and what is said anyway, are all of a text."""
    marks = [*(one.marks for one in explained), said]
    latin = {i for tokens, _ in marks for i in tokens}
    chars = {place for _, places in marks for place in places}
    latin |= {i for i, token in enumerate(words.latin) if is_stop(token)}  # created_at, is_active
    return len(latin) == len(words.latin) and len(chars) == sum(map(len, words.runs))
