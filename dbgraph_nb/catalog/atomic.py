"""Files that are replaced whole or not at all, even by a kill -9 or a power cut.

In: the final path. Out: a private temporary path beside it, ``<file>.<pid>-<nonce>.tmp``, that becomes the file
when all went well; the leftovers of processes that died. Never: a half-written file under the final name, or the
removal of a temporary file whose process is alive.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What this process is writing now. A temporary file with our own pid that is not in here was left by an earlier
# process of the same number, which is the rule rather than the exception in containers.
_WRITING: set[str] = set()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives an empty file (mode 0600) beside ``path``, which takes the place of ``path`` when the block ends well.

    The content is on the disk before the name is: fsync, rename, fsync of the folder. When the block raises, the
    temporary file is removed and ``path`` is as it was. Whoever has the old file open keeps reading the old file.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    _make_private(path.parent)
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(6)}.tmp")
    _WRITING.add(temporary.name)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield temporary
        _sync(temporary, os.O_RDWR)  # Windows flushes only what may be written
        temporary.replace(path)
        if sys.platform != "win32":
            _sync(path.parent, os.O_RDONLY)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _WRITING.discard(temporary.name)


def _make_private(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, for its owner only: ``parents=True`` would leave these to
    the umask."""
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def remove_leftovers(path: Path) -> tuple[str, ...]:
    """Removes the temporary files that dead processes left beside ``path``; returns their names.

    A file that cannot be removed stays, and is tried again next time.
    """
    pattern = re.compile(re.escape(path.name) + r"\.(\d+)-[0-9a-f]+\.tmp(-journal)?")
    removed = []
    with suppress(FileNotFoundError):
        for entry in sorted(path.parent.iterdir()):
            match = pattern.fullmatch(entry.name)
            if match and not _is_being_written(entry.name, int(match[1])):
                with suppress(OSError):
                    entry.unlink()
                    removed.append(entry.name)
    return tuple(removed)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_being_written(name: str, pid: int) -> bool:
    if pid == os.getpid():
        return name.removesuffix("-journal") in _WRITING
    return is_alive(pid)


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs now. In doubt it does.

    >>> is_alive(os.getpid())
    True
    """
    if sys.platform == "win32":  # os.kill(pid, 0) sends a Ctrl-C there
        import ctypes

        kernel = ctypes.windll.kernel32
        limited_information, invalid_parameter, still_active = 0x1000, 87, 259
        handle = kernel.OpenProcess(limited_information, False, pid)
        if not handle:
            return bool(kernel.GetLastError() != invalid_parameter)
        code = ctypes.c_ulong()
        known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return not known or code.value == still_active
    if pid <= 0:  # kill would address a whole group
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OverflowError:
        return False
    except OSError:
        return True
    return True
