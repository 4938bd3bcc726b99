"""Finding the files of a folder: a bounded walk that tells what it left out.

In: a folder, which names are wanted. Out: files with what the system knows of them, and problems. Never: a link that is
followed, a folder without rights that is passed over without a word, an end without a bound.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dbgraph_nb.sessionlogs.reading import Problem

_MOST: Final = 1_000_000  # entries of folders


@dataclass(frozen=True, slots=True)
class Found:
    """A file, and its size, time and place."""

    path: Path
    stat: os.stat_result


def walk(
    root: Path,
    wanted: Callable[[str], bool],
    *,
    depth: int = 6,
    passed: Callable[[str], bool] = lambda name: False,
) -> Iterator[Found | Problem]:
    """The regular files below ``root`` with wanted names, folder by folder in the order of names.

    Args:
        depth: of folders below ``root``; what is deeper is a problem.
        passed: names of folders that are left out without a problem.
    """
    links = deep = seen = 0
    waiting = [(root, 0)]
    while waiting:
        folder, level = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            yield _unreadable(folder, error, is_root=folder == root)
            continue
        seen += len(inside)
        if seen > _MOST:
            yield Problem(
                "too-many-files", root, f"The walk ended after {_MOST:,} entries.", hint="Give a smaller folder."
            )
            return
        below = []
        for entry in inside:
            if entry.is_symlink():
                links += wanted(entry.name) or entry.is_dir()
            elif entry.is_dir(follow_symlinks=False):
                if not passed(entry.name):
                    below.append((Path(entry.path), level + 1))
            elif wanted(entry.name) and (found := _stat(entry)):
                yield found
        if level < depth:
            waiting += reversed(below)
        else:
            deep += len(below)
    if links:
        yield Problem("links", root, "Links are not followed.", links, "Give the folder that they lead to.")
    if deep:
        yield Problem("too-deep", root, f"Folders more than {depth} deep were not looked into.", deep)


def _stat(entry: os.DirEntry[str]) -> Found | None:
    """None for what is no regular file, or has just gone."""
    try:
        stat = entry.stat(follow_symlinks=False)
        return Found(Path(entry.path), stat) if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return None


def _unreadable(folder: Path, error: OSError, *, is_root: bool) -> Problem:
    if isinstance(error, FileNotFoundError) and is_root:
        return Problem("missing", folder, "There is no such folder of logs.", hint="Give the folder that holds them.")
    hint = "Look at the rights of the folder."
    return Problem("unreadable", folder, f"The folder could not be read: {error.strerror}.", hint=hint)
