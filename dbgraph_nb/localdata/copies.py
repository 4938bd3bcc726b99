"""Private copies of files that no engine can read as they are: texts in another encoding than UTF-8, and databases.

In: proven files. Out: the path of each, or of its copy in UTF-8, and the first bytes. Never: a copy that stays, or that
somebody else may read.

DuckDB opens a database by its real name, whatever path it is given, and a log beside it. Both could be swapped for
something outside after they were proven, so what it gets is a copy of what was proven.
"""

from __future__ import annotations

import gzip
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from dbgraph_nb import workspace
from dbgraph_nb.engines import temporary
from dbgraph_nb.errors import ConnectionFailed, QueryFailed
from dbgraph_nb.localdata.encoding import Encoding, detect, named, to_utf8
from dbgraph_nb.localdata.formats import FORMATS
from dbgraph_nb.workspace import ProvenFile

try:
    import fcntl
except ImportError:  # Windows, whose own sharing rules refuse to open it
    _OPEN_FILE_LOCKS = False
else:
    _OPEN_FILE_LOCKS = hasattr(fcntl, "F_OFD_SETLK")

_HEAD = 256 * 1024  # bytes that decide about the encoding
_PIECE = 16 * 1024 * 1024
_LOG = ".wal"
SMALL = 16 * 1024 * 1024  # bytes of a text that is looked at as a whole
MOST_BYTES = 4 * 1024**3  # of a database that is copied


@dataclass(frozen=True, slots=True)
class Readable:
    """A text as an engine can read it.

    Attributes:
        path: the file, or its copy.
        suffix: its ending; that of a copy is without compression.
        head: its first bytes, in UTF-8.
        encoding: what it was written in.
        source: opens its bytes, in UTF-8 and without compression.
        size: of these; of compressed ones at least.
    """

    path: str
    suffix: str
    head: bytes
    encoding: Encoding
    source: Callable[[], AbstractContextManager[BinaryIO]]
    size: int

    @property
    def is_head(self) -> bool:
        """Whether the first bytes are all."""
        return self.size <= len(self.head)

    @property
    def small(self) -> bool:
        """Whether all of it may be looked at."""
        return self.size <= SMALL


