"""Spans → term ids, counts per text, and the order of the terms.

In: spans of folded code points (from ``segment``) and a growing vocabulary. Out: ids, entries, ranks. Never: a
string, an allocation, an exception; arrays that are too short are the caller's fault.

The vocabulary: term ``t`` is ``vocab_chars[vocab_start[t] : vocab_start[t + 1]]`` with the hash ``vocab_hash[t]``;
``slots`` is the open-addressed hash table of ids (-1: free), its length a power of two and at least twice the terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbgraph_nb.kernels._jit import helper, kernel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Int32s = npt.NDArray[np.int32]
    Int64s = npt.NDArray[np.int64]
    Bytes = npt.NDArray[np.uint8]

KINDS = 5
# FNV-1a's numbers; 32 bits kept in 64, so that no product overflows (numpy would warn without the compiler).
_BASIS = 2166136261
_PRIME = 16777619
_MASK = 0xFFFFFFFF
_INSERTION = 12  # runs up to this length are sorted by insertion


@kernel("int64(int64[::1], int64, int32[::1])")
def rehash(vocab_hash: Int64s, terms: int, slots: Int32s) -> int:
    """Put the first ``terms`` ids into ``slots``, which holds -1 everywhere; returns ``terms``. O(terms)."""
    mask = slots.size - 1
    for term in range(terms):
        slot = vocab_hash[term] & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = term
    return terms


@kernel(
    "int64(int32[::1], int32[::1], int32[::1], int64,"
    " int32[::1], int32[::1], int32[::1], int64[::1], int64, int32[::1])"
)
def intern(
    chars: Int32s,
    span_start: Int32s,
    span_end: Int32s,
    spans: int,
    slots: Int32s,
    vocab_chars: Int32s,
    vocab_start: Int32s,
    vocab_hash: Int64s,
    terms: int,
    ids: Int32s,
) -> int:
    """Give every span the id of its term; a new term gets the next id. Expected O(code points of the spans).

    Args:
        slots, vocab_*: the vocabulary, extended in place; room for all spans being new is needed.
        terms: how many terms it has; ``vocab_start[terms]`` is set. ids: out, one per span.

    Returns:
        How many terms it has now.
    """
    mask = slots.size - 1
    for s in range(spans):
        first = span_start[s]
        length = span_end[s] - first
        value = _BASIS
        for k in range(first, first + length):
            value = ((value ^ int(chars[k])) * _PRIME) & _MASK
        value ^= value >> 15
        slot = value & mask
        while True:
            term = slots[slot]
            if term < 0:
                break
            begin = vocab_start[term]
            if vocab_hash[term] == value and vocab_start[term + 1] - begin == length:
                k = 0
                while k < length and vocab_chars[begin + k] == chars[first + k]:
                    k += 1
                if k == length:
                    break
            slot = (slot + 1) & mask
        if term < 0:
            term = terms
            slots[slot] = term
            begin = vocab_start[term]
            for k in range(length):
                vocab_chars[begin + k] = chars[first + k]
            vocab_start[term + 1] = begin + length
            vocab_hash[term] = value
            terms += 1
        ids[s] = term
    return terms


@kernel(
    "int64(int32[::1], uint8[::1], int32[::1], int64, int64, int32[::1],"
    " int32[::1], int32[::1], uint8[::1], int32[::1], int64)"
)
def count(
    ids: Int32s,
    span_kind: Bytes,
    doc_spans: Int32s,
    docs: int,
    first_doc: int,
    last_entry: Int32s,
    entry_term: Int32s,
    entry_doc: Int32s,
    entry_kind: Bytes,
    entry_count: Int32s,
    entries: int,
) -> int:
    """Count the spans per (term, text, kind). O(spans).

    Args:
        ids, span_kind, doc_spans, docs: the batch; its text ``d`` is ``first_doc + d`` in the entries.
        last_entry: per id and kind (id * 5 + kind) its latest entry, -1 for none; kept between batches.
        entry_*: out, appended from ``entries`` on, ordered by (text, kind); one per span is always enough.

    Returns:
        The number of entries.
    """
    for d in range(docs):
        doc = first_doc + d
        for kind in range(KINDS):
            for s in range(doc_spans[d], doc_spans[d + 1]):
                if span_kind[s] != kind:
                    continue
                slot = ids[s] * KINDS + kind
                entry = last_entry[slot]
                if entry >= 0 and entry_doc[entry] == doc:
                    entry_count[entry] += 1
                    continue
                last_entry[slot] = entries
                entry_term[entries] = ids[s]
                entry_doc[entries] = doc
                entry_kind[entries] = kind
                entry_count[entries] = 1
                entries += 1
    return entries


@helper
def _precedes(vocab_chars: Int32s, vocab_start: Int32s, a: int, b: int) -> bool:
    """Whether term ``a`` comes before term ``b`` by code points."""
    i, j = vocab_start[a], vocab_start[b]
    i_end, j_end = vocab_start[a + 1], vocab_start[b + 1]
    while i < i_end and j < j_end:
        if vocab_chars[i] != vocab_chars[j]:
            return bool(vocab_chars[i] < vocab_chars[j])
        i += 1
        j += 1
    return bool(i == i_end and j < j_end)


@kernel("int64(int32[::1], int32[::1], int64, int32[::1], int32[::1])")
def sort_terms(vocab_chars: Int32s, vocab_start: Int32s, terms: int, order: Int32s, scratch: Int32s) -> int:
    """Fill ``order`` with the ids in code point order of their terms; returns ``terms``. O(terms log terms).

    Merges upwards from short pieces sorted by insertion; ``order`` and ``scratch`` hold ``terms`` each.
    """
    for low in range(0, terms, _INSERTION):
        for i in range(low, min(low + _INSERTION, terms)):
            j = i
            while j > low and _precedes(vocab_chars, vocab_start, i, order[j - 1]):
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
    width = _INSERTION
    while width < terms:
        for low in range(0, terms, 2 * width):
            middle, high = min(low + width, terms), min(low + 2 * width, terms)
            i, j = low, middle
            for k in range(low, high):
                right = j < high and (i == middle or _precedes(vocab_chars, vocab_start, order[j], order[i]))
                if right:
                    scratch[k] = order[j]
                    j += 1
                else:
                    scratch[k] = order[i]
                    i += 1
        for k in range(terms):
            order[k] = scratch[k]
        width *= 2
    return terms


@kernel(
    "int64(int32[::1], int32[::1], uint8[::1], int32[::1], int64, int32[::1], int64, int32[::1],"
    " int32[::1], int32[::1], uint8[::1], int32[::1])"
)
def order_entries(
    entry_term: Int32s,
    entry_doc: Int32s,
    entry_kind: Bytes,
    entry_count: Int32s,
    entries: int,
    rank: Int32s,
    terms: int,
    place: Int32s,
    term: Int32s,
    doc: Int32s,
    kind: Bytes,
    counted: Int32s,
) -> int:
    """Order entries that are in order of (text, kind) by (rank of the term, text, kind). O(entries + terms).

    Args:
        rank: per id its position in the sorted vocabulary. place: scratch, terms + 1.
        term, doc, kind, counted: out, ``entries`` each; ``term`` holds ranks.

    Returns:
        ``entries``.
    """
    for t in range(terms + 1):
        place[t] = 0
    for e in range(entries):
        place[rank[entry_term[e]] + 1] += 1
    for t in range(terms):
        place[t + 1] += place[t]
    for e in range(entries):
        ranked = rank[entry_term[e]]
        at = place[ranked]
        place[ranked] += 1
        term[at] = ranked
        doc[at] = entry_doc[e]
        kind[at] = entry_kind[e]
        counted[at] = entry_count[e]
    return entries
