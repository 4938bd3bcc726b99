"""The CSV doctor: how a CSV is written, found out from its values, and how DuckDB is to read it then.

In: one text file in UTF-8, what the user knows of it. Out: ``Shape``: the options of ``read_csv``, and what was found
in words. Never: a column that is a number where its name says digits, a value of the file in a finding.

Its first lines tell the delimiter, the quotes and the header, and what the columns may be (``csv_text``,
``csv_header``). What they are, all values of a small file tell, or those of the first lines of a large one
(``csv_types``); DuckDB reads these with the types that were found and does not guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dbgraph_nb.errors import QueryFailed, QueryTimeout
from dbgraph_nb.localdata import csv_told as told
from dbgraph_nb.localdata.copies import SMALL, Readable
from dbgraph_nb.localdata.csv_header import LOOKED_AT, Layout, layout
from dbgraph_nb.localdata.csv_text import Dialect, dialect, mixed_ends, scanned
from dbgraph_nb.localdata.csv_types import Ask, Column, columns, null_words
from dbgraph_nb.localdata.formats import quoted_name, quoted_text, reader
from dbgraph_nb.localdata.options import CsvOptions

_ROWS: Final = 10_000  # of a large file, that are looked at
_LINE: Final = 2_000_000  # bytes of a line that DuckDB reads without being told
_PREFIX: Final = 4 * 1024 * 1024  # bytes of a large file whose lines are measured


@dataclass(frozen=True, slots=True)
class Shape:
    """How to read a CSV.

    Attributes:
        columns: what each is.
        options: of ``read_csv``, as SQL, but for the types.
        findings: what was found, a sentence part each: ``semicolons between values``.
        header: whether the names are those of the file.
        empty: there is nothing in it.
    """

    columns: tuple[Column, ...]
    options: tuple[str, ...]
    findings: tuple[str, ...] = ()
    header: bool = True
    empty: bool = False

    def select(self, suffix: str, paths: Sequence[str]) -> str:
        """The SELECT that reads the files."""
        if self.empty:
            return "SELECT CAST(NULL AS VARCHAR) AS column0 WHERE false"
        formats = {kind: self._format(kind) for kind in ("DATE", "TIMESTAMP")}
        kinds: dict[str, str] = {}
        read = []
        for column in self.columns:
            form = column.form
            own = form is None or (form.format == formats.get(form.kind, "") and not form.group and form.point != ",")
            own = form is None or (own and not column.words and column.kind != "TIMESTAMP_NS")
            kinds[column.name] = column.kind if own else "VARCHAR"
            name = quoted_name(column.name)
            read.append(name if own else f"{_repair(column)} AS {name}")
        options = [*self.options, types("columns", kinds)]
        names = {"DATE": "dateformat", "TIMESTAMP": "timestampformat"}
        options += [f"{names[kind]} = {quoted_text(form)}" for kind, form in formats.items() if form]
        # Not REPLACE: of thousands of columns it takes minutes.
        chosen = "*" if all(kinds[column.name] == column.kind for column in self.columns) else ", ".join(read)
        return f"SELECT {chosen} FROM {reader(suffix, paths, options)}"

    def _format(self, kind: str) -> str:
        """The format that all columns of a type have; else those with one are read as texts first."""
        forms = {column.form.format for column in self.columns if column.form and column.kind == kind}
        return forms.pop() if len(forms) == 1 else ""


def _repair(column: Column) -> str:
    """A column of texts as what it is; words for NULL are NULL, and what does not fit is an error."""
    assert column.form is not None
    text = f"trim({quoted_name(column.name)})"
    value = column.form.value(text)
    return f"CASE {text} {null_words()} ELSE {value} END" if column.words else value


def examine(ask: Ask, suffix: str, text: Readable, wanted: CsvOptions) -> Shape:
    """Looks at a file.

    Args:
        ask: runs a query of ours.
        text: the file, in UTF-8.
        wanted: what the user knows.

    Raises:
        QueryFailed: it cannot be read as a CSV (code ``file-not-understood``), or a line differs (``csv-line``).
    """
    found = dialect(text.head, whole=text.is_head, tabs=suffix.startswith(".tsv"), wanted=wanted)
    table = layout(found.records, wanted, int(found.sep))
    if not table.names:
        return Shape((), (), ("the file is empty",), empty=True)
    if wanted.ragged == "pad" or (table.ragged and wanted.ragged is None and not found.broken):
        table = _padded(text, found, table)
    elif wanted.ragged is None:
        table = replace(table, ragged=False)
    problem: QueryFailed | None = None
    try:
        return _examined(ask, suffix, text, _Reading(found, table), wanted)
    except QueryFailed as error:
        again = None if isinstance(error, QueryTimeout) else _again(text, _Reading(found, table), wanted)
        problem = error
    if again is None:
        raise problem
    return _examined(ask, suffix, text, again, wanted)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What decides about the options: how values are written, the table, the bytes of a very long line, one thread."""

    found: Dialect
    table: Layout
    line: int = 0
    alone: bool = False


