"""The scratch database: one private file a kernel, for tables that statements over files make.

In: nothing. Out: its path while one statement uses it, and what is sensitive in it. Never: a file that stays after the
kernel, two statements in it at a time, or a table that forgets what its columns derive from.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dbgraph_nb.engines.interruptible import timed_out
from dbgraph_nb.model import Sensitivity
from dbgraph_nb.redact.writes import Effect

_NAME = "dbgraph_nb-scratch-"


@dataclass(slots=True)
class Scratch:
    """One database.

    Attributes:
        folder: private; the database and its log are in it.
        sensitive: columns of its tables that derive from sensitive ones, by table and column in lower case.
    """

    folder: Path
    pid: int
    sensitive: dict[tuple[str, str], Sensitivity] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.folder / "scratch.duckdb"

    def learn(self, done: Effect, columns: list[str]) -> None:
        """What a statement did; ``columns`` are those of its table now."""
        if done.forgets:
            self.sensitive = {key: why for key, why in self.sensitive.items() if key[0] != done.table}
        if columns:
            self.sensitive |= {(done.table, name.lower()): why for name, why in done.fills(columns).items()}


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
    if not _turn.acquire(timeout=timeout):
        raise timed_out(timeout)
    try:
        if _scratch is not None and (_scratch.pid != os.getpid() or not _scratch.folder.is_dir()):
            _scratch = None  # of a parent process, or somebody cleaned up
        if _scratch is None and create:
            _remove_stale()
            _scratch = Scratch(Path(tempfile.mkdtemp(prefix=f"{_NAME}{os.getpid()}-")), os.getpid())
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


def _remove_stale() -> None:
    """Those of kernels that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_NAME}*"):
        pid = folder.name.removeprefix(_NAME).partition("-")[0]
        if os.name == "posix" and pid.isdigit() and not _is_alive(int(pid)):
            with contextlib.suppress(OSError):
                if folder.stat().st_uid == os.getuid():
                    shutil.rmtree(folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


atexit.register(drop)
