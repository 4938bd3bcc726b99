"""Texts ↔ arrays: the character table, the scratch arrays, and the calls of ``kernels/segment.py``.

In: lists of ``str``. Out: spans in arrays, and spans written as text again. Never imported but by ``text_kernels``:
it needs numpy and numba. Never: a rule of its own; characters come from ``text_tables``, borders from the kernel.
"""

from __future__ import annotations

import sys
import threading
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dbgraph_nb import text_tables as tables
from dbgraph_nb.kernels import segment as kernel
from dbgraph_nb.text_reference import prepared

_KEPT = 1 << 23  # scratch arrays up to this length are reused; longer ones are given back
_ENCODING = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_CLASS_CODES = {
    tables.SEPARATOR: kernel.SEPARATOR,
    tables.APOSTROPHE: kernel.APOSTROPHE,
    tables.DROPPED: kernel.DROPPED,
    tables.MARK: kernel.MARK,
    tables.CJK: kernel.CJK,
    tables.DIGIT: kernel.DIGIT,
    tables.OTHER: kernel.OTHER,
    tables.UPPER: kernel.UPPER,
    tables.UPPER_S: kernel.UPPER_S,
    tables.LOWER: kernel.LOWER,
    tables.LOWER_S: kernel.LOWER_S,
}
_COMPOSING_JAMO = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))

Int32s = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]


class Segments(NamedTuple):
    """The spans of a batch, as ``kernels/segment.py`` describes them."""

    docs: int
    spans: int
    chars: Int32s
    start: Int32s
    end: Int32s
    kind: Bytes
    doc_spans: Int32s
    key_start: Int32s
    key_end: Int32s


class CharacterTable:
    """The kernels' view of ``text_tables``: filled in pages of 256 code points as texts need them."""

    def __init__(self) -> None:
        self.info = np.zeros(sys.maxunicode + 1, np.int32)
        self.simplified = np.zeros(sys.maxunicode + 1, np.int32)
        self.expansions = np.zeros((512, 4), np.int32)
        self._rows = 0
        self._lock = threading.Lock()
        for first, last in tables.PLAIN_CJK_RANGES:
            self.info[first : last + 1] = np.arange(first, last + 1) | kernel.CJK << kernel.CLASS_SHIFT
        for code, char in tables.simplified().items():
            self.simplified[code] = ord(char)
            if self.info[code] != 0:
                self.info[code] |= kernel.TRADITIONAL
        self.load(0)

    def load(self, code: int) -> None:
        """Fill in the page that ``code`` is on."""
        with self._lock:
            for other in range(code & ~255, (code | 255) + 1):
                if self.info[other] == 0:
                    self.info[other] = self._entry(other)

    def _entry(self, code: int) -> int:
        mapped = unicodedata.normalize("NFKC", chr(code))
        if len(mapped) > 1:
            apart = all(tables.char_class(char) == tables.SEPARATOR for char in mapped)
            return kernel.SEPARATOR << kernel.CLASS_SHIFT | (0 if apart else kernel.COMPLEX)
        kind, folded = tables.char_class(mapped), tables.fold(mapped)
        entry = _CLASS_CODES[kind] << kernel.CLASS_SHIFT
        if kind == tables.MARK or any(first <= ord(mapped) <= last for first, last in _COMPOSING_JAMO):
            entry |= kernel.COMPLEX
        if folded in tables.traditional():
            entry |= kernel.TRADITIONAL
        if len(folded) == 1:
            return entry | ord(folded)
        self.expansions[self._rows, : len(folded) + 1] = [len(folded), *map(ord, folded)]
        self._rows += 1
        return entry | kernel.MULTI | self._rows - 1


