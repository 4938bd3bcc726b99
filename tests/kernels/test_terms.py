"""``kernels/terms.py`` against its naive twin, on spans of its own making."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from reference import naive_terms
from soak import scale

from dbgraph_nb.kernels import terms

Span = tuple[int, ...]


def random_spans(rng: random.Random, number: int) -> list[Span]:
    letters = rng.choice((3, 30, 0x10FFFF))
    return [tuple(rng.randint(1, letters) for _ in range(rng.randint(1, 6))) for _ in range(number)]


def arrays(spans: list[Span]) -> tuple[Any, Any, Any]:
    ends = np.cumsum([len(span) for span in spans], dtype=np.int32)
    starts = np.concatenate(([0], ends[:-1])).astype(np.int32)
    return np.array([code for span in spans for code in span], np.int32), starts, ends


class Vocabulary:
    """The arrays of a vocabulary, large enough for the test."""

    def __init__(self, room: int, slots: int) -> None:
        self.slots = np.full(slots, -1, np.int32)
        self.chars = np.zeros(room * 6, np.int32)
        self.start = np.zeros(room + 1, np.int32)
        self.hash = np.zeros(room, np.int64)
        self.terms = 0

    def intern(self, spans: list[Span]) -> list[int]:
        chars, starts, ends = arrays(spans)
        ids = np.empty(len(spans), np.int32)
        own = (self.slots, self.chars, self.start, self.hash, self.terms)
        self.terms = terms.intern(chars, starts, ends, len(spans), *own, ids)
        return [int(number) for number in ids]

    def spelled(self) -> list[Span]:
        bounds = zip(self.start[: self.terms], self.start[1 : self.terms + 1], strict=True)
        return [tuple(int(code) for code in self.chars[first:last]) for first, last in bounds]


@pytest.mark.parametrize("seed", range(scale(60)))
def test_intern_gives_the_naive_ids(seed: int) -> None:
    spans = random_spans(random.Random(seed), 400)
    vocabulary = Vocabulary(400, 1024)
    ids = vocabulary.intern(spans)
    assert (vocabulary.spelled(), ids) == naive_terms.intern(spans)


def test_intern_goes_on_after_rehash() -> None:
    spans = random_spans(random.Random(1), 600)
    vocabulary = Vocabulary(600, 1024)
    ids = vocabulary.intern(spans[:300])
    vocabulary.slots = np.full(4096, -1, np.int32)
    terms.rehash(vocabulary.hash, vocabulary.terms, vocabulary.slots)
    ids += vocabulary.intern(spans[300:])
    assert (vocabulary.spelled(), ids) == naive_terms.intern(spans)


def test_intern_tells_terms_of_one_hash_apart() -> None:
    """Hashes are compared first, but never alone: with all hashes equal the terms are still distinct."""
    vocabulary = Vocabulary(8, 16)
    ids = vocabulary.intern([(1, 2), (3, 4)])
    value = vocabulary.hash[1]
    vocabulary.hash[0] = value
    vocabulary.slots = np.full(16, -1, np.int32)
    terms.rehash(vocabulary.hash, 2, vocabulary.slots)
    assert vocabulary.intern([(3, 4)]) == ids[1:]


def test_a_crowded_table_still_finds_its_terms() -> None:
    spans: list[Span] = [(code,) for code in range(1, 65)]
    vocabulary = Vocabulary(64, 128)
    assert vocabulary.intern(spans + spans) == [*range(64)] * 2


@pytest.mark.parametrize("seed", range(scale(60)))
def test_count_gives_the_naive_entries(seed: int) -> None:
    rng = random.Random(seed)
    docs = [[(rng.randrange(6), rng.randrange(5)) for _ in range(rng.randrange(12))] for _ in range(30)]
    flat = [span for doc in docs for span in doc]
    ids = np.array([term for term, _ in flat], np.int32)
    kinds = np.array([kind for _, kind in flat], np.uint8)
    bounds = np.concatenate(([0], np.cumsum([len(doc) for doc in docs]))).astype(np.int32)
    last_entry = np.full(6 * terms.KINDS, -1, np.int32)
    term, doc, counted = (np.zeros(len(flat), np.int32) for _ in range(3))
    kind = np.zeros(len(flat), np.uint8)
    # In two batches, the second with texts that go on counting.
    half = len(docs) // 2
    out = (last_entry, term, doc, kind, counted)
    entries = terms.count(ids, kinds, bounds, half, 0, *out, 0)
    entries = terms.count(ids, kinds, bounds[half:].copy(), len(docs) - half, half, *out, entries)
    found = zip(doc[:entries], kind[:entries], term[:entries], counted[:entries], strict=True)
    assert [tuple(int(number) for number in entry) for entry in found] == naive_terms.count(docs)


@pytest.mark.parametrize("number", [0, 1, 2, 11, 12, 13, 24, 25, 100, 777])
def test_sort_terms_gives_code_point_order(number: int) -> None:
    spans, _ = naive_terms.intern(random_spans(random.Random(number), number))
    vocabulary = Vocabulary(max(1, number), 4096)
    vocabulary.intern(spans)
    order, scratch = np.empty(len(spans), np.int32), np.empty(len(spans), np.int32)
    assert terms.sort_terms(vocabulary.chars, vocabulary.start, len(spans), order, scratch) == len(spans)
    assert order.tolist() == naive_terms.rank(spans)


def test_order_entries_sorts_by_term_and_keeps_the_rest_in_order() -> None:
    rng = random.Random(3)
    keys = sorted({(rng.randrange(20), rng.randrange(5), rng.randrange(9)) for _ in range(200)})
    doc, kind, term = (np.array(column, np.int32) for column in zip(*keys, strict=True))
    counted = np.arange(len(keys), dtype=np.int32)
    rank = np.array(rng.sample(range(9), 9), np.int32)
    out = [np.empty(len(keys), np.int32) for _ in range(2)]
    out_kind, out_count = np.empty(len(keys), np.uint8), np.empty(len(keys), np.int32)
    place = np.empty(10, np.int32)
    given = (term, doc, kind.astype(np.uint8), counted, len(keys), rank, 9, place)
    terms.order_entries(*given, out[0], out[1], out_kind, out_count)
    wanted = sorted((int(rank[t]), d, k, number) for number, (d, k, t) in enumerate(keys))
    found = zip(out[0].tolist(), out[1].tolist(), out_kind.tolist(), out_count.tolist(), strict=True)
    assert list(found) == wanted
