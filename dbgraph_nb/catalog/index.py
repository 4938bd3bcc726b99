"""Writes the index of a catalog: one SQLite file, whole or not at all.

In: a snapshot and where its index belongs. Out: the file, and what went into it. Never: a half-written index under the
final name, a value of a sensitive column, or a slower writer than the one that was asked for without a word.
"""

from __future__ import annotations

import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from dbgraph_nb.catalog.atomic import remove_leftovers, replacing
from dbgraph_nb.catalog.rows import Classify, Overrides, Rows, index_rows
from dbgraph_nb.catalog.tables import INSERT, SCHEMA, SCHEMA_VERSION, TOKENIZER, storable
from dbgraph_nb.errors import BadArgument, DbgraphError, IndexUnavailable
from dbgraph_nb.model import IndexReport, Snapshot
from dbgraph_nb.progress import Progress, silent

WriterName = Literal["auto", "numba", "python"]

_BATCH = 8192  # rows between two reports of progress
_warned = False


class Writer(Protocol):
    """A writer is a module: it derives the rows of ``search`` and ``terms`` from those of the snapshot."""

    NAME: str

    def search_rows(self, rows: Rows) -> Iterator[tuple[Any, ...]]: ...

    def term_rows(self, rows: Rows) -> Iterator[tuple[Any, ...]]: ...


def build(
    snapshot: Snapshot,
    path: str | os.PathLike[str],
    *,
    now: str,
    name: str | None = None,
    writer: WriterName = "auto",
    classify: Classify | None = None,
    overrides: Overrides | None = None,
    l1_at: str | None = None,
    progress: Progress = silent,
) -> IndexReport:
    """Writes the index of ``snapshot`` to ``path`` in place of the one that is there.

    Args:
        now: the moment of the snapshot (ISO 8601, UTC); the only time that is stored.
        name: the connection's name, for the report (default: the file's stem).
        writer: ``numba`` or ``python``, or ``auto``: numba where it works, else python with one warning per process.
        classify: says which columns are sensitive; called as ``classify(name, comment=…, type=…)``.
        overrides: casefolded (table, column) to a sensitivity or None; wins over ``classify``.
        l1_at: when names and types were read, if a level l2 snapshot was read later than those (default: ``now``).
        progress: told the share done and the step. What it raises stops the build, and the old index stays.

    Both writers give equal rows in every table, rowids too, but for ``meta.writer``.

    Raises:
        BadArgument: no such writer (code ``bad-writer``).
        IndexUnavailable: numba was asked for and does not work (code ``writer-unavailable``), or the file could not
            be written (code ``index-write-failed``).
    """
    started = time.monotonic()
    path = Path(path)
    chosen = _choose(writer)
    progress(0.0, "preparing rows")
    rows = index_rows(snapshot, classify, overrides)
    meta = _meta(snapshot, now, l1_at)
    try:
        terms = _write(path, meta, rows, chosen, progress)
    except IndexUnavailable as broken:
        if writer != "auto" or broken.code != "writer-unavailable":
            raise
        _warn_once(broken.message, stacklevel=3)
        chosen = _python()
        terms = _write(path, meta, rows, chosen, progress)
    progress(1.0, "done")
    return IndexReport(
        name=path.stem if name is None else name,
        level=snapshot.level,
        writer=chosen.NAME,
        objects=len(rows.objects),
        columns=len(rows.columns),
        edges=len(rows.edges),
        terms=terms,
        seconds=time.monotonic() - started,
        warnings=_report_warnings(snapshot, rows),
        dangling=rows.dangling,
        path=str(path),
    )


def _choose(writer: WriterName) -> Writer:
    """The writer module; ``numba`` only if the kernels can be loaded."""
    if writer not in ("auto", "numba", "python"):
        raise BadArgument(
            f"There is no index writer {writer!r}.", code="bad-writer", hint="Choose auto, numba or python."
        )
    if writer == "python":
        return _python()
    from dbgraph_nb import text

    if text.backend() == "numba":
        from dbgraph_nb.catalog import write_numba

        return cast(Writer, write_numba)
    if writer == "numba":
        raise IndexUnavailable(
            "The numba writer is not available here, so the index was not written.",
            code="writer-unavailable",
            hint='Install numba (and unset DBGRAPH_NB_NUMBA), or choose writer="python".',
        )
    if os.environ.get("DBGRAPH_NB_NUMBA") != "0":  # whoever switched it off knows
        _warn_once("numba does not work here.", stacklevel=4)
    return _python()