class Scratch(threading.local):
    """Each thread's arrays, reused from call to call: fresh pages cost more than the kernels."""

    def __init__(self) -> None:
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def take(self, name: str, size: int, dtype: type[np.generic] = np.int32) -> npt.NDArray[Any]:
        """An array of at least ``size`` members with any content; valid until ``name`` is taken again."""
        held = self._arrays.get(name)
        if held is None or held.size < size:
            held = np.empty(max(2 * size, 1024) if size < _KEPT else size, dtype)
            if held.size <= _KEPT:
                self._arrays[name] = held
        return held


_TABLE = CharacterTable()
SCRATCH = Scratch()


def encoded(texts: Sequence[str]) -> tuple[int, Int32s, Int32s]:
    """The number of code points, the code points, and the texts' offsets in them."""
    whole = "".join(texts)
    starts = SCRATCH.take("starts", len(texts) + 1)
    starts[0] = 0
    np.cumsum(np.fromiter(map(len, texts), np.int32, len(texts)), out=starts[1 : len(texts) + 1])
    codes = SCRATCH.take("codes", len(whole))
    codes[: len(whole)] = np.frombuffer(whole.encode(_ENCODING, "surrogatepass"), np.int32)
    return len(whole), codes, starts


def classified(codes: Int32s, starts: Int32s, docs: int, size: int) -> tuple[Int32s, Int32s, Bytes]:
    """The characters' entries, the texts' offsets in them, and which texts have to be normalized first."""
    take = SCRATCH.take
    entries, entry_starts = take("entries", size + 2 * docs), take("entry_starts", docs + 1)
    complex_docs = take("complex", docs, np.uint8)
    run = kernel.classify
    while (missing := run(codes, starts, docs, _TABLE.info, entries, entry_starts, complex_docs)) >= 0:
        _TABLE.load(missing)
    return entries, entry_starts, complex_docs[:docs]


def segmented(texts: Sequence[str], index: bool, keyed: Bytes | None = None) -> Segments:
    """The spans of ``texts``; the arrays are this thread's scratch and hold until the next call."""
    docs = len(texts)
    size, codes, starts = encoded(texts)
    entries, entry_starts, complex_docs = classified(codes, starts, docs, size)
    if complex_docs.any():
        texts = list(texts)
        for doc in np.flatnonzero(complex_docs).tolist():
            texts[doc] = prepared(texts[doc])[0]
        size, codes, starts = encoded(texts)
        entries, entry_starts, _ = classified(codes, starts, docs, size)
    return cut(entries, entry_starts, docs, index, keyed)


def cut(entries: Int32s, entry_starts: Int32s, docs: int, index: bool, keyed: Bytes | None = None) -> Segments:
    """The spans of classified texts."""
    take = SCRATCH.take
    if keyed is None:
        keyed = take("keyed", docs, np.uint8)
        keyed[:docs] = 0
    room = 4 * int(entry_starts[docs])
    out = Segments(
        docs=docs,
        spans=0,
        chars=take("chars", room),
        start=take("start", room),
        end=take("end", room),
        kind=take("kind", room, np.uint8),
        doc_spans=take("doc_spans", docs + 1),
        key_start=take("key_start", docs),
        key_end=take("key_end", docs),
    )
    joins = take("joins", int(np.diff(entry_starts[: docs + 1]).max(initial=0)))
    spans = kernel.segment(
        entries,
        entry_starts,
        docs,
        _TABLE.expansions,
        _TABLE.simplified,
        int(index),
        keyed,
        joins,
        out.chars,
        out.start,
        out.end,
        out.kind,
        out.doc_spans,
        out.key_start,
        out.key_end,
    )
    return out._replace(spans=spans)


def written(chars: Int32s, start: Int32s, end: Int32s, spans: int, doc_spans: Int32s, docs: int) -> str:
    """The spans as text, a space between spans and a newline between texts."""
    size = int(end[:spans].sum(dtype=np.int64) - start[:spans].sum(dtype=np.int64)) + spans + docs
    stream = SCRATCH.take("stream", size)
    length = kernel.write_streams(chars, start, end, doc_spans, docs, stream)
    return str(stream[:length].data, _ENCODING)
