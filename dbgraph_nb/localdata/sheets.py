"""Sheets of spreadsheets as frames.

In: a proven file, the name of a sheet. Out: a DataFrame whose first row names the columns. Never: a formula that is
run, a whole number that became a fraction.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dbgraph_nb.errors import BadArgument, QueryFailed
from dbgraph_nb.workspace import ProvenFile

if TYPE_CHECKING:
    import pandas as pd


def read_sheet(file: ProvenFile, sheet: str | None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """One sheet, and what was found.

    Args:
        sheet: its name; None is the first.

    Raises:
        BadArgument: the package for spreadsheets is not installed (code ``package-missing``), or there is no such sheet
            (``unknown-sheet``).
        QueryFailed: it is no spreadsheet (code ``file-not-understood``).
    """
    try:
        import python_calamine as calamine
    except ImportError:
        raise BadArgument(
            f"Reading {file.shown} needs the package python-calamine.",
            code="package-missing",
            hint="Run: pip install 'dbgraph-nb[excel]', or save the sheet as CSV.",
        ) from None
    import pandas as pd

    from dbgraph_nb import result

    own = os.dup(file.fd)
    os.lseek(own, 0, os.SEEK_SET)
    with os.fdopen(own, "rb") as raw:
        problem: QueryFailed | None = None
        rows: list[list[Any]] = []
        names: list[str] = []
        try:
            book = calamine.CalamineWorkbook.from_filelike(raw)
            names = list(book.sheet_names)
            if sheet is not None and sheet not in names:
                raise BadArgument(
                    f"{file.shown} has no sheet of that name.",
                    code="unknown-sheet",
                    hint=f"It has {', '.join(names[:10])}; write FILE#SHEET.",
                )
            rows = book.get_sheet_by_name(sheet or names[0]).to_python(skip_empty_area=True) if names else []
        except calamine.CalamineError:
            problem = QueryFailed(
                f"{file.shown} is no spreadsheet, or it is locked by a password.",
                code="file-not-understood",
                hint="Open it in a spreadsheet program, and save the sheet as CSV.",
            )
    if problem is not None:
        raise problem
    header, body = (rows[0], rows[1:]) if rows else ([], [])
    columns = [result.to_series(_values([row[i] for row in body])) for i in range(len(header))]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(len(body)))
    frame.columns = pd.Index(unique_names([str(name) if name != "" else "" for name in header]), dtype=object)
    said = (f"sheet {sheet or names[0]} of {len(names)}",) if len(names) > 1 else ()
    return frame, said


def _values(values: list[Any]) -> list[Any]:
    """An empty cell is NULL; a column whose numbers are all whole is whole."""
    found = [None if value == "" else value for value in values]
    numbers = [value for value in found if isinstance(value, float)]
    if numbers and all(value.is_integer() and abs(value) < 2**53 for value in numbers):
        found = [int(value) if isinstance(value, float) else value for value in found]
    kinds = {type(value) for value in found if value is not None}
    if len(kinds) > 1 and kinds != {int, float}:
        found = [None if value is None else str(value) for value in found]
    return found


def unique_names(names: Sequence[str]) -> list[str]:
    """Names that no two columns share, whatever their case.

    >>> unique_names(["a", "", "A", "a"])
    ['a', 'column1', 'A_1', 'a_2']
    """
    taken: set[str] = set()
    unique: list[str] = []
    for position, given in enumerate(names):
        base = given or f"column{position}"
        name, number = base, 0
        while name.casefold() in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name.casefold())
        unique.append(name)
    return unique
