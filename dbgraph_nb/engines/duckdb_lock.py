"""A DuckDB connection that can only read, and the second look at a statement before it runs on one.

In: a database file, the data files that may be read beside it. Out: a fresh connection, locked; a parsed statement.
Never: a created or changed file, a file that is not on the list, an extension, the network, a setting that can still be
changed, or anything that a later connection sees.

What the lock of DuckDB 2.0 itself leaves open is closed here: ``COPY … TO`` may write to the folder of temporary files
and over a listed file, also inside WITH, where a statement counts as SELECT. So DuckDB's own parser is asked for the
tree of each statement, and nodes that write are refused. Statements that only leave traces in their connection (SET
VARIABLE, PREPARE, CREATE TEMP …) are refused by their type; the connection lives for one call anyway.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbgraph_nb.engines import temporary
from dbgraph_nb.errors import QueryFailed

if TYPE_CHECKING:
    import duckdb

_TAKEN = ("", "memory", "main", "system", "temp")  # names that DuckDB uses itself
_TEMPORARY_BYTES = "20GB"
_CONFIG = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
    "allow_unredacted_secrets": "false",
    "arrow_lossless_conversion": "true",
    "enable_external_file_cache": "false",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    "memory_limit": "50%",
    "max_temp_directory_size": _TEMPORARY_BYTES,
}
_READING = ("SELECT", "EXPLAIN", "PRAGMA", "MULTI")  # MULTI is what PIVOT becomes
_WRITING = ("CREATE", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "DROP", "ALTER")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/")
_OUTWARD = re.compile(
    r"(?:^|[(;])\s*(?:copy|export|import|attach|detach|install|load|checkpoint|call|pragma)\b|\$\w*\$|"
    r"\bas\s+(?:not\s+)?(?:materialized\s*)?\(\s*copy\b",
    re.IGNORECASE,
)
_WRITING_NODE = re.compile(r'"type":"(?!SELECT)[A-Z_]+_QUERY_NODE"')  # a quote inside a text has a backslash before it
_SPACE = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)"
_EXPLAIN = re.compile(rf"{_SPACE}*EXPLAIN{_SPACE}+(?:ANALYZE{_SPACE}+)?(?:\([^()]*\){_SPACE}*)?", re.IGNORECASE)
_FILE_WORD = re.compile(r"\b(?:copy|export|attach|install|load|insert|update|delete|merge)\b", re.IGNORECASE)


@dataclass
class Locked:
    """An open connection and the private folder for what does not fit into memory."""

    connection: duckdb.DuckDBPyConnection
    folder: Path

    def close(self) -> None:
        """Closes the connection and removes the folder; a second call has no effect."""
        self.connection.close()  # DuckDB takes a second call
        shutil.rmtree(self.folder, ignore_errors=True)


def prepared() -> Locked:
    """A fresh connection that only waits for its files and its lock.

    Raises:
        OSError: there is no place for temporary files.
    """
    import duckdb

    folder = temporary.folder()
    try:
        return Locked(duckdb.connect(":memory:", config={**_CONFIG, "temp_directory": str(folder)}), folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def attach(connection: duckdb.DuckDBPyConnection, database: str | Path, name: str, *, write: bool = False) -> None:
    """Attaches an existing database file under a name, read-only unless ``write``.

    Raises:
        duckdb.Error: the file cannot be opened.
    """
    connection.execute(f"ATTACH {text(str(database))} AS {quoted(name)}{'' if write else ' (READ_ONLY)'}")


def use(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Makes an attached database the one that plain names mean."""
    connection.execute(f"USE {quoted(name)}")


def called(database: str | Path) -> str:
    """The name of an attached file: its own without the ending, as DuckDB calls it, since views may use that name.

    >>> called("/data/sales.2024.duckdb"), called("temp.db")
    ('sales.2024', 'temp_db')
    """
    stem = Path(database).stem
    return f"{stem}_db" if stem.lower() in _TAKEN else stem


def lock(connection: duckdb.DuckDBPyConnection, paths: Sequence[str] = ()) -> None:
    """No files but the listed ones from here on, and no setting that changes that."""
    connection.execute(
        f"SET allowed_paths = [{', '.join(map(text, paths))}]; "
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false; "  # progress is asked for, not printed
        "SET enable_external_access = false; SET lock_configuration = true"
    )


def text(value: str) -> str:
    """A SQL literal.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A SQL identifier.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def only_write(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The statement as DuckDB parsed it, if it is one and reads, or writes tables.

    Raises:
        QueryFailed: as ``only_read``.
        duckdb.Error: it cannot be parsed.
    """
    statements = connection.extract_statements(sql)
    if len(statements) == 1 and kind_of(statements[0]) in _WRITING and not _OUTWARD.search(_QUOTED.sub(" ", sql)):
        return statements[0]
    return only_read(connection, sql)


def only_read(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The statement as DuckDB parsed it, if it is one and only reads.

    Raises:
        QueryFailed: it is none, several (code ``not-one-statement``), or does something else (``not-allowed``).
        duckdb.Error: it cannot be parsed.
    """
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise QueryFailed(
            "Only one statement can be run at a time.",
            code="not-one-statement",
            hint="Remove the extra semicolon, and what follows it.",
        )
    kind = kind_of(statements[0])
    if kind not in _READING or (kind != "PRAGMA" and _writes(connection, sql, kind)):
        raise QueryFailed(
            "The statement does something else than reading, and the connection can only read.", code="not-allowed"
        )
    return statements[0]


def kind_of(statement: Any) -> str:
    """The name of its type; "" for one that the client has no name for."""
    try:
        return str(statement.type.name)
    except ValueError:
        return ""


def _writes(connection: duckdb.DuckDBPyConnection, sql: str, kind: str) -> bool:
    """Whether the tree of the statement has a node that writes; without a tree, whether a word could mean one."""
    if kind == "EXPLAIN":
        found = _EXPLAIN.match(sql)
        if found is None:
            return True
        sql = sql[found.end() :]
        if [kind_of(inner) for inner in connection.extract_statements(sql)] not in (["SELECT"], ["MULTI"]):
            return True
    rows = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()  # to its end, or it blocks the next
    tree = str(rows[0][0]) if rows else ""
    if tree.startswith('{"error":false'):
        return _WRITING_NODE.search(tree) is not None
    return _FILE_WORD.search(sql) is not None
