"""Code points → token spans: case, number and script borders, CJK pairs; spans → joined text.

In: the code points of a batch of texts, one after the other, and the character tables. Out: spans into an array of
folded code points, and streams of them. Never: a string, an allocation, an exception; arrays that are too short are
the caller's fault (the sizes needed are said below). A long file, since a kernel calls only its own file's functions.

The character table ``info`` has an int32 entry per code point: the folded code point (bits 0-20; with MULTI a row of
``expansions``: length, then up to three code points), flags, and on top the class, so that whole entries compare
like their classes. 0 is an entry not filled in yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbgraph_nb.kernels._jit import helper, kernel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Int32s = npt.NDArray[np.int32]
    Bytes = npt.NDArray[np.uint8]

CODE = (1 << 21) - 1
MULTI = 1 << 21
COMPLEX = 1 << 22  # a text with this character is normalized by the caller first
TRADITIONAL = 1 << 23
CLASS_SHIFT = 27

# The classes, ordered so that one comparison tells: SEPARATOR or more stays as it is, CJK or more is part of a run,
# DIGIT or more of an alphabetic run, UPPER or more has case, LOWER or more is small.
DROPPED, MARK, SEPARATOR, APOSTROPHE, CJK, DIGIT, OTHER, UPPER, UPPER_S, LOWER, LOWER_S = range(1, 12)
_ANY_CJK, _ANY_DIGIT, _ANY_OTHER = CJK << CLASS_SHIFT, DIGIT << CLASS_SHIFT, OTHER << CLASS_SHIFT
_ANY_UPPER, _ANY_LOWER = UPPER << CLASS_SHIFT, LOWER << CLASS_SHIFT
_END = SEPARATOR << CLASS_SHIFT
_WITHOUT_CLASS = (1 << CLASS_SHIFT) - 1

TOKEN, JOINED, VARIANT, UNIGRAM, KEY = range(5)

SPACE, NEWLINE = 32, 10


@kernel("int64(int32[::1], int32[::1], int64, int32[::1], int32[::1], int32[::1], uint8[::1])")
def classify(
    codes: Int32s, starts: Int32s, docs: int, info: Int32s, entries: Int32s, entry_starts: Int32s, complex_docs: Bytes
) -> int:
    """Look every character up, without those that are dropped. O(code points).

    Args:
        codes: the code points of all texts. starts: docs + 1 offsets of the texts in it.
        entries: out, the table's entries, after each text two separators; as long as ``codes`` + 2 per text.
        entry_starts: out, docs + 1 offsets of the texts in ``entries``.
        complex_docs: out, 1 for a text that has to be normalized by the caller first, else 0.

    Returns:
        The first code point that ``info`` does not know yet (then nothing that was filled in counts), or -1.
    """
    n = 0
    for doc in range(docs):
        entry_starts[doc] = n
        flags = 0
        for i in range(starts[doc], starts[doc + 1]):
            entry = info[codes[i]]
            flags |= entry
            if entry < _END:
                if entry == 0:
                    return int(codes[i])
                if entry >> CLASS_SHIFT == DROPPED:
                    continue
                # A mark that is kept belongs to the letter before it, and has its class.
                before = entries[n - 1] if n > entry_starts[doc] else _END
                entry = before >> CLASS_SHIFT << CLASS_SHIFT | (entry & _WITHOUT_CLASS)
            entries[n] = entry
            n += 1
        entries[n] = entries[n + 1] = _END
        n += 2
        complex_docs[doc] = 1 if flags & COMPLEX else 0
    entry_starts[docs] = n
    return -1


@helper
def _begins_word(entries: Int32s, i: int) -> bool:
    """Whether the second of two capitals begins a word: a small letter follows, but IDs and URLs are no word."""
    after = entries[i + 1]
    if after >> CLASS_SHIFT == LOWER_S:
        return bool(entries[i + 2] >= _ANY_LOWER)
    return bool(after >= _ANY_LOWER)


@helper
def _is_possessive(entries: Int32s, first: int, i: int) -> bool:
    """Whether the apostrophe at ``i`` of the text from ``first`` on is that of an English 's."""
    if i == first or entries[i - 1] < _ANY_CJK:
        return False
    letter = entries[i + 1] >> CLASS_SHIFT
    return bool((letter == LOWER_S or letter == UPPER_S) and entries[i + 2] < _ANY_DIGIT)


