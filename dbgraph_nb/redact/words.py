"""The words that decide what is sensitive, read once from ``words.tsv``.

In: the data file beside this module. Out: ``Lexicon``: phrases as tries over units, and the small words around
them. A unit is a folded word of an alphabetic script, or one Han, kana or Hangul character (traditional Han as
simplified). Never: a decision; that is ``names.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from dbgraph_nb import text_tables
from dbgraph_nb.model import Tier
from dbgraph_nb.text_reference import split_runs

Units = tuple[str, ...]

_HEAD_FIRST = {"fr", "es", "pt", "it", "ru", "de"}  # where "date of change of password" starts with the date
_SHORT_PIECES = {"id", "no", "ip", "db", "my", "qq", "pw"}  # all the two-letter pieces of glued names


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sensitive phrase. ``before`` must stand right before it (or nothing), ``not_before`` must not."""

    tier: Tier
    units: Units
    text: str
    head_first: bool
    number: bool  # a numeric column can hold it
    date: bool  # a date column can hold it
    counted: bool  # "no", "number", "front" … may follow
    before: tuple[Units, ...]
    not_before: tuple[Units, ...]


Trie = dict[str, Any]  # unit → Trie; "" → what ends here


@dataclass(slots=True)
class Lexicon:
    """All lists of the data file."""

    phrases: Trie = field(default_factory=dict)
    tails: Trie = field(default_factory=dict)
    counted_tails: Trie = field(default_factory=dict)
    flags: Trie = field(default_factory=dict)
    romance_flags: Trie = field(default_factory=dict)
    breaks: Trie = field(default_factory=dict)
    prose_breaks: Trie = field(default_factory=dict)
    articles: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)  # what a glued word may consist of
    sensitive_words: set[str] = field(default_factory=set)


def units(text: str, *, split: bool = True) -> list[str]:
    """The units of ``text`` in reading order; ``split`` also takes glued words apart.

    >>> units("userPassword 支付密碼")
    ['user', 'password', '支', '付', '密', '码']
    """
    found: list[str] = []
    for folded, pieces in split_runs(text):
        if not pieces:
            found += folded.translate(text_tables.simplified())
        elif split:
            for piece in pieces:
                found += unglued(piece)
        else:
            found += pieces
    return found


@lru_cache(maxsize=8192)
def unglued(word: str) -> Units:
    """The words that a lower-case name was glued from, or the word itself.

    >>> unglued("userpassword"), unglued("compass")
    (('user', 'password'), ('compass',))
    """
    words = lexicon().words
    if len(word) < 5 or len(word) > 40 or word in words or not word.isascii():
        return (word,)
    best: list[Units | None] = [()] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - 16), end):
            head = best[start]
            if head is None or word[start:end] not in words:
                continue
            current = best[end]
            if current is None or len(head) + 1 < len(current):
                best[end] = (*head, word[start:end])
    pieces = best[-1]
    if pieces is None or len(pieces) > 4 or lexicon().sensitive_words.isdisjoint(pieces):
        return (word,)
    return pieces


@cache
def lexicon() -> Lexicon:
    """The data file, read on first use."""
    known = Lexicon()
    lines = Path(__file__).with_name("words.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            kind, language, phrases, *options = line.split("\t")
            _add(known, kind, language, phrases.split("|"), options[0] if options else "")
    # Longer words only: two letters that happen to be a word would take any name apart.
    known.words = {w for w in known.words if (len(w) > 2 and w.isascii()) or w in _SHORT_PIECES}
    return known


def _add(known: Lexicon, kind: str, language: str, texts: list[str], options: str) -> None:
    parsed = [(text, tuple(units(text, split=False))) for text in texts]
    known.words.update(unit for _, sequence in parsed for unit in sequence if kind != "article")
    if kind in ("credential", "identity", "contact"):
        flags, before, not_before = _options(options)
        for text, sequence in parsed:
            phrase = Phrase(
                tier=cast(Tier, kind),
                units=sequence,
                text=text,
                head_first=language in _HEAD_FIRST,
                number="int" in flags,
                date="date" in flags,
                counted="num" in flags,
                before=before,
                not_before=not_before,
            )
            insert(known.phrases, sequence, phrase)
            known.sensitive_words.update(sequence)
        return
    if kind == "none":
        for _, sequence in parsed:
            known_end(known.phrases, sequence)  # covers the shorter phrase in it and is nothing itself
        return
    if kind == "article":
        known.articles.update(unit for _, sequence in parsed for unit in sequence)
        return
    tries = {
        "tail": known.tails,
        "tail num": known.counted_tails,
        "flag": known.flags,
        "flag romance": known.romance_flags,
        "break": known.breaks,
        "break prose": known.prose_breaks,
    }
    if kind in tries:
        for text, sequence in parsed:
            insert(tries[kind], sequence, text)


def _options(text: str) -> tuple[set[str], tuple[Units, ...], tuple[Units, ...]]:
    flags: set[str] = set()
    lists: dict[str, tuple[Units, ...]] = {"after": (), "not": ()}
    for option in text.split():
        name, equals, members = option.partition("=")
        if equals:
            lists[name] = tuple(tuple(units(member, split=False)) for member in members.split(","))
        else:
            flags.add(name)
    return flags, lists["after"], lists["not"]


def insert(trie: Trie, sequence: Iterable[str], value: object) -> None:
    """Adds ``value`` at the end of ``sequence``; several values may end at one place."""
    known_end(trie, sequence).append(value)


def known_end(trie: Trie, sequence: Iterable[str]) -> list[Any]:
    """The values that end after ``sequence``; the place is made if it is not there."""
    for unit in sequence:
        trie = trie.setdefault(unit, {})
    values: list[Any] = trie.setdefault("", [])
    return values


def ends(trie: Trie, sequence: list[str], start: int) -> Iterator[tuple[int, list[Any]]]:
    """Every end of an entry that begins at ``start``, shortest first, with the values there."""
    for position in range(start, len(sequence)):
        if sequence[position] not in trie:
            return
        trie = trie[sequence[position]]
        if "" in trie:
            yield position + 1, trie[""]
