"""How a SQLite file is opened without ever writing or creating one, also beside it.

In: a path. Out: a locked connection that only reads. Never: a new file. SQLite itself would create ``-wal`` and
``-shm`` beside a database in WAL mode even for a reader, so one that nobody is writing to is opened as immutable; then
the file's stamp shows whether somebody wrote meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dbgraph_nb.engines.interruptible import Stop
from dbgraph_nb.engines.sqlite_errors import missing_file
from dbgraph_nb.engines.sqlite_lock import lock
from dbgraph_nb.errors import ConnectionFailed

Stamp = tuple[int, int, int, int, bool]

_BUSY_SECONDS = 0.1  # inside one call of SQLite, where nothing can interrupt it; the engine tries again
_OPERATIONS = 20_000  # of SQLite's virtual machine between two looks at the stop
_MAGIC = b"SQLite format 3\0"
_WAL_VERSION = 2
_SHOWN = 300  # characters of a path
# NONBLOCK: a pipe that took the file's place since it was looked at must not hold us up.
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)

_headers: dict[tuple[int, int], int] = {}


@dataclass(slots=True, eq=False)
class OpenFile:
    """A connection and what was true of the file when it was opened."""

    connection: sqlite3.Connection
    stamp: Stamp
    immutable: bool
    stop: Stop  # of the statement that runs on it; the progress handler looks at it

    def is_current(self, path: str) -> bool:
        """Whether the connection still shows the file at ``path`` as it is now.

        Raises:
            ConnectionFailed: there is no file any more.
        """
        now = stamp_of(path)
        return now == self.stamp if self.immutable else now[:2] == self.stamp[:2]


def stamp_of(path: str) -> Stamp:
    """Device, inode, size and time of the file, and whether changes are kept beside it.

    Raises:
        ConnectionFailed: no such file, a folder, a pipe or a device, or nothing we may look at.
    """
    try:
        state = Path(path).stat()
        real = Path(path).resolve()
        beside = [_state(f"{real}{suffix}") for suffix in ("-wal", "-journal")]
    except (FileNotFoundError, NotADirectoryError):
        problem = missing_file(path)
    except OSError as error:
        problem = _unreadable(path, (error.strerror or "it cannot be looked at").lower())
    else:
        if stat.S_ISDIR(state.st_mode):
            raise _unreadable(path, "it is a folder")
        # A pipe would be waited for without end, and a device may give bytes without end.
        if not stat.S_ISREG(state.st_mode):
            raise _unreadable(path, "it is no regular file")
        if any(one is not None and not stat.S_ISREG(one.st_mode) for one in beside):
            raise _unreadable(path, "its -wal or -journal is no regular file")
        pending = any(one is not None and one.st_size > 0 for one in beside)
        return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, pending
    raise problem


def open_file(path: str, stop: Stop) -> OpenFile:
    """Opens the file read-only and locks the connection.

    Raises:
        ConnectionFailed: no such file, or one that cannot be read.
        sqlite3.Error: what SQLite says about it.
    """
    stamp = stamp_of(path)
    immutable = _in_wal_mode(path, stamp) and not stamp[4]
    uri = f"{Path(path).absolute().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=0
    )
    opened = OpenFile(connection, stamp, immutable, stop)
    try:
        connection.execute("PRAGMA schema_version").fetchone()  # the first real look at the file
        lock(connection)
        connection.set_progress_handler(_handler(opened), _OPERATIONS)
    except BaseException:
        connection.close()
        raise
    return opened


def _handler(opened: OpenFile) -> Callable[[], bool]:
    return lambda: bool(opened.stop)


def _state(path: str) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except FileNotFoundError:
        return None


def _unreadable(path: str, reason: str) -> ConnectionFailed:
    return ConnectionFailed(
        f"The file {path if len(path) <= _SHOWN else path[:_SHOWN] + '…'} cannot be opened: {reason}.",
        code="file-not-readable",
        hint="Check the path and its permissions.",
    )


def _in_wal_mode(path: str, stamp: Stamp) -> bool:
    """Reads the version bytes of the file's header.

    On POSIX, closing any descriptor of a file drops every lock that the process holds on it, also those of another
    SQLite connection of the user in this process. So the descriptor stays open, one for each file.
    """
    key = stamp[:2]
    for gone in [k for k, kept in _headers.items() if os.fstat(kept).st_nlink == 0]:  # deleted files: free their space
        os.close(_headers.pop(gone))
    descriptor = _headers.get(key)
    try:
        if descriptor is None:
            descriptor = os.open(path, os.O_RDONLY | _FLAGS)
        if sys.platform == "win32":
            header = os.read(descriptor, 20)
            os.close(descriptor)
        else:
            _headers[key] = descriptor
            header = os.pread(descriptor, 20, 0)
    except OSError as error:
        problem = _unreadable(path, (error.strerror or "it cannot be read").lower())
    else:
        return header.startswith(_MAGIC) and header[18:20] == bytes([_WAL_VERSION, _WAL_VERSION])
    raise problem
