"""Files of the workspace under names that a statement can read: ``f0``, ``f1`` … in order, and names of one's own.

In: the workspace, ``FILE`` or ``name=FILE`` for each mount. Out: mounts with their files open. Never: two meanings of a
name, or a name that needs quotes.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbgraph_nb import workspace
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.localdata.formats import SUFFIXES
from dbgraph_nb.workspace import ProvenFile

MOST = 100  # mounts of one statement
_NAME = re.compile(r"[^\W\d]\w{0,63}")
_OWN = re.compile(r"f\d+")


@dataclass(frozen=True, slots=True)
class Mount:
    """Files of one format that are read as one relation, and the names it has."""

    names: tuple[str, ...]
    files: tuple[ProvenFile, ...]

    @property
    def shown(self) -> str:
        """The file as the user knows it; of many the first and their number."""
        first = self.files[0].shown
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1} more"

    @property
    def suffix(self) -> str:
        return self.files[0].suffix


@contextlib.contextmanager
def mounted(root: Path, files: Sequence[str]) -> Iterator[tuple[Mount, ...]]:
    """Opens the files; they are closed at the end.

    Args:
        root: the workspace.
        files: each a path, a pattern of one format, or ``name=`` before either.

    Raises:
        BadArgument: a name cannot be used (code ``bad-mount-name``), is taken (``mount-name-taken``), or there are too
            many mounts (``too-many-mounts``).
        PathRefused: a path is not usable.
    """
    if isinstance(files, str) or not all(isinstance(file, str) for file in files):
        raise BadArgument("files must be a list of paths.", code="bad-files", hint='Write files=["sales.csv"].')
    if len(files) > MOST:
        raise BadArgument(f"There are more than {MOST} mounts.", code="too-many-mounts", hint="Use a pattern: *.csv.")
    with contextlib.ExitStack() as stack:
        mounts: list[Mount] = []
        taken: set[str] = set()
        for number, given in enumerate(files):
            name, path = _split(given)
            names = (f"f{number}",) if name is None else (f"f{number}", _usable(name, number))
            if clash := next((one for one in names if one.casefold() in taken), None):
                raise BadArgument(f"Two files are named {clash}.", code="mount-name-taken", hint="Use another name.")
            taken |= {one.casefold() for one in names}
            mounts.append(Mount(names, _proven(root, path, stack)))
        yield tuple(mounts)


def _proven(root: Path, path: str, stack: contextlib.ExitStack) -> tuple[ProvenFile, ...]:
    if workspace.is_pattern(path):
        found = workspace.prove_all(root, path, suffixes=SUFFIXES)
    else:
        found = (workspace.prove(root, path, suffixes=SUFFIXES),)
    for file in found:
        stack.callback(file.close)
    return found


def _split(given: str) -> tuple[str | None, str]:
    """``name=FILE``; a path may hold an ``=`` too, so what is before it must look like a name.

    >>> _split("sales=data/s.csv"), _split("data/a=b.csv")
    (('sales', 'data/s.csv'), (None, 'data/a=b.csv'))
    """
    before, separator, after = given.partition("=")
    if separator and not re.search(r"[/\\.]", before):
        return before.strip(), after
    return None, given


def _usable(name: str, number: int) -> str:
    if not _NAME.fullmatch(name) or (_OWN.fullmatch(name.lower()) and name.lower() != f"f{number}"):
        raise BadArgument(
            f"{name!r} cannot be the name of a file: letters, digits and _, and not f0, f1 …",
            code="bad-mount-name",
            hint="Write -f sales=FILE.",
        )
    return name
