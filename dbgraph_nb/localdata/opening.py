"""Mounts as relations of one engine: the doctor's findings, the views, the engine that a statement runs on.

In: the workspace, what is to be mounted, what the user knows of it. Out: ``Opened``. Never: a user's statement.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbgraph_nb.engines.duckdb_files import DuckdbFiles
from dbgraph_nb.engines.interruptible import timed_out
from dbgraph_nb.errors import DbgraphError, GateRefused, QueryFailed, RedactionRefused, UnknownName
from dbgraph_nb.localdata import csv_many, csv_shape, databases, frames, kept, sheets
from dbgraph_nb.localdata.copies import Copies, Readable
from dbgraph_nb.localdata.databases import Table
from dbgraph_nb.localdata.formats import quoted_name, reader
from dbgraph_nb.localdata.mounts import Given, Mount, mounted
from dbgraph_nb.localdata.options import CsvOptions

_QUICK = 2.0  # seconds; after a longer statement a new engine costs nothing, and the old one's memory is given back
_COLUMNS = (
    "SELECT database_name, table_name, column_name, data_type FROM duckdb_columns() "
    "WHERE schema_name = 'main' AND NOT internal ORDER BY database_name, table_name, column_index"
)
_UNREADABLE = frozenset({"bad-value", "bad-conversion", "bad-statement", "file-not-readable", "file-not-understood",
                         "engine-error", "syntax-error", "no-such-object"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Opened:
    """The engine with its views.

    Attributes:
        mounts: what is mounted.
        findings: for each mount what was guessed or repaired, in words.
        columns: database, relation, column and type of every column that can be read, in order. The database is
            ``memory`` for mounts, ``scratch``, or the name of a mounted database file.
        tables: for each mount of a database file, by its position, the tables.
        close: ends the engine, and closes and removes what it read from.
    """

    engine: DuckdbFiles
    mounts: tuple[Mount, ...]
    findings: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, str, str, str], ...]
    tables: Mapping[int, list[Table]]
    close: Callable[[], None]


@contextmanager
def opened(
    root: Path, files: Sequence[Given], csv: CsvOptions, *, timeout: float, extra: Extra | None = None
) -> Iterator[Opened]:
    """Opens the mounts, or takes the engine of the last statement over the same unchanged files.

    Args:
        csv: what the user knows of the texts.
        timeout: seconds for the whole of it.
        extra: what this statement needs beside the mounts; its engine is not used again.

    Raises:
        PathRefused, BadArgument: see ``mounted``.
        QueryFailed: a file is not what its name says, or cannot be read (codes ``file-not-understood``,
            ``bad-encoding``, ``database-too-large``, ``too-many-tables``).
        QueryTimeout: looking at the files takes too long.
    """
    with ExitStack() as stack:
        mounts = stack.enter_context(mounted(root, files))
        key = None if extra is not None else kept.key(mounts, csv)
        found = kept.take(key)
        if found is None:
            found = _open(root, mounts, csv, timeout, extra or Extra(), stack.pop_all())
        started = time.monotonic()
        try:
            yield found
        except DbgraphError as error:
            # What was refused, or went wrong in the engine's own words, leaves it as it was.
            kept.give_back(key if isinstance(error, GateRefused | RedactionRefused | UnknownName) else None, found)
            raise
        except BaseException:
            found.close()
            raise
        kept.give_back(key if time.monotonic() - started < _QUICK else None, found)


@dataclass(frozen=True, slots=True)
class Extra:
    """Beside the mounts: paths that may be written, settings, a scratch database and whether it may be written."""

    paths: tuple[str, ...] = ()
    lossless: bool = True
    scratch: str = ""
    write: bool = False


def _open(
    root: Path, mounts: tuple[Mount, ...], csv: CsvOptions, timeout: float, extra: Extra, stack: ExitStack
) -> Opened:
    deadline = time.monotonic() + timeout

    def late() -> bool:
        if time.monotonic() > deadline:
            raise timed_out(timeout)
        return False

    with stack:
        copies = Copies(late)
        stack.callback(copies.close)
        found = [_parts(root, mount, f"m{number}", copies, csv) for number, mount in enumerate(mounts)]
        engine = DuckdbFiles(
            [*(path for part in found for path in part.paths), *extra.paths],
            databases={part.name: (part.database, part.mount.shown) for part in found if part.database},
            catalogs=[name for part in found if part.database for name in part.mount.names],
            frames={part.name: part.frame for part in found if part.frame is not None},
            scratch=extra.scratch,
            write=extra.write,
            lossless=extra.lossless,
            timeout=timeout,
        )
        stack.callback(engine.close)
        tables: dict[int, list[Table]] = {}
        findings = []
        for number, part in enumerate(found):
            said, known = _define(engine, part, csv)
            findings.append((*part.said, *said))
            if known is not None:
                tables[number] = known
        attached = {part.name for part in found if part.database}
        columns = tuple(row for row in engine.catalog(_COLUMNS) if row[0] not in attached)
        return Opened(engine, mounts, tuple(findings), columns, tables, stack.pop_all().close)


@dataclass(frozen=True, slots=True)
class _Part:
    """A mount as the engine gets it: files to read, a database to attach, or a frame to register."""

    mount: Mount
    name: str
    texts: tuple[Readable, ...] = ()
    paths: tuple[str, ...] = ()
    database: str = ""
    frame: Any = None
    said: tuple[str, ...] = ()


def _parts(root: Path, mount: Mount, name: str, copies: Copies, csv: CsvOptions) -> _Part:
    if mount.kind == "frame":
        return _Part(mount, name, frame=frames.usable(mount.frame))
    if mount.kind == "sheet":
        frame, said = sheets.read_sheet(mount.files[0], mount.sheet)
        return _Part(mount, name, frame=frame, said=said)
    if mount.kind == "database":
        return _Part(mount, name, database=copies.database(root, mount.files[0]))
    # The engine compares real names, so it needs them on its list beside the descriptors' own.
    real = [str(file.path) for file in mount.files]
    if mount.kind == "parquet":
        return _Part(mount, name, paths=(*(file.engine_path for file in mount.files), *real))
    texts = tuple(copies.readable(file, csv.encoding) for file in mount.files)
    shown = list(dict.fromkeys(text.encoding.shown for text in texts if text.encoding.shown != "UTF-8"))
    said = tuple(f"written in {encoding}" for encoding in shown)
    return _Part(mount, name, texts=texts, paths=(*(text.path for text in texts), *real), said=said)


def _define(engine: DuckdbFiles, part: _Part, csv: CsvOptions) -> tuple[tuple[str, ...], list[Table] | None]:
    """Makes the views of a mount; returns what the doctor found, and the tables of a database."""
    mount = part.mount
    if part.database:
        found = databases.tables(engine.catalog, part.name, mount.shown)
        engine.define(databases.views(mount.names, part.name, found))
        return (), found
    if part.frame is not None:
        engine.define([(_view(name), f"SELECT * FROM {part.name}") for name in mount.names])
        return (), None
    try:
        select, said = _select(engine, part, csv)
        engine.define([(_view(name), select) for name in mount.names])
    except QueryFailed as error:
        if error.code not in _UNREADABLE:
            raise
        raise csv_shape.not_understood(mount.shown) from None
    return said, None


def _view(name: str) -> str:
    return f"memory.main.{quoted_name(name)}"


def _select(engine: DuckdbFiles, part: _Part, csv: CsvOptions) -> tuple[str, tuple[str, ...]]:
    mount = part.mount
    if mount.kind == "parquet":
        own = [file.engine_path for file in mount.files]
        many = ["union_by_name = true"] if len(own) > 1 else []
        return f"SELECT * FROM {reader(mount.suffix, own, many)}", ()
    suffixes = {text.suffix for text in part.texts}
    paths = [text.path for text in part.texts]
    if len(suffixes) > 1:  # some of the compressed files are copies
        raise csv_shape.not_understood(mount.shown)
    (suffix,) = suffixes
    if mount.kind == "json":
        return f"SELECT * FROM {reader(suffix, paths)}", ()
    return csv_many.examined(engine.catalog, suffix, part.texts, csv)
