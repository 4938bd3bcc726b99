"""The jail: a user's path becomes a proven file inside the workspace, or an error with its own code.

In: the workspace's folder and a path as a user wrote it. Out: an open descriptor of a regular file that lies inside, or
a place for a new one. Never: a byte of a file outside, a device that is opened, an existing file that is replaced.

A path is walked part by part from the workspace's own descriptor, without following links. A link is read and walked by
the same rules, so one that stays inside is fine. What was opened last is what is read afterwards, whatever happens to
its name (on Linux, where a descriptor has a path of its own).

The parts: ``text`` (what can be a path), ``walk`` (the way to the file), ``refusals`` (the sentences).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from dbgraph_nb.workspace.refusals import a_folder, not_writable, refused, short, there_already
from dbgraph_nb.workspace.text import MAGIC, checked, suffix_of
from dbgraph_nb.workspace.walk import Walk


@dataclass(frozen=True, slots=True)
class ProvenFile:
    """A regular file inside the workspace, open for reading.

    Attributes:
        shown: its path in the workspace, with ``/``.
        path: where it is.
        suffix: the known ending that it has, in lower case, such as ``.csv`` or ``.csv.gz``.
        size: bytes.
        modified: nanoseconds since 1970.
        fd: the open descriptor; ``close`` closes it.
    """

    shown: str
    path: Path
    suffix: str
    size: int
    modified: int
    fd: int

    @property
    def engine_path(self) -> str:
        """What an engine opens to read this very file: the descriptor's own path on Linux, elsewhere its name."""
        own = f"/proc/self/fd/{self.fd}"
        return own if sys.platform == "linux" and os.path.exists(own) else str(self.path)  # noqa: PTH110

    def is_unchanged(self) -> bool:
        """Whether the name still leads to this file and its content has the size and time it had."""
        try:
            named, opened = os.stat(self.path), os.fstat(self.fd)  # noqa: PTH116
        except OSError:
            return False
        same = (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
        return same and (opened.st_size, opened.st_mtime_ns) == (self.size, self.modified)

    def close(self) -> None:
        """Closes the descriptor."""
        with contextlib.suppress(OSError):
            os.close(self.fd)

    def leave_open(self) -> None:
        """Lets ``close`` do nothing: closing a file drops every POSIX lock that this process holds on it."""
        object.__setattr__(self, "fd", -1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def prove(
    root: str | os.PathLike[str],
    given: str | os.PathLike[str],
    *,
    suffixes: frozenset[str],
    hard_links: bool = False,
) -> ProvenFile:
    """Opens a file of the workspace.

    Args:
        root: the workspace.
        given: the path as the user wrote it, relative to ``root`` or absolute inside it.
        suffixes: the endings that are known, in lower case with their dot (``.csv``, ``.csv.gz``).
        hard_links: whether a file with more than one name may be read; another name may lie outside.

    Raises:
        PathRefused: it is not inside, not there, not a readable regular file, or of an unknown kind.
    """
    text = checked(given)
    suffix = suffix_of(text, suffixes)
    with Walk(root) as walk:
        parts = walk.parts(text)
        fd, real = walk.file(parts, text)
        try:
            state = os.fstat(fd)
            if state.st_nlink > 1 and not hard_links:
                raise refused(
                    "hard-linked-file",
                    f"{short(text)} has another name, which may lie outside of the workspace.",
                    "Copy the file, and use the copy.",
                )
            return ProvenFile(
                shown="/".join(parts),
                path=walk.root.joinpath(*real),
                suffix=suffix,
                size=state.st_size,
                modified=state.st_mtime_ns,
                fd=fd,
            )
        except BaseException:
            os.close(fd)
            raise


def prove_all(
    root: str | os.PathLike[str],
    pattern: str,
    *,
    suffixes: frozenset[str],
    limit: int = 1_000,
    hard_links: bool = False,
) -> tuple[ProvenFile, ...]:
    """Opens all files of one kind that a pattern names (``*``, ``?``, ``[a-z]``, and ``**`` for any depth), sorted.

    Hidden files are found only by a part that begins with a dot; ``**`` does not go through links.

    Raises:
        PathRefused: as ``prove``; also no file (code ``no-match``), too many (``too-many-files``), or files of several
            kinds (``mixed-formats``).
    """
    text = checked(pattern)
    with Walk(root) as walk:
        names = sorted(set(walk.matching(walk.parts(text), text, limit)))
    if not names:
        raise refused("no-match", f"No file of the workspace is named like {short(text)}.", "Check the pattern.")
    kinds = {suffix_of(name, suffixes) for name in names}
    if len(kinds) > 1:
        raise refused(
            "mixed-formats",
            f"{short(text)} names files of several kinds: {', '.join(sorted(kinds))}.",
            "Name one kind, such as *.csv.",
        )
    found: list[ProvenFile] = []
    try:
        for name in names:
            found.append(prove(root, name, suffixes=suffixes, hard_links=hard_links))
    except BaseException:
        for file in found:
            file.close()
        raise
    return tuple(found)


def is_pattern(given: str) -> bool:
    """Whether a path has a ``*``, ``?`` or ``[``.

    >>> is_pattern("a*.csv"), is_pattern("a.csv")
    (True, False)
    """
    return MAGIC.search(given) is not None


@contextlib.contextmanager
def new_file(
    root: str | os.PathLike[str], given: str | os.PathLike[str], *, suffixes: frozenset[str]
) -> Iterator[Path]:
    """A place for a new file: yields a private temporary path in its folder; at the end it gets its name.

    Nothing is left when the block fails, and a file that exists by then is never replaced.

    Raises:
        PathRefused: as ``new_place``; also the folder may not be written to (code ``folder-not-writable``).
    """
    with new_place(root, given, suffixes=suffixes) as (folder, place, name, text):
        draft = f".{name[:60]}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
        try:
            yield place / draft
            _settle(folder, place, draft, name, text)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(place / draft)  # noqa: PTH108


@contextlib.contextmanager
def new_place(
    root: str | os.PathLike[str], given: str | os.PathLike[str], *, suffixes: frozenset[str]
) -> Iterator[tuple[int, Path, str, str]]:
    """Where a new file would be: its open folder (-1 where there is none), the folder's path, its name, its path.

    Raises:
        PathRefused: as ``prove``; also it exists already (code ``file-exists``).
    """
    text = checked(given)
    suffix_of(text, suffixes)
    with Walk(root) as walk:
        parts = walk.parts(text)
        folder, real = walk.folder(parts[:-1], text)
        name = parts[-1] if parts else ""
        place = walk.root.joinpath(*real)
        try:
            if not name:
                raise a_folder(text)
            if _exists(name, folder):
                raise there_already(text)
            yield folder, place, name, text
        finally:
            if folder >= 0:
                os.close(folder)


def _settle(folder: int, place: Path, draft: str, name: str, text: str) -> None:
    """Gives the finished file its name, unless somebody else took it meanwhile."""
    try:
        if folder >= 0 and os.link in os.supports_dir_fd:
            os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        else:
            os.link(place / draft, place / name)
    except FileExistsError:
        problem = there_already(text)
    except OSError as error:
        problem = not_writable(text, error)
    else:
        return
    raise problem


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder if folder >= 0 else None, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise not_writable(name, error) from None
    return True