@helper
def _fold(entry: int, expansions: Int32s, chars: Int32s, at: int) -> int:
    """Write the folded form of one character to ``chars`` at ``at``; returns where the next goes."""
    if not entry & MULTI:
        chars[at] = entry & CODE
        return at + 1
    row = entry & CODE
    for k in range(expansions[row, 0]):
        chars[at + k] = expansions[row, 1 + k]
    return at + int(expansions[row, 0])


@helper
def _split(
    entries: Int32s,
    i: int,
    expansions: Int32s,
    chars: Int32s,
    at: int,
    span_start: Int32s,
    span_end: Int32s,
    span_kind: Bytes,
    spans: int,
) -> tuple[int, int, int]:
    """Fold the alphabetic run at ``i`` and cut it at its borders; returns the next ``i``, ``at`` and ``spans``."""
    before = here = entries[i]
    span_start[spans] = at
    while here >= _ANY_DIGIT:
        if here >= _ANY_LOWER or (here >= _ANY_OTHER and here < _ANY_UPPER):
            border = before < _ANY_OTHER
        elif here < _ANY_OTHER:
            border = before >= _ANY_OTHER
        else:
            border = before >= _ANY_LOWER or before < _ANY_OTHER or (before >= _ANY_UPPER and _begins_word(entries, i))
        if border and at > span_start[spans]:
            span_end[spans] = at
            span_kind[spans] = TOKEN
            spans += 1
            span_start[spans] = at
        at = _fold(here, expansions, chars, at)
        before = here
        i += 1
        here = entries[i]
    span_end[spans] = at
    span_kind[spans] = TOKEN
    return i, at, spans + 1


@helper
def _pair(
    run: int, at: int, index_mode: int, span_start: Int32s, span_end: Int32s, span_kind: Bytes, spans: int
) -> int:
    """Cut the CJK run from ``run`` to ``at`` into pairs, and in index mode single characters; returns ``spans``."""
    if at - run == 1:
        span_start[spans] = run
        span_end[spans] = at
        span_kind[spans] = TOKEN
        return spans + 1
    for k in range(run, at - 1):
        span_start[spans] = k
        span_end[spans] = k + 2
        span_kind[spans] = TOKEN
        spans += 1
    if index_mode:
        for k in range(run, at):
            span_start[spans] = k
            span_end[spans] = k + 1
            span_kind[spans] = UNIGRAM
            spans += 1
    return spans


@helper
def _vary(
    simplified: Int32s,
    chars: Int32s,
    at: int,
    span_start: Int32s,
    span_end: Int32s,
    span_kind: Bytes,
    first: int,
    last: int,
    spans: int,
) -> tuple[int, int]:
    """Add the simplified forms of the spans from ``first`` to before ``last``; returns ``at`` and ``spans``."""
    for s in range(first, last):
        differs = False
        for k in range(span_start[s], span_end[s]):
            differs |= simplified[chars[k]] != 0
        if not differs:
            continue
        span_start[spans] = at
        for k in range(span_start[s], span_end[s]):
            other = simplified[chars[k]]
            chars[at] = other if other != 0 else chars[k]
            at += 1
        span_end[spans] = at
        span_kind[spans] = VARIANT
        spans += 1
    return at, spans


