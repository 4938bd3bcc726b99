"""The lines of a log, plain or packed, one at a time, each with the place behind it.

In: an open file, a cursor. Out: lines, shortened where they are too long; the place to go on from. Never: a line whose
newline is not there yet, more than a line's limit in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from dbgraph_nb.sessionlogs.reading import Cursor, Limits, Tally
from dbgraph_nb.sessionlogs.squeeze import Squeezer
from dbgraph_nb.sessionlogs.zstd_frames import BadFrame, Frame, Frames

_PIECE: Final = 1 << 18
_PACKED: Final = (".zstd", ".zst")
_TORN = "The last record is not whole."
_LATER = "It is read when its writer has finished it."
_CHANGED = "The log is not the one that was read before."
_AGAIN = "Read it from its start."
_CUT = "Texts of the log are longer than is held at once; their ends are missing."
_RAISE = "Raise the limits of line and text."
_DAMAGED = "Bytes of the packed log are damaged; what they held is missing."
_RESTORE = "Restore the log from a copy, if there is one."


def is_packed(path: Path) -> bool:
    """Whether it is a zstd file by its name."""
    return path.suffix in _PACKED


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its newline; ``cut`` bytes of its texts are missing. ``data`` is None if it cannot be held."""

    data: bytes | None
    cut: int = 0


class Lines:
    """The lines behind a cursor.

    Attributes:
        offset, skip, check: as in ``Cursor``, behind the line that was taken last.
        changed: the file is not the one that the cursor is of.
    """

    def __init__(self, path: Path, file: BinaryIO, at: Cursor, limits: Limits, tally: Tally) -> None:
        self._path, self._file, self._limits, self._tally = path, file, limits, tally
        self.offset, self.skip, self.check = at.offset, at.skip, at.check
        self.changed = False
        self._pending: list[bytes] = []
        self._held = self._torn = 0  # bytes of a line, and of a frame, that are not whole
        self._squeezer: Squeezer | None = None

    def __iter__(self) -> Iterator[Line]:
        yield from self._packed() if is_packed(self._path) else self._plain()
        torn = self._held or self._torn
        if torn and not self.changed:
            self._tally.problem("torn-tail", self._path, _TORN, count=torn, hint=_LATER)

    def _plain(self) -> Iterator[Line]:
        base = self.offset
        self._file.seek(max(base - 1, 0))
        if base and self._file.read(1) != b"\n":
            self._not_the_same()
            return
        while piece := self._file.read(_PIECE):
            self._tally.bytes_read += len(piece)
            for line, end in self._split(piece):
                self.offset = base + end
                yield line
            base += len(piece)

    def _packed(self) -> Iterator[Line]:
        frames, skip, check, first = Frames(self._file), self.skip, self.check, self.offset
        try:
            for frame in frames.walk(first):
                self._tally.bytes_read += frame.end - frame.start
                yield from self._in_frame(frames, frame, skip, check)
                skip = 0
                if self.changed:
                    return
        except BadFrame as error:
            if error.start == first > 0:
                self._not_the_same()
            else:
                self._damaged(error, frames.file_size)
        if skip or first > frames.file_size:
            self._not_the_same()

    def _in_frame(self, frames: Frames, frame: Frame, skip: int, check: int) -> Iterator[Line]:
        behind = crc = 0  # bytes of the frame before the piece, and the CRC of all that is read of the frame
        try:
            for piece in frames.pieces(frame):
                at = min(max(skip - behind, 0), len(piece))
                crc = zlib.crc32(piece[:at], crc)
                if at and behind + at == skip and crc != check:
                    self._not_the_same()
                    return
                for line, end in self._split(piece, at):
                    crc, at = zlib.crc32(piece[at:end], crc), end
                    self.offset, self.skip, self.check = frame.start, behind + end, crc
                    yield line
                crc = zlib.crc32(piece[at:], crc)
                behind += len(piece)
        except BadFrame as error:
            self._damaged(error, frames.file_size)
            return
        self._torn = frame.torn * (frame.end - frame.start)
        if behind < skip:
            self._not_the_same()
        elif not frame.torn and not self._held:
            self.offset, self.skip, self.check = frame.end, 0, 0

    def _split(self, piece: bytes, start: int = 0) -> Iterator[tuple[Line, int]]:
        """Each line that ends in ``piece``, and its end there; what is behind the last one waits for its end."""
        while (end := piece.find(b"\n", start)) >= 0:
            yield self._line(piece[start:end]), end + 1
            start = end + 1
        if start < len(piece):
            self._hold(piece[start:])

    def _hold(self, data: bytes) -> None:
        self._held += len(data)
        if self._squeezer is None:
            self._pending.append(data)
            if self._held <= self._limits.line:
                return
            self._squeezer = Squeezer(self._limits)
            data, self._pending = b"".join(self._pending), []
        self._squeezer.feed(data)

    def _line(self, data: bytes) -> Line:
        if not self._held and len(data) <= self._limits.line:
            return Line(data)
        self._hold(data)
        squeezer, whole, length = self._squeezer, b"".join(self._pending), self._held
        self._squeezer, self._pending, self._held = None, [], 0
        if squeezer is None:
            return Line(whole)
        self._tally.blobs += squeezer.blobs
        self._tally.blob_bytes += squeezer.blob_bytes
        cut = length if squeezer.overflow else squeezer.cut
        if cut:
            self._tally.cut_records += 1
            self._tally.cut_bytes += cut
            self._tally.problem("text-cut", self._path, _CUT, count=cut, hint=_RAISE)
        return Line(None if squeezer.overflow else squeezer.result(), cut)

    def _damaged(self, error: BadFrame, file_size: int) -> None:
        lost = (error.end or file_size) - error.start
        self._tally.problem("damaged-frame", self._path, _DAMAGED, count=lost, hint=_RESTORE)
        self._squeezer, self._pending, self._held = None, [], 0
        if error.end is not None:
            self.offset, self.skip, self.check = error.end, 0, 0

    def _not_the_same(self) -> None:
        self.changed = True
        self._tally.problem("log-changed", self._path, _CHANGED, hint=_AGAIN)
