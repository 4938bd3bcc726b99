"""Texts of a catalog as words, and where one is in another.

In: names, comments, words. Out: ``Words``, and ``Marks``, the places of one in another. Never: a judgement whether that
is enough (see ``fit``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from dbgraph_nb import text_reference, text_tables
from dbgraph_nb.catalog.candidates import stem
from dbgraph_nb.catalog.words import key

Marks = tuple[frozenset[int], frozenset[tuple[int, int]]]  # places in a text: Latin tokens, and (run, character)
NO_MARKS: Marks = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Words:
    """A text of the catalog or a word: Latin tokens in order and their stems, CJK runs, and the key of the whole."""

    latin: tuple[str, ...]
    stems: tuple[str, ...]
    runs: tuple[str, ...]
    key: str


@lru_cache(maxsize=65536)
def parse(text: str) -> Words:
    """The words of a text, characters simplified."""
    table = text_tables.simplified()
    latin: list[str] = []
    runs: list[str] = []
    for run, pieces in text_reference.split_runs(text):
        if pieces:
            latin += pieces
        else:
            runs.append(run.translate(table))
    return Words(
        tuple(latin), tuple(stem(token) if len(token) > 2 else token for token in latin), tuple(runs), key(text)
    )


def find_marks(word: Words, text: Words) -> Marks | None:
    """Where ``word`` is in ``text``: all its Latin words by stem, all its characters in a row; None if it is not."""
    if (word.latin and not text.latin) or (word.runs and not text.runs) or not (word.latin or word.runs):
        return None
    latin: Iterable[int] = ()
    if word.latin:
        latin = [i for i, its_stem in enumerate(text.stems) if its_stem in word.stems]
        if any(its_stem not in text.stems for its_stem in word.stems):
            latin = _joined_run("".join(word.latin), text)
            if not latin:
                return None
    chars: list[tuple[int, int]] = []
    for run in word.runs:
        places = [(i, at) for i, other in enumerate(text.runs) if run in other for at in _places(run, other)]
        if not places:
            return None
        chars += [(i, at + k) for i, at in places for k in range(len(run))]
    return frozenset(latin), frozenset(chars)


def _joined_run(joined: str, text: Words) -> range:
    """The tokens that together are written like ``joined`` (username in user_name), or the one that is."""
    if len(joined) >= 4 and joined in text.key:
        tokens = text.latin
        for start in range(len(tokens)):
            for end in range(start + 1, min(len(tokens), start + 5) + 1):
                if "".join(tokens[start:end]) == joined:
                    return range(start, end)
    return range(0)


def _places(run: str, text: str) -> Iterable[int]:
    """Where ``run`` is in a run of the text; a single character only counts at its end (the 率 of 折扣率)."""
    if len(run) == 1:
        return [len(text) - 1] if text.endswith(run) else []
    return [match.start() for match in re.finditer(f"(?={re.escape(run)})", text)]