def _examined(ask: Ask, suffix: str, text: Readable, reading: _Reading, wanted: CsvOptions) -> Shape:
    options = _options(reading, wanted)
    names, found = reading.table.names, reading.found
    call = reader(suffix, [text.path], [*options, types("columns", dict.fromkeys(names, "VARCHAR"))])
    source = call if text.small else f"(SELECT * FROM {call} LIMIT {_ROWS})"
    decided = columns(ask, source, names, reading.table.rows[:LOOKED_AT], wanted)
    said = (*told.of_text(found, reading.table, wanted), *told.of_columns(decided, wanted))
    return Shape(tuple(decided), options, said, reading.table.header)


def _padded(text: Readable, found: Dialect, table: Layout) -> Layout:
    """The table as wide as its widest line."""
    with text.source() as source:
        scan = scanned(source, found, SMALL if text.small else _PREFIX, table.skip)
    return table.widened(scan.width)


def _again(text: Readable, reading: _Reading, wanted: CsvOptions) -> _Reading | None:
    """Another reading where the lines that were looked at first did not tell all; None where there is none."""
    found, table = reading.found, reading.table
    with text.source() as source:
        scan = scanned(source, found, SMALL, table.skip + table.header)
    with text.source() as source:
        data = source.read(SMALL)
    if scan.complete and (scan.differs or scan.width > len(table.names)) and not table.ragged and wanted.ragged is None:
        table = table.widened(scan.width)
    line = max(map(len, data.split(b"\n")), default=0) + 1
    other = _Reading(
        replace(found, mixed=found.mixed or mixed_ends(data.decode("utf-8", "replace"))),
        table,
        line if line > _LINE else 0,
        # DuckDB reads quoted line ends among lines of different length only so, but then a quote that never ends makes
        # it leave out everything after it without a word.
        alone=table.ragged and text.small and scan.complete and found.quote.encode() in data,
    )
    return other if other != reading else None


def _options(reading: _Reading, wanted: CsvOptions) -> tuple[str, ...]:
    """What the reader is told, but for names and types, so that it guesses nothing."""
    found, table = reading.found, reading.table
    pads = table.ragged and wanted.ragged != "skip"
    return (
        "auto_detect = false",
        f"delim = {quoted_text(found.delim)}",
        f"quote = {quoted_text(found.quote)}",
        f"escape = {quoted_text(found.escape)}",
        "comment = ''",
        f"skip = {table.skip}",
        f"header = {str(table.header).lower()}",
        *(["null_padding = true"] if pads else []),
        *(["parallel = false"] if reading.alone else []),
        *(["ignore_errors = true"] if wanted.ragged == "skip" else []),
        *(["strict_mode = false"] if found.mixed else []),
        *([f"max_line_size = {reading.line}"] if reading.line else []),
    )


def types(option: str, kinds: Mapping[str, str]) -> str:
    """The option that tells the types of columns."""
    return f"{option} = {{{', '.join(f'{quoted_text(name)}: {quoted_text(kind)}' for name, kind in kinds.items())}}}"


def not_understood(shown: str) -> QueryFailed:
    """The error of a file that its ending promises something else of."""
    return QueryFailed(
        f"{shown} cannot be read as what its name says it is.",
        code="file-not-understood",
        hint="Open it in an editor, and check its encoding, its delimiter and whether it is complete (see --csv).",
    )
