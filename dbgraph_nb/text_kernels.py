"""Batches of texts through the kernels: what ``text`` does where numba works.

In: checked lists of ``str``. Out: the same as ``text_reference`` gives. Never imported but by ``text``, on first use:
it needs numpy and numba. Never: all spans of a long batch at once; it goes in chunks whose arrays are reused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dbgraph_nb.kernels import segment as kernel
from dbgraph_nb.kernels import terms as term_kernel
from dbgraph_nb.kernels._jit import uncached as uncached
from dbgraph_nb.model import Tokens
from dbgraph_nb.text_arrays import SCRATCH, Segments, segmented, written
from dbgraph_nb.text_reference import TermBatch

_CHUNK_TEXTS = 4096
_CHUNK_CODES = 1 << 17  # a longer chunk is halved, a longer single text is not


def _chunks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(texts), _CHUNK_TEXTS):
        yield from _halved(texts[first : first + _CHUNK_TEXTS])


def _halved(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    if len(texts) == 1 or sum(map(len, texts)) <= _CHUNK_CODES:
        yield texts
    else:
        yield from _halved(texts[: len(texts) // 2])
        yield from _halved(texts[len(texts) // 2 :])


def tokenize(text: str, index: bool) -> Tokens:
    """See ``text_reference.tokenize``."""
    found = segmented([text], index)
    if found.spans == 0:
        return Tokens(())
    words = written(found.chars, found.start, found.end, found.spans, found.doc_spans, 1).split(" ")
    kinds = found.kind[: found.spans].tobytes()
    joined = len(words) - kinds.count(kernel.VARIANT)
    tokens = joined - kinds.count(kernel.JOINED)
    return Tokens(tuple(words[:tokens]), tuple(words[tokens:joined]), tuple(words[joined:]))


def streams(texts: Sequence[str], index: bool) -> list[str]:
    """See ``text_reference.streams``."""
    result: list[str] = []
    for chunk in _chunks(texts):
        found = segmented(chunk, index)
        whole = written(found.chars, found.start, found.end, found.spans, found.doc_spans, found.docs)
        result += whole.split("\n")
    return result


def keys(texts: Sequence[str]) -> list[str]:
    """See ``text_reference.keys``."""
    result: list[str] = []
    for chunk in _chunks(texts):
        found = segmented(chunk, False)
        each = np.arange(found.docs + 1, dtype=np.int32)
        result += written(found.chars, found.key_start, found.key_end, found.docs, each, found.docs).split("\n")
    return result


class _Vocabulary:
    """The terms met so far and the entries counted for them, in arrays that grow between chunks."""

    def __init__(self) -> None:
        self.terms = self.entries = 0
        self.slots = np.full(1024, -1, np.int32)
        self.chars = np.empty(0, np.int32)
        self.start = np.zeros(1, np.int32)
        self.hash = np.empty(0, np.int64)
        self.last_entry = np.empty(0, np.int32)
        self.term, self.doc, self.count = (np.empty(0, np.int32) for _ in range(3))
        self.kind = np.empty(0, np.uint8)

    def reserve(self, found: Segments) -> None:
        """Make room for all spans of ``found`` being new terms and new entries."""
        terms = self.terms + found.spans
        letters = int((found.end[: found.spans] - found.start[: found.spans]).sum(dtype=np.int64))
        self.chars = _grown(self.chars, int(self.start[self.terms]) + letters)
        self.start, self.hash = _grown(self.start, terms + 1), _grown(self.hash, terms)
        self.last_entry = _grown(self.last_entry, terms * term_kernel.KINDS, fill=-1)
        entries = self.entries + found.spans
        self.term, self.doc, self.count = (_grown(a, entries) for a in (self.term, self.doc, self.count))
        self.kind = _grown(self.kind, entries)
        if self.slots.size < 2 * terms:
            self.slots = np.full(1 << (2 * terms).bit_length(), -1, np.int32)
            term_kernel.rehash(self.hash, self.terms, self.slots)

    def add(self, found: Segments, first_doc: int) -> None:
        """Count the spans of ``found``, whose first text is number ``first_doc``."""
        self.reserve(found)
        ids = SCRATCH.take("ids", found.spans)
        self.terms = term_kernel.intern(
            found.chars,
            found.start,
            found.end,
            found.spans,
            self.slots,
            self.chars,
            self.start,
            self.hash,
            self.terms,
            ids,
        )
        self.entries = term_kernel.count(
            ids,
            found.kind,
            found.doc_spans,
            found.docs,
            first_doc,
            self.last_entry,
            self.term,
            self.doc,
            self.kind,
            self.count,
            self.entries,
        )

    def batch(self) -> TermBatch:
        """All entries, with the vocabulary sorted."""
        terms, entries = self.terms, self.entries
        order, scratch, rank = (np.empty(terms, np.int32) for _ in range(3))
        term_kernel.sort_terms(self.chars, self.start, terms, order, scratch)
        rank[order] = np.arange(terms, dtype=np.int32)
        first, last = self.start[order], self.start[order + 1]
        each = np.arange(terms + 1, dtype=np.int32)
        vocabulary = written(self.chars, first, last, terms, each, terms).split("\n") if terms else []
        term, doc, count = (np.empty(entries, np.int32) for _ in range(3))
        kind = np.empty(entries, np.uint8)
        term_kernel.order_entries(
            self.term,
            self.doc,
            self.kind,
            self.count,
            entries,
            rank,
            terms,
            np.empty(terms + 1, np.int32),
            term,
            doc,
            kind,
            count,
        )
        # A TermBatch holds sequences of int, whatever their type; arrays are such, though not by declaration.
        given: Any = (doc, term, kind, count)
        return TermBatch(vocabulary, *given)


def _grown(array: npt.NDArray[Any], size: int, fill: int | None = None) -> npt.NDArray[Any]:
    if array.size >= size:
        return array
    larger = np.empty(max(size, 2 * array.size), array.dtype)
    larger[: array.size] = array
    if fill is not None:
        larger[array.size :] = fill
    return larger


def term_batch(texts: Sequence[str], key_docs: Sequence[bool] | None) -> TermBatch:
    """See ``text_reference.term_batch``; the sequences are int32 arrays, ``kind`` uint8."""
    named = np.zeros(len(texts), np.uint8) if key_docs is None else np.asarray(key_docs, np.bool_).view(np.uint8)
    vocabulary, first = _Vocabulary(), 0
    for chunk in _chunks(texts):
        keyed = np.ascontiguousarray(named[first : first + len(chunk)])
        vocabulary.add(segmented(chunk, True, keyed), first)
        first += len(chunk)
    return vocabulary.batch()
