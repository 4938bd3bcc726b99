"""Frames of the notebook as relations.

In: a DataFrame of pandas or polars, or a table of Arrow. Out: one whose columns have names that SQL can tell apart.
Never: a change of the frame that was given.
"""

from __future__ import annotations

from typing import Any

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.localdata.sheets import unique_names


def usable(frame: Any) -> Any:
    """The frame, with columns named by distinct texts.

    Raises:
        BadArgument: it has no columns (code ``bad-files``).
    """
    if type(frame).__module__.partition(".")[0] == "polars":
        frame = frame.to_arrow()
    if hasattr(frame, "iloc"):
        frame = _without_categories(frame)
    names = list(frame.columns if hasattr(frame, "iloc") else frame.column_names)
    if not names:
        raise BadArgument("A frame without columns cannot be mounted.", code="bad-files", hint="Mount another one.")
    wanted = unique_names([name if isinstance(name, str) else "_".join(map(str, _parts(name))) for name in names])
    if wanted == names:
        return frame
    if hasattr(frame, "iloc"):
        renamed = frame.copy(deep=False)
        renamed.columns = wanted
        return renamed
    return frame.rename_columns(wanted)


def _without_categories(frame: Any) -> Any:
    """Categories would be a type that spells all values out."""
    import pandas as pd

    found = [i for i, kind in enumerate(frame.dtypes) if isinstance(kind, pd.CategoricalDtype)]
    if not found:
        return frame
    changed = frame.copy(deep=False)
    for i in found:
        changed.isetitem(i, frame.iloc[:, i].astype(object))
    return changed


def _parts(name: Any) -> tuple[Any, ...]:
    return name if isinstance(name, tuple) else (name,)
