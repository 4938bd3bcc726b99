"""A result of a database server as a new file of the workspace.

In: clean rows as a ``ResultFrame``, a path. Out: one row about the file. Never: a file that is replaced, or one that
holds less than the whole result.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dbgraph_nb import gate, workspace
from dbgraph_nb.engines.duckdb_files import DuckdbFiles
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.explore import exporting
from dbgraph_nb.localdata.frames import usable
from dbgraph_nb.model import RedactionPlan
from dbgraph_nb.result import ResultFrame
from dbgraph_nb.settings import Settings


def write(frame: ResultFrame, at: Settings, path: str, *, timeout: float) -> ResultFrame:
    """Writes the rows; returns one row about the file, with the meta of the result.

    Raises:
        BadArgument: the result was cut (code ``result-cut``), or has no columns (``bad-files``); nothing is written.
        PathRefused: see ``workspace.new_file``.
    """
    if frame.meta.truncated:
        raise BadArgument(
            f"The result has more than {len(frame):,} rows; nothing was written.",
            code="result-cut",
            hint="Ask for less, or raise the setting fetch_rows.",
        )
    suffix = exporting.suffix_written(path)
    with workspace.new_file(at.workspace or Path.cwd(), path, suffixes=frozenset(exporting.WRITTEN)) as draft:
        with DuckdbFiles([str(draft)], frames={"rows": usable(frame)}, timeout=timeout) as engine:
            allowed = gate.check('SELECT * FROM "rows"', dialect="duckdb", relations=["rows"])
            rows, columns, _ = exporting.written(engine, allowed, {}, RedactionPlan(), draft, suffix, timeout=timeout)
        receipt = exporting.receipt(path, rows, columns, draft.stat().st_size)
    receipt._meta = replace(frame.meta, row_count=1, source=f"{path} from {frame.meta.source}")
    return receipt