def _python() -> Writer:
    from dbgraph_nb.catalog import write_python

    return cast(Writer, write_python)


def _warn_once(why: str, stacklevel: int) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(f"{why} The slower python writer writes the index.", RuntimeWarning, stacklevel=stacklevel)


def _meta(snapshot: Snapshot, now: str, l1_at: str | None) -> list[tuple[str, str]]:
    return [
        ("engine", snapshot.engine),
        ("engineVersion", storable(snapshot.engine_version)),
        ("database", storable(snapshot.database)),
        ("schemaVersion", str(SCHEMA_VERSION)),
        ("l1IndexedAt", l1_at or now),
        ("l2IndexedAt", now if snapshot.level == "l2" else ""),
        ("tokenizer", TOKENIZER),
        ("catalogVersion", storable(snapshot.catalog_version)),
    ]


def _write(path: Path, meta: list[tuple[str, str]], rows: Rows, writer: Writer, progress: Progress) -> int:
    """Writes the file and puts it in place; returns the number of terms."""
    try:
        remove_leftovers(path)
        with replacing(path) as temporary:
            terms = _fill(temporary, meta, rows, writer, progress)
            progress(0.98, "replacing the old index")
    except DbgraphError:  # what progress raised; a timeout is an OSError too
        raise
    except (sqlite3.Error, OSError) as error:
        raise IndexUnavailable(
            f"The index {path} could not be written: {error}.",
            code="index-write-failed",
            hint="Check the free space and the rights of its folder; the index that was there is unchanged.",
        ) from None
    return terms


def _fill(path: Path, meta: list[tuple[str, str]], rows: Rows, writer: Writer, progress: Progress) -> int:
    """Fills the empty file ``path``; returns the number of terms.

    The file is nobody's yet: a journal on the disk and SQLite's own syncs would protect nothing.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;")
        connection.executescript("BEGIN;" + SCHEMA)
        # One segment of the text index instead of many that are merged later.
        connection.execute("INSERT INTO search (search, rank) VALUES ('hashsize', 16777216)")
        for table, given in (
            ("meta", [*meta, ("writer", writer.NAME)]),
            ("objects", rows.objects),
            ("columns", rows.columns),
        ):
            connection.executemany(INSERT[table], given)
        connection.executemany(INSERT["edges"], rows.edges)
        expected = 16 * len(rows.owners)  # terms, about: the number is known only afterwards
        terms = _insert(connection, "terms", writer.term_rows(rows), expected, (0.1, 0.7), progress)
        _insert(connection, "search", writer.search_rows(rows), len(rows.owners), (0.7, 0.95), progress)
        progress(0.95, "storing")
        connection.execute("COMMIT")
    return terms


def _insert(
    connection: sqlite3.Connection,
    table: str,
    rows: Iterable[tuple[Any, ...]],
    expected: int,
    share: tuple[float, float],
    progress: Progress,
) -> int:
    """Inserts ``rows`` in batches and returns their number; the share done moves from ``share[0]`` to ``share[1]``."""
    start, end = share
    remaining, done = iter(rows), 0
    while batch := list(islice(remaining, _BATCH)):
        connection.executemany(INSERT[table], batch)
        done += len(batch)
        progress(start + (end - start) * min(1.0, done / max(1, expected)), f"writing {table}")
    return done


def _report_warnings(snapshot: Snapshot, rows: Rows) -> tuple[str, ...]:
    told = tuple(storable(text) for text in snapshot.warnings)
    if rows.unreadable:
        told += (f"Names with characters that cannot be read, shown as \ufffd: {rows.unreadable}.",)
    return told
