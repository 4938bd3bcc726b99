"""What an index says about single terms: where they occur, how rare they are, which of its words share a stem.

In: an open index and terms. Out: ``Skeleton`` (who owns which column, who refers to whom) and matches per term. Never:
a scan over all terms, or a statement to the database that the index describes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

from dbgraph_nb import text_reference
from dbgraph_nb.catalog.store import CatalogIndex
from dbgraph_nb.catalog.words import builtin, singular

NAME, COMMENT, VALUES = range(3)
KEY = 4  # the kind of a whole name
WHOLE_KINDS = (1, KEY)  # and of the whole of a run that was split
FIELD_WEIGHT = (1.0, 0.45, 0.35)  # a name says most; a value only that the column may hold it
KIND_WEIGHT = (1.0, 1.15, 0.9, 0.2, 1.3)  # token, joined form, simplified variant, single character, whole name
STEM_WEIGHT = 0.9  # a word of the same stem, beside the word itself
SHORT_WEIGHT = 0.5  # a word that is short for it, or that it is short for
COMMON = 2000  # a term with more occurrences is only looked up where a rarer one points
_STEMS_KEPT = 5000


# An occurrence of a term: weight (field, kind, form, rarity), field, kind, and the term as the catalog has it.
Match = tuple[float, int, int, str]


@dataclass(slots=True)
class Skeleton:
    """Names and links of a catalog, read once per open index. Columns have the ids after the objects', in their order.

    ``first[i]`` is the id of the first column of object ``i + 1``; ``linked`` the objects at the other ends of an
    object's foreign keys."""

    objects: int
    first: list[int]
    targets: int
    linked: dict[int, tuple[int, ...]]
    stems: dict[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)

    def owner(self, target: int) -> int:
        """The object that a target belongs to; an object is its own."""
        return target if target <= self.objects else bisect_right(self.first, target)

    def columns(self, owner: int) -> range:
        """The ids of an object's columns."""
        end = self.first[owner] if owner < self.objects else self.targets + 1
        return range(self.first[owner - 1], end)


_skeletons: WeakKeyDictionary[CatalogIndex, Skeleton] = WeakKeyDictionary()


def skeleton(index: CatalogIndex) -> Skeleton:
    """The skeleton of an index; kept as long as the index is open."""
    found = _skeletons.get(index)
    if found is None:
        _skeletons[index] = found = _read_skeleton(index)
    return found


def _read_skeleton(index: CatalogIndex) -> Skeleton:
    counts = [row.column_count for row in index.objects()]
    first = list(accumulate(counts, initial=len(counts) + 1))
    linked: dict[int, dict[int, None]] = {}
    for source, target in index.query(
        "SELECT DISTINCT src_object, dst_object FROM edges WHERE kind = 'fk' AND dst_object IS NOT NULL"
    ):
        if source != target:
            linked.setdefault(source, {})[target] = None
            linked.setdefault(target, {})[source] = None
    return Skeleton(len(counts), first[:-1], first[-1] - 1, {key: tuple(sorted(ends)) for key, ends in linked.items()})


def names(index: CatalogIndex, targets: Sequence[int]) -> dict[int, str]:
    """The names of targets, tables and columns alike."""
    found = {}
    objects = index.objects()
    columns = [target for target in targets if target > len(objects)]
    found = {target: objects[target - 1].name for target in targets if target <= len(objects)}
    for start in range(0, len(columns), 500):
        part = columns[start : start + 500]
        marks = ", ".join("?" * len(part))
        found.update(index.query(f"SELECT id, name FROM columns WHERE id IN ({marks})", part))
    return found


def lengths(index: CatalogIndex, targets: Iterable[int]) -> dict[int, int]:
    """How many distinct words the names of targets have, at least 1; kept with the skeleton."""
    kept = skeleton(index).lengths
    missing = [target for target in targets if target not in kept]
    for target, name in names(index, missing).items():
        kept[target] = _words(name)
    return kept


@lru_cache(maxsize=65536)
def _words(name: str) -> int:
    return len(set(text_reference.tokenize(name, "query").tokens)) or 1


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English stem of a word (Snowball)."""
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def forms(index: CatalogIndex, term: str) -> tuple[tuple[str, float], ...]:
    """The catalog's own terms that count as ``term``: itself, and Latin words of the same stem, with their weight."""
    kept = skeleton(index).stems
    found = kept.get(term)
    if found is None:
        found = ((term, 1.0), *_other_forms(index, term))
        if len(kept) >= _STEMS_KEPT:
            kept.clear()
        kept[term] = found
    return found


def _other_forms(index: CatalogIndex, term: str) -> list[tuple[str, float]]:
    if len(term) < 3 or not term.isascii() or not term.isalpha():
        return []
    wanted = stem(term)
    common = wanted[: max(3, len(wanted) - 1)]  # city and citi: the last letter of a stem may differ
    same = [other for other in _vocabulary(index, common) if other != term and stem(other) == wanted]
    short = [other for other in _vocabulary(index, term) if is_short(term, other)]
    long = [term[:end] for end in range(3, len(term)) if abbreviates(term[:end], term)]
    return [(o, STEM_WEIGHT) for o in same] + [(o, SHORT_WEIGHT) for o in [*short, *long] if o not in same]


