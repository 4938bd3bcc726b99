"""Private temporary folders, and what killed processes left of them.

In: nothing. Out: a new folder that only its owner may enter. Never: a folder of a process that lives, or of
somebody else, that is removed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

_NAME = "dbgraph_nb-"
_looked_in = ""  # the folder in which this process looked for left ones


def folder() -> Path:
    """A new private folder; the caller removes it.

    Raises:
        OSError: there is no place for temporary files.
    """
    global _looked_in
    if _looked_in != tempfile.gettempdir():
        _looked_in = tempfile.gettempdir()
        remove_left()
    return Path(tempfile.mkdtemp(prefix=f"{_NAME}{os.getpid()}-"))


def remove_left() -> None:
    """Removes the folders of processes that ended without doing so."""
    if os.name != "posix":  # asking whether a process lives is not harmless elsewhere
        return
    for found in Path(tempfile.gettempdir()).glob(f"{_NAME}*"):
        pid = found.name.removeprefix(_NAME).partition("-")[0]
        if pid.isdigit() and not _is_alive(int(pid)):
            with contextlib.suppress(OSError):
                if found.lstat().st_uid == os.getuid() and not found.is_symlink():
                    shutil.rmtree(found, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
