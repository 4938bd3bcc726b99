"""The way from the workspace to a file, part by part, without following a link that was not looked at.

In: a folder and the parts of a path. Out: open descriptors. Never: a descriptor of something outside, or of a device.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import Self

from dbgraph_nb.errors import PathRefused
from dbgraph_nb.workspace.refusals import a_folder, kind, leaves, refused, short, unreadable
from dbgraph_nb.workspace.text import MAGIC

_MOST_LINKS = 40
_DEEPEST = 30  # folders below which ** does not look
_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = _OPEN | getattr(os, "O_DIRECTORY", 0)
_FILE = _OPEN | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


class Walk:
    """One workspace, held open. Where the system cannot open by parts (Windows), each step is checked by name."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        try:
            self.root = Path(os.path.realpath(root, strict=True))
            self.written = Path(os.path.abspath(root))  # noqa: PTH100
            self._by_parts = os.open in os.supports_dir_fd and bool(getattr(os, "O_DIRECTORY", 0))
            self._fd = os.open(self.root, _FOLDER) if self._by_parts else -1
        except (OSError, ValueError):
            self._fd = -1
            problem = refused("workspace-missing", "The workspace is no folder that can be opened.", "Check its path.")
        else:
            if self.root.is_dir():
                return
            problem = refused("workspace-missing", "The workspace is not a folder.", "Check its path.")
        raise problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def parts(self, text: str) -> list[str]:
        """The parts of a path below the workspace.

        Raises:
            PathRefused: an absolute path outside (code ``path-outside``).
        """
        path = PurePath(text)
        if not path.is_absolute():
            return list(path.parts)
        for base in (self.written, self.root):
            if path.is_relative_to(base):
                return list(path.relative_to(base).parts)
        raise refused(
            "path-outside",
            f"{short(text)} is outside of the workspace.",
            "Copy the file into the workspace, or set another workspace.",
        )

    def file(self, parts: list[str], text: str) -> tuple[int, list[str]]:
        """An open descriptor of the file, and its real parts."""
        if not parts:
            raise a_folder(text)
        return self._walk(parts, text, self._open_file)

    def folder(self, parts: list[str], text: str) -> tuple[int, list[str]]:
        """An open descriptor of a folder (-1 where the system has none), and its real parts."""
        if not parts:
            return os.dup(self._fd) if self._by_parts else -1, []
        return self._walk(parts, text, self._open_folder)

    def matching(self, parts: list[str], text: str, limit: int) -> Iterator[str]:
        """The paths below the workspace that a pattern names."""
        for number, name in enumerate(self._matching([], parts, text, 0), 1):
            if number > limit:
                raise refused(
                    "too-many-files", f"{short(text)} names more than {limit:,} files.", "Use a narrower pattern."
                )
            yield name

    def _matching(self, before: list[str], parts: list[str], text: str, depth: int) -> Iterator[str]:
        if not parts:
            return
        part, rest = parts[0], parts[1:]
        if part != "**" and not MAGIC.search(part):
            if rest:
                yield from self._matching([*before, part], rest, text, depth)
            elif self._is_file([*before, part], text):
                yield "/".join([*before, part])
            return
        if part == "**":
            yield from self._matching(before, rest or ["*"], text, depth)
            if depth < _DEEPEST:
                for name, is_folder in self._listed(before, text):
                    if is_folder and not name.startswith("."):
                        yield from self._matching([*before, name], parts, text, depth + 1)
            return
        for name, is_folder in self._listed(before, text):
            if fnmatch.fnmatchcase(name, part) and (part.startswith(".") or not name.startswith(".")):
                if rest and is_folder:
                    yield from self._matching([*before, name], rest, text, depth)
                elif not rest and not is_folder:
                    yield "/".join([*before, name])

    def _listed(self, parts: list[str], text: str) -> list[tuple[str, bool]]:
        fd, real = self.folder(parts, text)
        try:
            with os.scandir(fd if fd >= 0 else self.root.joinpath(*real)) as entries:
                return sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            raise unreadable("/".join(parts) or ".", error) from None
        finally:
            if fd >= 0:
                os.close(fd)

    def _is_file(self, parts: list[str], text: str) -> bool:
        try:
            fd, _ = self.file(parts, text)
        except PathRefused as error:
            if error.code == "path-missing":
                return False
            raise
        os.close(fd)
        return True

    def _walk(
        self, parts: list[str], text: str, last: Callable[[int, str, list[str], str], int]
    ) -> tuple[int, list[str]]:
        """From the workspace to the last part, through links that stay inside."""
        pending = [(part, False) for part in parts]
        folders: list[int] = [self._fd]
        names: list[str] = []
        links = 0
        try:
            while pending:
                part, from_link = pending.pop(0)
                if part == "..":
                    if not names:
                        raise leaves(text, from_link)
                    names.pop()
                    self._close(folders.pop())
                    continue
                target = self._link(folders[-1], part, names, text)
                if target is not None:
                    links += 1
                    if links > _MOST_LINKS:
                        raise refused("bad-path", f"{short(text)} leads through links in a circle.", "Check them.")
                    further = PurePath(target)
                    if further.is_absolute():
                        if not further.is_relative_to(self.root):
                            raise leaves(text, True)
                        further = further.relative_to(self.root)
                        while names:
                            names.pop()
                            self._close(folders.pop())
                    pending = [(step, True) for step in further.parts] + pending
                    continue
                if not pending:
                    fd = last(folders[-1], part, names, text)
                    self._inside(fd, text)
                    return fd, [*names, part]
                folders.append(self._open_folder(folders[-1], part, names, text))
                names.append(part)
            if last == self._open_folder:
                return os.dup(folders[-1]) if self._by_parts else -1, names
            raise a_folder(text)
        finally:
            for folder in folders[1:]:
                self._close(folder)

    def _close(self, fd: int) -> None:
        if fd >= 0 and fd != self._fd:
            os.close(fd)

    def _at(self, folder: int, part: str, names: list[str]) -> tuple[str, int | None]:
        """How a part of a folder is named to the system."""
        return (part, folder) if self._by_parts else (str(self.root.joinpath(*names, part)), None)

    def _link(self, folder: int, part: str, names: list[str], text: str) -> str | None:
        """Where a link leads; None for what is none."""
        name, at = self._at(folder, part, names)
        try:
            if not stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                return None
            return os.readlink(name, dir_fd=at)
        except OSError as error:
            problem = unreadable(text, error)
        raise problem

    def _open_folder(self, folder: int, part: str, names: list[str], text: str) -> int:
        name, at = self._at(folder, part, names)
        try:
            if self._by_parts:
                return os.open(name, _FOLDER, dir_fd=at)
            if not stat.S_ISDIR(os.stat(name, follow_symlinks=False).st_mode):  # noqa: PTH116
                raise NotADirectoryError(errno.ENOTDIR, "not a folder")
        except OSError as error:
            problem = unreadable(text, error)
        else:
            return -1
        raise problem

    def _open_file(self, folder: int, part: str, names: list[str], text: str) -> int:
        """Looks before it opens, since opening a device can have an effect, and after, since it may be another one."""
        name, at = self._at(folder, part, names)
        problem: PathRefused
        try:
            before = os.stat(name, dir_fd=at, follow_symlinks=False)
            problem = kind(before.st_mode, text) or refused("path-changed", f"{short(text)} was replaced.", "Again.")
            if stat.S_ISREG(before.st_mode):
                fd = os.open(name, _FILE, dir_fd=at)
                after = os.fstat(fd)
                if (before.st_dev, before.st_ino) == (after.st_dev, after.st_ino) and stat.S_ISREG(after.st_mode):
                    return fd
                os.close(fd)
        except OSError as error:
            problem = unreadable(text, error)
        raise problem

    def _inside(self, fd: int, text: str) -> None:
        """A folder can be moved while it is walked: where the system tells, what was opened must lie inside now."""
        if fd < 0 or sys.platform != "linux":
            return
        with contextlib.suppress(OSError):
            if not Path(os.readlink(f"/proc/self/fd/{fd}")).is_relative_to(self.root):  # noqa: PTH115
                os.close(fd)
                raise leaves(text, True)
