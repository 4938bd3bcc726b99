"""How large a mount is: bytes, rows, and which columns hold no NULL.

In: a mount, its engine. Out: numbers, and whether they are exact. Never: a scan of a large file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from dbgraph_nb.engines.duckdb_files import SCRATCH, DuckdbFiles
from dbgraph_nb.localdata.databases import Table
from dbgraph_nb.localdata.formats import FORMATS, quoted_text
from dbgraph_nb.localdata.mounts import Mount

_SMALL: Final = 16 * 1024 * 1024  # bytes of texts that are counted
_HEAD: Final = 1024 * 1024  # bytes from which the length of a line is taken

_QUOTED: Final = re.compile(rb'"[^"]*"')  # line ends in there end no record
_LINE_END: Final = re.compile(rb"\r\n?|\n")

Ask = Callable[[str], list[tuple[Any, ...]]]


def bytes_of(mount: Mount) -> int | None:
    """The bytes of all files; of a frame None."""
    return sum(file.size for file in mount.files) if mount.files else None


def rows(
    engine: DuckdbFiles, mount: Mount | None, relation: str, sql: str, tables: Sequence[Table] | None
) -> tuple[int | None, bool]:
    """The number of rows, and whether it is exact; None where only reading everything would tell.

    Args:
        mount: None for a table of the scratch database.
        sql: the relation as SQL.
        tables: of a database file.
    """
    kind = "scratch" if mount is None else mount.kind
    if kind == "parquet":
        return _of_parquet(engine.catalog, mount), True
    if tables is not None and all(table.view is None for table in tables if relation.endswith(f".{table.called}")):
        return _counted(engine.catalog, sql), True  # from the statistics
    if kind in ("csv", "json"):
        assert mount is not None
        if sum(file.size for file in mount.files) <= _SMALL:
            return _counted(engine.catalog, sql), True
        return _by_lines(mount), False
    return _counted(engine.catalog, sql), True


def _counted(ask: Ask, sql: str) -> int:
    return int(ask(f"SELECT count(*) FROM {sql}")[0][0])


def _of_parquet(ask: Ask, mount: Mount | None) -> int:
    assert mount is not None
    paths = ", ".join(quoted_text(file.engine_path) for file in mount.files)
    return int(ask(f"SELECT sum(num_rows) FROM parquet_file_metadata([{paths}])")[0][0])


def _by_lines(mount: Mount) -> int | None:
    """From the lines of the first megabyte of the first file; a compressed file does not tell."""
    if FORMATS[mount.suffix].compression:
        return None
    first = mount.files[0]
    head = os.pread(first.fd, _HEAD, 0) if hasattr(os, "pread") else first.path.open("rb").read(_HEAD)
    lines = len(_LINE_END.findall(_QUOTED.sub(b"", head) if mount.kind == "csv" else head))
    return round(sum(file.size for file in mount.files) * lines / len(head)) if lines else None


def never_null(engine: DuckdbFiles, mount: Mount | None, relation: str) -> set[str]:
    """The columns that are declared to hold no NULL."""
    if mount is not None and mount.kind == "parquet":
        return _required(engine.catalog, [file.engine_path for file in mount.files])
    # The first name of a mount has its number, and so has the database that is attached for it.
    attached = SCRATCH if mount is None else f"m{mount.names[0][1:]}"
    table = relation.partition(".")[2]  # none: it is the only one
    named = "CASE schema_name WHEN 'main' THEN table_name ELSE schema_name || '.' || table_name END"
    found = engine.catalog(
        "SELECT column_name FROM duckdb_columns() "
        f"WHERE database_name = {quoted_text(attached)} AND {quoted_text(table)} IN ('', {named}) AND NOT is_nullable"
    )
    return {str(name) for (name,) in found}


def _required(ask: Ask, paths: Sequence[str]) -> set[str]:
    """The columns that all Parquet files declare so; fields inside of others have the same names and do not count."""
    found: set[str] | None = None
    for path in paths:
        # In the order of the file: the root, then each field followed by the fields that are inside of it.
        fields = ask(f"SELECT name, num_children, repetition_type FROM parquet_schema({quoted_text(path)})")
        own = set(_outermost(fields[1:]))
        found = own if found is None else found & own
    return found or set()


def _outermost(fields: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    inside = 0
    for name, children, repetition in fields:
        if not inside and repetition == "REQUIRED":
            yield str(name)
        inside += int(children or 0) - (1 if inside else 0)
