"""Whole results that leave as a new file of the workspace, or as a table of Arrow or polars.

In: a statement that passed the gate and the lineage, where it goes. Out: what was written, or the table. Never: a
sensitive value, a file that is replaced, or half a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from dbgraph_nb import redact
from dbgraph_nb.engines.duckdb_files import DuckdbFiles
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.gate.scan import scan_text
from dbgraph_nb.localdata.formats import quoted_name, quoted_text
from dbgraph_nb.localdata.sheets import unique_names
from dbgraph_nb.model import AllowedQuery, RedactedColumn, RedactionPlan
from dbgraph_nb.workspace.text import suffix_of

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame

Form = Literal["pandas", "arrow", "polars"]
FORMS: Final = ("pandas", "arrow", "polars")
# ending -> options of COPY
WRITTEN: Final[Mapping[str, str]] = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER true",
    ".csv.gz": "FORMAT csv, HEADER true, COMPRESSION gzip",
    ".tsv": "FORMAT csv, HEADER true, DELIMITER '\t'",
    ".json": "FORMAT json, ARRAY true",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}
_QUERIES: Final = frozenset({"select", "pivot", "unpivot", "summarize", "describe", "show"})
_WIDE: Final = ("HUGEINT", "UHUGEINT")
_EXACT: Final = dict.fromkeys(_WIDE, "DECIMAL(38, 0)")
# Parquet has no such integers, and DuckDB writes rounded ones; polars has no months.
_CANNOT: Final[Mapping[str, Mapping[str, str]]] = {
    ".parquet": _EXACT,
    "arrow": _EXACT,
    "polars": {**_EXACT, "INTERVAL": "VARCHAR", "TIME WITH TIME ZONE": "VARCHAR"},
}


def outputs(plan: RedactionPlan, columns: Sequence[str], types: Sequence[str], target: str) -> list[str]:
    """What is written of each output, as SQL over ``c0``, ``c1`` …, with names that a file can tell apart.

    ``target`` is an ending or a form; what it cannot hold exactly is converted to what it can."""
    hidden = {column.index for column in redact.columns_hidden(columns, plan)}
    shown = []
    for i, (name, kind) in enumerate(zip(unique_names(columns), types, strict=True)):
        value = f"c{i}"
        if i in hidden:
            value = quoted_text(redact.REDACTED)
            if i in plan.nulls or i not in plan.columns:
                value = f"CASE WHEN c{i} IS NOT NULL THEN {value} END"
        elif kind in (cannot := _CANNOT.get(target, {})):
            value = f"CAST(c{i} AS {cannot[kind]})"
        shown.append(f"{value} AS {quoted_name(name)}")
    return shown


def without_end(sql: str) -> str:
    """A statement that the gate let pass, without its last semicolon and what follows: fit to stand inside another one.

    >>> without_end("SELECT ';' AS a; -- c")
    "SELECT ';' AS a"
    """
    tokens = scan_text(sql, "duckdb").tokens
    return sql[: tokens[-1].start] if tokens and tokens[-1].text == ";" else sql


def check_query(allowed: AllowedQuery) -> None:
    """Raises if the statement has no rows that could be written.

    Raises:
        BadArgument: code ``no-rows-to-write``.
    """
    if allowed.form not in _QUERIES:
        raise BadArgument(
            f"The rows of {allowed.form.upper()} cannot be written to a file or a table.",
            code="no-rows-to-write",
            hint="Use a SELECT.",
        )


def written(
    engine: DuckdbFiles,
    allowed: AllowedQuery,
    bound: Mapping[str, Any],
    plan: RedactionPlan,
    draft: Path,
    suffix: str,
    **more: Any,
) -> tuple[int, int, tuple[RedactedColumn, ...]]:
    """Writes the result to ``draft``; returns the numbers of rows and columns, and the columns that were hidden."""
    columns, types = engine.shape(allowed, bound)
    count = engine.export(
        allowed,
        bound,
        outputs=outputs(plan, columns, types, suffix),
        path=str(draft),
        options=WRITTEN[suffix],
        **more,
    )
    return count, len(columns), redact.columns_hidden(columns, plan)


def suffix_written(path: str) -> str:
    """The ending of a file that is to be written.

    Raises:
        PathRefused: it is none that is written (code ``unknown-file-type``).
    """
    return suffix_of(path, frozenset(WRITTEN))


def check_form(form: str) -> Form:
    """The form of a result.

    Raises:
        BadArgument: there is no such form (code ``bad-form``), or its package is not installed (``package-missing``).
    """
    if form not in FORMS:
        raise BadArgument(f"There is no form {form!r}.", code="bad-form", hint=f"Use one of {', '.join(FORMS)}.")
    for package in {"arrow": ("pyarrow",), "polars": ("pyarrow", "polars")}.get(form, ()):
        try:
            __import__(package)
        except ImportError:
            raise BadArgument(
                f"The form {form} needs the package {package}.",
                code="package-missing",
                hint=f"Run: pip install 'dbgraph-nb[{form}]'.",
            ) from None
    return form  # type: ignore[return-value]


def as_form(table: Any, form: Form) -> Any:
    """A table of Arrow in the form that was asked for."""
    if form == "polars":
        import polars

        try:
            return polars.from_arrow(table)
        except BaseException as error:
            if not isinstance(error, polars.exceptions.PolarsError) and type(error).__name__ != "PanicException":
                raise  # a panic of Rust is no Exception
            problem = BadArgument(
                "polars has no type for one of the columns.",
                code="form-not-possible",
                hint="Convert it in the statement, such as CAST(column AS VARCHAR), or use another form.",
            )
        raise problem
    return table


def receipt(path: str, rows: int, columns: int, size: int) -> ResultFrame:
    """What was written, in one row."""
    from dbgraph_nb import result

    meta = result.ResultMeta(row_count=1, source=path)
    return result.from_records(["file", "rows", "columns", "bytes"], [(path, rows, columns, size)], meta)
