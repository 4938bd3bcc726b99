"""The engine of the last statement, for the next one over the same files.

In: what is mounted, an opened engine. Out: the engine, once. Never: one whose files changed, one that two statements
use at a time, or one that was stopped in the middle.

Cells over one file follow each other, and looking at a CSV, locking a connection and naming its views costs more than
most statements. A statement is proven twice to read only, so it leaves nothing behind that the next could see.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dbgraph_nb.localdata.mounts import Mount
from dbgraph_nb.localdata.options import CsvOptions
from dbgraph_nb.workspace import ProvenFile

if TYPE_CHECKING:
    from dbgraph_nb.localdata.opening import Opened

Key = tuple[object, ...]

_lock = threading.Lock()
_slot: tuple[Key, Opened] | None = None
_left: list[tuple[Key, Opened]] = []  # of the parent of a fork: its threads are not here, so nothing may end it


def key(mounts: Sequence[Mount], csv: CsvOptions) -> Key | None:
    """What must be the same; None if the engine cannot be kept: a frame may change."""
    if any(mount.kind in ("sheet", "frame") for mount in mounts):
        return None
    files = tuple(
        (mount.names, tuple((str(file.path), *_identity(file.fd), _log(mount, file)) for file in mount.files))
        for mount in mounts
    )
    return (os.getpid(), csv, files)


def _log(mount: Mount, file: ProvenFile) -> tuple[int, ...]:
    """The log beside a database may change while the file does not."""
    if mount.kind != "database":
        return ()
    try:
        state = os.lstat(f"{file.path}.wal")
    except OSError:
        return ()
    return (state.st_ino, state.st_size, state.st_mtime_ns)


def _identity(fd: int) -> tuple[int, ...]:
    state = os.fstat(fd)
    return (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def take(wanted: Key | None) -> Opened | None:
    """The kept engine if it is of the same files; another one is closed."""
    global _slot
    if wanted is None:
        return None
    with _lock:
        found, _slot = _slot, None
    if found is None:
        return None
    if found[0][0] != os.getpid():
        _left.append(found)
        return None
    if found[0] == wanted:
        return found[1]
    found[1].close()
    return None


def give_back(own: Key | None, opened: Opened) -> None:
    """Keeps the engine for the next statement; without a key it is closed."""
    global _slot
    if own is None:
        opened.close()
        return
    with _lock:
        before, _slot = _slot, (own, opened)
    if before is not None:
        _end(before)


def _end(found: tuple[Key, Opened]) -> None:
    if found[0][0] == os.getpid():
        found[1].close()
    else:
        _left.append(found)


def drop() -> None:
    """Closes the kept engine; for the end of the process, and tests."""
    global _slot
    with _lock:
        found, _slot = _slot, None
    if found is not None:
        _end(found)


atexit.register(drop)