class Copies:
    """A private folder for copies, made when the first is needed."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop
        self._folder: Path | None = None

    def readable(self, file: ProvenFile, encoding: str | None) -> Readable:
        """The file itself where it is UTF-8, else a copy.

        Raises:
            BadArgument: there is no such encoding (code ``unknown-encoding``).
            QueryFailed: it is not valid in its encoding (code ``bad-encoding``), or is no such compressed file
                (``file-not-understood``).
        """
        with _opened(file) as source:
            head = source.read(_HEAD)
            found = named(encoding) if encoding else _detected(file, head)
            if found.codec == "utf-8" and found.sure:
                size = _size(file, head)
                return Readable(file.engine_path, file.suffix, head, found, lambda: _opened(file), size)
        with _opened(file) as source:
            path = self._place()
            problem: QueryFailed | None = None
            try:
                with path.open("wb") as target:
                    to_utf8(source, target, found, self._stop)
            except QueryFailed as error:
                problem = QueryFailed(f"{file.shown}: {error.message}", code=error.code, hint=error.hint)
        if problem is not None:
            raise problem
        with path.open("rb") as copy:
            start = copy.read(_HEAD)
        ending = file.suffix.removesuffix(".gz").removesuffix(".zst")
        return Readable(str(path), ending, start, found, lambda: path.open("rb"), path.stat().st_size)

    def database(self, root: Path, file: ProvenFile) -> str:
        """The path of a copy of a database, with the log beside it if there is one.

        Raises:
            PathRefused: the log is something else than a file of the workspace.
            QueryFailed: it is larger than 4 GB (code ``database-too-large``).
            ConnectionFailed: somebody has it open for writing (code ``database-locked``).
        """
        if file.size > MOST_BYTES:
            raise QueryFailed(
                f"{file.shown} is larger than {MOST_BYTES // 1024**3} GB, more than is copied for a statement.",
                code="database-too-large",
                hint="Connect to it instead: %dbgraph connect NAME duckdb:///FILE.",
            )
        path = self._place(".duckdb")
        with _shared(file):
            self._copy(file, path)
            name = f"{file.shown}{_LOG}"
            if os.path.lexists(f"{file.path}{_LOG}"):
                with workspace.prove(root, name, suffixes=frozenset({_LOG})) as log:
                    self._copy(log, Path(f"{path}{_LOG}"))
        return str(path)

    def _copy(self, file: ProvenFile, path: Path) -> None:
        own = os.dup(file.fd)
        os.lseek(own, 0, os.SEEK_SET)
        with os.fdopen(own, "rb") as source, path.open("xb") as target:
            while piece := source.read(_PIECE):
                self._stop()
                target.write(piece)

    def _place(self, ending: str = ".txt") -> Path:
        if self._folder is None:
            self._folder = temporary.folder()
        return self._folder / f"{len(list(self._folder.iterdir()))}{ending}"

    def close(self) -> None:
        """Removes them."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _size(file: ProvenFile, head: bytes) -> int:
    """The bytes of a text; of a compressed one only whether they are few, since more need not be unpacked to know."""
    if not FORMATS[file.suffix].compression:
        return file.size
    if len(head) < _HEAD:
        return len(head)
    size = 0
    with _opened(file) as source:
        while size <= SMALL and (piece := source.read(_PIECE // 16)):
            size += len(piece)
    return size


def _detected(file: ProvenFile, head: bytes) -> Encoding:
    try:
        return detect(head, whole=len(head) < _HEAD)
    except QueryFailed as error:
        problem = QueryFailed(f"{file.shown}: {error.message}", code=error.code, hint=error.hint)
    raise problem


@contextmanager
def _shared(file: ProvenFile) -> Iterator[None]:
    """While nobody writes: a lock that conflicts with that of a writing DuckDB, also one in this process.

    It belongs to the open file, not to the process, so taking and dropping it leaves the locks of others alone.
    """
    if not _OPEN_FILE_LOCKS:
        yield
        return
    try:
        fcntl.fcntl(file.fd, fcntl.F_OFD_SETLK, _flock(fcntl.F_RDLCK))
    except OSError:
        file.leave_open()  # the writer may be this process
        raise ConnectionFailed(
            f"The file {file.shown} is open for writing.",
            code="database-locked",
            hint="Close that connection, or copy the file.",
        ) from None
    try:
        yield
    finally:
        fcntl.fcntl(file.fd, fcntl.F_OFD_SETLK, _flock(fcntl.F_UNLCK))


def _flock(kind: int) -> bytes:
    """``struct flock`` of fcntl(2), over the whole file."""
    return struct.pack("hhqqi", kind, os.SEEK_SET, 0, 0, 0)


@contextmanager
def _opened(file: ProvenFile) -> Iterator[BinaryIO]:
    """The bytes of a proven file from their start, without compression."""
    own = os.dup(file.fd)
    os.lseek(own, 0, os.SEEK_SET)
    with os.fdopen(own, "rb") as raw:
        try:
            yield _plain(raw, FORMATS[file.suffix].compression)
        except (EOFError, gzip.BadGzipFile, _zstd_error()):
            problem = QueryFailed(
                f"{file.shown} is not the compressed file that its name says it is, or it is cut.",
                code="file-not-understood",
                hint="Check whether it is complete.",
            )
        else:
            return
    raise problem


def _plain(raw: BinaryIO, compression: str) -> BinaryIO:
    if compression == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if compression == "zstd":
        import zstandard

        return cast(BinaryIO, zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True))
    return raw


def _zstd_error() -> type[Exception]:
    import zstandard

    return zstandard.ZstdError
