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
from typing import Any

from dbgraph_nb import workspace
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.localdata.formats import FORMATS, SUFFIXES
from dbgraph_nb.workspace import ProvenFile

MOST = 100  # mounts of one statement
_NAME = re.compile(r"[^\W\d]\w{0,63}")
_OWN = re.compile(r"f\d+")
_SHEET = re.compile(r"(.+\.(?:xls[xmb]?|ods))#(.+)", re.IGNORECASE | re.DOTALL)
_FRAMES = {("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")}
Given = str | tuple[str, Any] | Any


@dataclass(frozen=True, slots=True)
class Mount:
    """Files of one format that are read as one relation, or a frame, and the names it has."""

    names: tuple[str, ...]
    files: tuple[ProvenFile, ...] = ()
    sheet: str | None = None
    frame: Any = None

    @property
    def shown(self) -> str:
        """The file as the user knows it; of many the first and their number."""
        if not self.files:
            return self.names[-1] if len(self.names) > 1 else "a frame"
        first = self.files[0].shown + (f"#{self.sheet}" if self.sheet else "")
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1} more"

    @property
    def kind(self) -> str:
        """How it is read: a ``formats.Kind``, or ``frame``."""
        return FORMATS[self.suffix].kind if self.files else "frame"

    @property
    def suffix(self) -> str:
        return self.files[0].suffix


@contextlib.contextmanager
def mounted(root: Path, files: Sequence[Given]) -> Iterator[tuple[Mount, ...]]:
    """Opens the files; they are closed at the end.

    Args:
        root: the workspace.
        files: each a path, a pattern of one format, ``name=`` before either, a frame, or a pair of a name and a frame.

    Raises:
        BadArgument: a name cannot be used (code ``bad-mount-name``), is taken (``mount-name-taken``), there are too
            many mounts (``too-many-mounts``), or it is none of these (``bad-files``).
        PathRefused: a path is not usable.
    """
    if isinstance(files, str) or not isinstance(files, Sequence):
        raise _not_files()
    if len(files) > MOST:
        raise BadArgument(f"There are more than {MOST} mounts.", code="too-many-mounts", hint="Use a pattern: *.csv.")
    with contextlib.ExitStack() as stack:
        mounts: list[Mount] = []
        taken: set[str] = set()
        for number, given in enumerate(files):
            name, source = _split(given) if isinstance(given, str) else _frame(given)
            names = (f"f{number}",) if name is None else (f"f{number}", _usable(name, number))
            if clash := next((one for one in names if one.casefold() in taken), None):
                raise BadArgument(f"Two files are named {clash}.", code="mount-name-taken", hint="Use another name.")
            taken |= {one.casefold() for one in names}
            if isinstance(source, str):
                path, sheet = _without_sheet(source)
                mounts.append(Mount(names, _proven(root, path, stack), sheet))
            else:
                mounts.append(Mount(names, frame=source))
        yield tuple(mounts)


def _proven(root: Path, path: str, stack: contextlib.ExitStack) -> tuple[ProvenFile, ...]:
    if workspace.is_pattern(path):
        found = workspace.prove_all(root, path, suffixes=SUFFIXES)
    else:
        found = (workspace.prove(root, path, suffixes=SUFFIXES),)
    for file in found:
        stack.callback(file.close)
    if len(found) > 1 and FORMATS[found[0].suffix].kind in ("database", "sheet"):
        raise BadArgument(
            "Databases and spreadsheets are mounted one by one.", code="bad-files", hint="Write -f for each of them."
        )
    return found


def _without_sheet(given: str) -> tuple[str, str | None]:
    """``book.xlsx#Sheet`` as the file and its sheet.

    >>> _without_sheet("a.xlsx#Sheet 2"), _without_sheet("a#1.csv")
    (('a.xlsx', 'Sheet 2'), ('a#1.csv', None))
    """
    found = _SHEET.fullmatch(given)
    return (found[1], found[2]) if found else (given, None)


def _frame(given: Any) -> tuple[str | None, Any]:
    name, frame = given if isinstance(given, tuple) and len(given) == 2 else (None, given)
    if not is_frame(frame) or not isinstance(name, str | None):
        raise _not_files()
    return name, frame


def is_frame(value: object) -> bool:
    """Whether it is a DataFrame of pandas or polars, or a table of Arrow."""
    return any((kind.__module__.partition(".")[0], kind.__name__) in _FRAMES for kind in type(value).__mro__)


def _not_files() -> BadArgument:
    return BadArgument(
        "files must be a list of paths, DataFrames, or pairs of a name and a DataFrame.",
        code="bad-files",
        hint='Write files=["sales.csv"], files=[frame] or files=[("orders", frame)].',
    )


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