def is_short(short: str, word: str) -> bool:
    """Whether ``short`` can be short for ``word``: at least its first three letters, and at most 60 % of it.

    >>> is_short("sal", "salary"), is_short("car", "card"), is_short("desc", "description")
    (True, False, True)
    """
    return 3 <= len(short) <= 0.6 * len(word) and word.startswith(short) and word.isascii() and word.isalpha()


def abbreviates(catalog: str, asked: str) -> bool:
    """Whether a word of the catalog can be short for the one asked for. A word that is known stands for what it is
    known to stand for, and for nothing else.

    >>> abbreviates("cal", "calendar"), abbreviates("users", "userspace")
    (True, False)
    """
    return is_short(catalog, asked) and not {catalog, singular(catalog)} & builtin().keys()


def _vocabulary(index: CatalogIndex, prefix: str) -> list[str]:
    """The distinct Latin terms that begin with ``prefix``: one step of the primary key each, not one per occurrence."""
    rows = index.query(
        """WITH RECURSIVE found(term) AS (
            SELECT (SELECT min(term) FROM terms WHERE term >= ?)
            UNION ALL
            SELECT (SELECT min(t.term) FROM terms t WHERE t.term > found.term) FROM found WHERE found.term < ?
        ) SELECT term FROM found WHERE term < ? LIMIT 500""",
        (prefix, prefix + "{", prefix + "{"),  # "{" follows "z"
    )
    return [str(row[0]) for row in rows if row[0].isascii()]


def matches(
    index: CatalogIndex, terms: Iterable[str], keys: Iterable[tuple[str, ...]] = ()
) -> dict[str | tuple[str, ...], dict[int, Match]]:
    """Per term, the targets that hold it or a form of it, each with its best occurrence. ``keys`` are ways to write one
    whole name: any of them counts, but only as the whole name, or the whole of a run that was split.

    The weight is field × kind × form × rarity; rarity is ln(1 + (N - n + 0.5) / (n + 0.5)) with N targets of which n
    hold the term (the idf of BM25, Robertson and Zaragoza 2009, kept positive). A term with more than ``COMMON``
    occurrences is only looked up in targets that another term, or their table, points to, if there is any."""
    wanted: dict[str | tuple[str, ...], tuple[tuple[str, float], ...]] = {term: forms(index, term) for term in terms}
    for key in keys:
        wanted[key] = tuple((form, 1.0) for form in key)
    total = max(1, skeleton(index).targets)
    found: dict[str, list[tuple[int, int, int]]] = {}
    counts: dict[str, int] = {}
    for form in dict.fromkeys(form for its_forms in wanted.values() for form, _ in its_forms):
        found[form] = index.query("SELECT target, field, kind FROM terms WHERE term = ? LIMIT ?", (form, COMMON + 1))
        counts[form] = len(found[form])
    for form in [form for form, count in counts.items() if count > COMMON]:
        counts[form] = index.query("SELECT count(DISTINCT target) FROM terms WHERE term = ?", (form,))[0][0]
    _narrow(index, found, counts)
    return {term: _best(its_forms, found, counts, total, isinstance(term, tuple)) for term, its_forms in wanted.items()}


def _best(
    its_forms: Sequence[tuple[str, float]],
    found: dict[str, list[tuple[int, int, int]]],
    counts: dict[str, int],
    total: int,
    whole: bool,
) -> dict[int, Match]:
    """The best occurrence per target of one term in all its forms."""
    best: dict[int, Match] = {}
    if not any(found[form] for form, _ in its_forms):
        return best
    holding = len({row[0] for form, _ in its_forms for row in found[form]})
    count = min(total, max(holding, *(counts[form] for form, _ in its_forms if counts[form] > COMMON), 0))
    rarity = math.log(1 + (total - count + 0.5) / (count + 0.5))
    for form, form_weight in its_forms:
        scale = form_weight * rarity
        for target, place, kind in found[form]:
            if whole and kind not in WHOLE_KINDS:
                continue
            weight = scale * FIELD_WEIGHT[place] * KIND_WEIGHT[kind]
            known = best.get(target)
            if known is None or weight > known[0]:
                best[target] = (weight, place, kind, form)
    return best


def _narrow(index: CatalogIndex, found: dict[str, list[tuple[int, int, int]]], counts: dict[str, int]) -> None:
    """Replaces the cut-off occurrences of common terms by those in targets that rarer terms point to."""
    common = [form for form, count in counts.items() if len(found[form]) > COMMON]
    if not common:
        return
    frame = skeleton(index)
    pointed = {row[0] for form, rows in found.items() if form not in common for row in rows}
    if not pointed:
        return  # nothing but common words: the first occurrences have to do
    for target in sorted(pointed):
        if target <= frame.objects and len(pointed) < COMMON:
            pointed.update(frame.columns(target))
    targets = sorted(pointed)[:COMMON]
    for form in common:
        rows: list[tuple[int, int, int]] = []
        for start in range(0, len(targets), 500):
            part = targets[start : start + 500]
            marks = ", ".join("?" * len(part))
            rows += index.query(
                f"SELECT target, field, kind FROM terms WHERE term = ? AND target IN ({marks})", (form, *part)
            )
        found[form] = rows
