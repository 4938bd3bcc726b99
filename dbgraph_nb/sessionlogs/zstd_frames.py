"""Packed logs: the frames of a zstd file one by one, each with its place, and what they hold.

In: an open file, the place of a frame. Out: unpacked pieces. Never: a split at bytes that only look like the start of a
frame, a piece longer than a bound, a torn or damaged frame that ends the reading without a word.

A log has thousands of small frames, one for each batch of lines, and its last one may be torn. So the headers of frames
and blocks are walked (RFC 8878): that tells a torn frame from a damaged one, and where each ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

PIECE: Final = 1 << 18
_WINDOW: Final = 1 << 27  # the largest that is unpacked; the command-line tool has the same bound
_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = b"\x2a\x4d\x18"  # the magic of frames without data, behind a byte from 0x50 to 0x5f
_READ: Final = 1 << 16

if sys.version_info >= (3, 14):
    from compression import zstd

    ZstdError: Any = zstd.ZstdError

    def _unpacked(source: FramePart) -> Iterator[bytes]:
        packed = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 27})
        while not packed.eof:
            data = source.read(_READ) if packed.needs_input else b""
            if packed.needs_input and not data:
                return
            yield packed.decompress(data, PIECE)

    def _at_once(data: bytes) -> bytes:
        return zstd.decompress(data, options={zstd.DecompressionParameter.window_log_max: 27})

else:
    import zstandard

    ZstdError = zstandard.ZstdError
    _DECOMPRESSOR: Final = zstandard.ZstdDecompressor(max_window_size=_WINDOW)

    def _unpacked(source: FramePart) -> Iterator[bytes]:
        reader = _DECOMPRESSOR.stream_reader(source, read_size=_READ, closefd=False)  # type: ignore[arg-type]
        while piece := reader.read(PIECE):
            yield piece

    def _at_once(data: bytes) -> bytes:
        return _DECOMPRESSOR.decompress(data)


class BadFrame(Exception):
    """There is no frame where one must be, or what it holds does not unpack; ``end`` is its end, if that is known."""

    def __init__(self, start: int, end: int | None) -> None:
        super().__init__(f"bad frame at byte {start}")
        self.start = start
        self.end = end


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a frame is.

    Attributes:
        start, end: bytes of the file; of a torn one, ``end`` is the end of the file.
        size: of what it holds, or None where it does not say.
        torn: the file ends inside of it.
        skippable: it holds no data.
    """

    start: int
    end: int
    size: int | None
    torn: bool = False
    skippable: bool = False


class FramePart:
    """The bytes of one frame, as a file that ends where the frame does."""

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self._file, self._at, self._end = file, start, end

    def read(self, size: int = -1) -> bytes:
        """The next bytes, none at the end."""
        left = self._end - self._at
        self._file.seek(self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data


class _Torn(Exception):
    pass


class Frames:
    """The frames of a file from a place on, and their content; the file is as long as it was at first."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start, self._held = 0, b""
        self.file_size = file.seek(0, 2)

    def walk(self, start: int) -> Iterator[Frame]:
        """The frames from ``start`` to the end of the file.

        Raises:
            BadFrame: the bytes at the end of a frame, or at ``start``, are no frame's.
        """
        while start < self.file_size:
            try:
                frame = self._frame(start)
            except _Torn:
                frame = Frame(start, self.file_size, None, torn=True)
            yield frame
            start = frame.end

    def pieces(self, frame: Frame) -> Iterator[bytes]:
        """What ``frame`` holds, at most ``PIECE`` bytes at a time; of a torn one, what can be unpacked.

        Raises:
            BadFrame: it does not unpack, or its checksum is another's.
        """
        if frame.skippable:
            return
        try:
            if not frame.torn and frame.size and max(frame.size, frame.end - frame.start) <= PIECE:
                yield _at_once(self._bytes(frame.start, frame.end - frame.start))
            else:
                yield from _unpacked(FramePart(self._file, frame.start, frame.end))
        except ZstdError as error:
            raise BadFrame(frame.start, None if frame.torn else frame.end) from error

    def _bytes(self, start: int, size: int) -> bytes:
        """Those bytes, from a window that moves forward.

        Raises:
            _Torn: the file ends before.
        """
        if start + size > self.file_size:
            raise _Torn
        at = start - self._start
        if at < 0 or at + size > len(self._held):
            self._file.seek(start)
            self._held, self._start, at = self._file.read(max(size, _READ)), start, 0
        return self._held[at : at + size]

    def _frame(self, start: int) -> Frame:
        head = self._bytes(start, min(18, self.file_size - start))
        if head[0] & 0xF0 == 0x50 and head[1:4] == _SKIPPABLE[: len(head) - 1]:
            end = start + 8 + int.from_bytes(self._bytes(start, 8)[4:], "little")
            return Frame(start, self._inside(end), 0, skippable=True)
        if head[:4] != _MAGIC[: len(head)]:
            raise BadFrame(start, None)
        if len(head) < 5:
            raise _Torn
        flags = head[4]
        single, checksum = flags >> 5 & 1, flags >> 2 & 1
        at = 5 + (not single) + (0, 1, 2, 4)[flags & 3]
        width = (single, 2, 4, 8)[flags >> 6]
        size = int.from_bytes(head[at : at + width], "little") + (256 if width == 2 else 0) if width else None
        end = self._blocks(start, start + at + width) + 4 * checksum
        return Frame(start, self._inside(end), size)

    def _blocks(self, start: int, at: int) -> int:
        """The end of the blocks that start at ``at``."""
        while True:
            block = int.from_bytes(self._bytes(at, 3), "little")
            kind, size = block >> 1 & 3, block >> 3
            if kind == 3:
                raise BadFrame(start, None)
            at += 3 + (1 if kind == 1 else size)
            if block & 1:
                return at

    def _inside(self, end: int) -> int:
        if end > self.file_size:
            raise _Torn
        return end