@kernel(
    "int64(int32[::1], int32[::1], int64, int32[:,::1], int32[::1], int64, uint8[::1], int32[::1],"
    " int32[::1], int32[::1], int32[::1], uint8[::1], int32[::1], int32[::1], int32[::1])"
)
def segment(
    entries: Int32s,
    entry_starts: Int32s,
    docs: int,
    expansions: Int32s,
    simplified: Int32s,
    index_mode: int,
    keyed: Bytes,
    joins: Int32s,
    chars: Int32s,
    span_start: Int32s,
    span_end: Int32s,
    span_kind: Bytes,
    doc_spans: Int32s,
    key_start: Int32s,
    key_end: Int32s,
) -> int:
    """Cut every text into spans of folded code points. O(code points). One loop over all the rules, so it is long.

    Args:
        entries, entry_starts, docs: from ``classify``, no text complex.
        simplified: per code point its simplified form, 0 for none.
        index_mode: 1 adds each character of a CJK run of two or more. keyed: 1 adds the text's whole-name key.
        joins: scratch, as long as the longest text + 2.
        chars: out, the folded code points; 4 per code point are always enough.
        span_start, span_end, span_kind: out, spans of ``chars``: a text's tokens in reading order, then its joined
            forms, variants, and key; 4 per code point and 1 per text are always enough.
        doc_spans: out, docs + 1 offsets of the texts in the spans.
        key_start, key_end: out, per text the span of its own folded code points, without any separator.

    Returns:
        The number of spans.
    """
    at = spans = 0
    for doc in range(docs):
        doc_spans[doc] = spans
        key_start[doc] = at
        joined = flags = 0
        i = first = entry_starts[doc]
        last = entry_starts[doc + 1] - 2
        while i < last:
            entry = entries[i]
            run, own = at, spans
            if entry >= _ANY_DIGIT:
                i, at, spans = _split(entries, i, expansions, chars, at, span_start, span_end, span_kind, spans)
                if spans - own > 1:
                    joins[joined] = run
                    joins[joined + 1] = at
                    joined += 2
            elif entry >= _ANY_CJK:
                while entry >> CLASS_SHIFT == CJK:
                    flags |= entry
                    chars[at] = entry & CODE
                    at += 1
                    i += 1
                    entry = entries[i]
                spans = _pair(run, at, index_mode, span_start, span_end, span_kind, spans)
            elif entry >> CLASS_SHIFT == APOSTROPHE and _is_possessive(entries, first, i):
                i += 2
            else:
                i += 1
        key_end[doc] = at
        tokens = spans
        for k in range(0, joined, 2):
            span_start[spans] = joins[k]
            span_end[spans] = joins[k + 1]
            span_kind[spans] = JOINED
            spans += 1
        if flags & TRADITIONAL:
            own = doc_spans[doc]
            at, spans = _vary(simplified, chars, at, span_start, span_end, span_kind, own, tokens, spans)
        if keyed[doc] and key_end[doc] > key_start[doc]:
            span_start[spans] = key_start[doc]
            span_end[spans] = key_end[doc]
            span_kind[spans] = KEY
            spans += 1
    doc_spans[docs] = spans
    return spans


@kernel("int64(int32[::1], int32[::1], int32[::1], int32[::1], int64, int32[::1])")
def write_streams(
    chars: Int32s, span_start: Int32s, span_end: Int32s, doc_spans: Int32s, docs: int, stream: Int32s
) -> int:
    """Write every text's spans with a space between, and a newline between texts. O(code points written).

    Args:
        stream: out; the lengths of all spans, one more for each span and for each text are always enough.

    Returns:
        The number of code points written.
    """
    at = 0
    for doc in range(docs):
        if doc > 0:
            stream[at] = NEWLINE
            at += 1
        for s in range(doc_spans[doc], doc_spans[doc + 1]):
            if s > doc_spans[doc]:
                stream[at] = SPACE
                at += 1
            for k in range(span_start[s], span_end[s]):
                stream[at] = chars[k]
                at += 1
    return at
