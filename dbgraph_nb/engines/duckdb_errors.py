"""DuckDB's errors in one sentence each, without its own text, which quotes values.

In: an exception of ``duckdb``, the statement, the file. Out: an error of ours. Never: a piece of the message that the
user did not type.
"""

from __future__ import annotations

import re

from dbgraph_nb.engines.echo import Told, tell
from dbgraph_nb.errors import BadArgument, ConnectionFailed, DbgraphError, QueryFailed

_LOOK = "Look at the tables with %dbgraph schema; if the database changed, refresh the index with %dbgraph index."
_NAME = r"\"?([^\"!\s]+)\"?"
# The kind of the exception, and the first pattern found in its text, decide; "" is any kind.
_RULES: tuple[tuple[str, Told], ...] = (
    ("Catalog", Told("table-exists", "There is something of that name already.",
                     "Use another name, or CREATE OR REPLACE.", None, r"already exists")),
    ("Constraint", Told("constraint-failed", "A constraint of the table forbids what would be written; nothing was.",
                        "Look for NULL, for values that are there twice, and for a CHECK.")),
    ("Catalog", Told("no-such-table", "A table does not exist.", _LOOK, "There is no table {}.",
                     rf"^Catalog Error: Table with name {_NAME} does not exist")),
    ("Catalog", Told("no-such-function", "A function does not exist.", None, "DuckDB has no function {}.",
                     rf"Function with name {_NAME} (?:does not exist|is not in the catalog)")),
    ("Catalog", Told("no-such-object", "Something that the statement names does not exist.", _LOOK)),
    ("Binder", Told("no-such-column", "A column does not exist.", _LOOK, "There is no column {}.",
                    rf"(?:Referenced column|column) {_NAME} (?:not found|does not exist|was referenced)")),
    ("Binder", Told("no-such-table", "A table does not exist.", _LOOK, "There is no table {}.",
                    rf"Referenced table {_NAME} not found")),
    ("Binder", Told("ambiguous-column", "A column is in more than one of the tables.", "Write table.column.",
                    "The column {} is in more than one of the tables.",
                    rf"Ambiguous reference to column name {_NAME}")),
    ("Binder", Told("not-grouped", "A column is neither grouped by nor inside an aggregate.",
                    "Add it to GROUP BY, or write any_value(column).",
                    "The column {} is neither grouped by nor inside an aggregate.",
                    rf"column {_NAME} must appear in the GROUP BY")),
    ("Binder", Told("wrong-arguments", "A function gets arguments of the wrong number or type.", None,
                    "The function {} gets arguments of the wrong number or type.",
                    r"No function matches the given name and argument types '(\w+)\(")),
    ("Binder", Told("misplaced-function", "An aggregate or window function cannot be used in that place.", None, None,
                    r"cannot contain (?:aggregates|window)|aggregate function calls cannot be nested")),
    ("Binder", Told("column-count", "Two parts of the statement have different numbers of columns.", None, None,
                    r"same number of result columns|term out of range|Subquery returns \d+ columns")),
    ("Binder", Told("bad-conversion", "Two values of different types are compared or combined.",
                    "Convert one of them: CAST(column AS VARCHAR).", None, r"Cannot (?:compare|mix|combine|cast)")),
    ("Binder", Told("not-allowed", "The statement does something else than reading, and the connection can only read.",
                    None, None, r"Cannot COPY|read-only|read only")),
    ("Binder", Told("bad-statement", "The statement does not fit the tables or the types of its columns.")),
    ("Parser", Told("syntax-error", "DuckDB does not understand the statement.", None,
                    "DuckDB does not understand the statement near {}.", r"syntax error at or near \"(.*?)\"")),
    ("Parser", Told("syntax-error", "DuckDB does not understand the statement.")),
    ("Syntax", Told("syntax-error", "DuckDB does not understand the statement.")),
    ("Permission", Told("not-allowed", "The statement reads or writes something that the connection may not.")),
    ("OutOfMemory", Told("too-complex", "The statement needs more memory, or more temporary space, than it may use.",
                         "Ask for less at once: a filter, fewer columns, an aggregate.")),
    ("", Told("not-allowed", "The statement does something else than reading, and the connection can only read.",
              None, None, r"read-only mode|attached in read|file system operations are disabled|has been locked")),
    ("Conversion", Told("bad-conversion", "A value cannot be converted to the type that is asked for.",
                        "Use TRY_CAST, which gives NULL for such values.")),
    ("OutOfRange", Told("value-out-of-range", "A number is too large for its type.", "Cast it to DOUBLE or HUGEINT.")),
    ("InvalidInput", Told("bad-value", "A function or an operator got a value that it cannot use.")),
    ("IO", Told("file-not-readable", "A file could not be read.")),
)  # fmt: skip
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_CSV_COLUMN = re.compile(r"Column (\S{1,64}) is being converted as type (\w+)")
_FILE_RULES = (
    (r"does not exist|No such file|database that does not exist", "file-missing", "There is no file {}.",
     "Check the path; it is never created here."),
    (r"Conflicting lock|Could not set lock|already attached|Unique file handle|different configuration",
     "database-locked", "The file {} is open for writing, in this process or in another one.",
     "Close that connection, or copy the file."),
    (r"not a valid DuckDB database|is not a DuckDB|magic bytes|Corrupt", "not-a-database",
     "The file {} is not a DuckDB database, or it is encrypted or damaged.", "Check the path."),
    (r"newer version|older version|storage version|version number", "database-version",
     "The file {} was written by another version of DuckDB.", "Install a newer duckdb, or export and import the data."),
)  # fmt: skip


