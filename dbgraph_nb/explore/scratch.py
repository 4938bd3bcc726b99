"""The scratch database: one private file a kernel, for tables that statements over files make.

In: nothing. Out: its path while one statement uses it, and what is sensitive in it. Never: a file that stays after the
kernel, two statements in it at a time, or a table that forgets what its columns derive from.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dbgraph_nb.engines import temporary
from dbgraph_nb.engines.interruptible import timed_out


@dataclass(slots=True)
class Scratch:
    """One database.

    Attributes:
        folder: private; the database and its log are in it.
        shown: tables that were written with sensitive values shown; all their columns are sensitive.
    """

    folder: Path
    pid: int
    shown: set[str] = field(default_factory=set)

    @property
    def path(self) -> Path:
        return self.folder / "scratch.duckdb"


_turn = threading.Lock()
_scratch: Scratch | None = None


@contextlib.contextmanager
def in_use(*, create: bool, timeout: float) -> Iterator[Scratch | None]:
    """The scratch database for one statement; None if nothing was ever written.

    Args:
        create: make it if it is not there.
        timeout: seconds to wait for another statement.

    Raises:
        QueryTimeout: another statement uses it for longer.
    """
    global _scratch
    if _scratch is None and not create:
        yield None
        return
    if not _turn.acquire(timeout=timeout):
        raise timed_out(timeout)
    try:
        if _scratch is not None and (_scratch.pid != os.getpid() or not _scratch.folder.is_dir()):
            _scratch = None  # of a parent process, or somebody cleaned up
        if _scratch is None and create:
            _scratch = Scratch(temporary.folder(), os.getpid())
        yield _scratch if _scratch is not None and (create or _scratch.path.exists()) else None
    finally:
        _turn.release()


def drop() -> None:
    """Removes it with all its tables; the next ``read_only=False`` starts anew."""
    global _scratch
    with _turn:
        found, _scratch = _scratch, None
    if found is not None and found.pid == os.getpid():
        shutil.rmtree(found.folder, ignore_errors=True)


atexit.register(drop)