def translate(error: Exception, sql: str) -> DbgraphError:
    """Our error for one of ``duckdb`` about the statement ``sql``."""
    return _translate(type(error).__name__.removesuffix("Exception"), str(error), sql)


def translate_text(message: str, sql: str) -> DbgraphError:
    """The same where only the engine's message is left; it begins with the kind: ``Conversion Error: …``."""
    return _translate("".join(message.partition(" Error: ")[0].split()), message, sql)


def _translate(kind: str, message: str, sql: str) -> DbgraphError:
    if "parameter" in message and ("not provided" in message or "Values were not" in message):
        return BadArgument("A parameter of the statement has no value.", code="missing-parameter", hint="Use :name.")
    if found := _CSV_LINE.search(message):
        return _csv_line(int(found[1]), message)
    for wanted, told in _RULES:
        if wanted.casefold() in ("", kind.casefold()) and re.search(told.pattern or "", message, re.IGNORECASE):
            return tell(told, message, sql)
    return QueryFailed(f"DuckDB could not run the statement ({kind}).", code="engine-error")


def _csv_line(line: int, message: str) -> QueryFailed:
    """A line of a CSV that differs from those that were looked at."""
    if found := _CSV_WIDTH.search(message):
        return QueryFailed(
            f"Line {line:,} of a CSV has {found[2]} values where {found[1]} are expected.",
            code="csv-line",
            hint="Add --csv ragged=pad (what is missing is NULL) or --csv ragged=skip (such lines are left out).",
        )
    if found := _CSV_COLUMN.search(message):
        return QueryFailed(
            f"Line {line:,} of a CSV has something in the column {found[1]} that is no {found[2]}.",
            code="csv-line",
            hint=f"Write TRY_CAST({found[1]} AS {found[2]}); if its type was guessed, add --csv text={found[1]}.",
        )
    return QueryFailed(
        f"Line {line:,} of a CSV cannot be read: a quote that does not end, or bytes of another encoding.",
        code="csv-line",
        hint="Look at that line; --csv encoding=…, quote=none or ragged=skip may help.",
    )


def translate_open(error: Exception, path: str) -> ConnectionFailed:
    """Our error for a file that could not be opened."""
    message = str(error)
    for pattern, code, sentence, hint in _FILE_RULES:
        if re.search(pattern, message, re.IGNORECASE):
            return ConnectionFailed(sentence.format(path), code=code, hint=hint)
    return ConnectionFailed(
        f"The file {path} cannot be opened.", code="file-not-readable", hint="Check the path and its permissions."
    )
