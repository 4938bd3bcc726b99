"""The catalog of a MySQL or MariaDB database.

In: an open engine with a database. Out: its tables and views with columns, comments, keys, indexes, row estimates.
Never: a join of information_schema views, a statement per table at level l1, a count of rows, or a routine.

Each view of information_schema is read once and flat, with the schema as a constant, which lets the server look at
this database only; rows meet in Python. A database is seen alone: its objects have the schema "".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dbgraph_nb.catalog.source import mysql_details
from dbgraph_nb.catalog.source.comments import clean
from dbgraph_nb.catalog.source.mysql_details import NO_COLUMNS, quoted
from dbgraph_nb.catalog.source.reading import Budget, CatalogEngine, Details, Reading
from dbgraph_nb.catalog.source.sql_text import check_members, members, plain_default, tokens
from dbgraph_nb.catalog.source.types import is_integer, mysql_class
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Column, DbObject

_OF = " WHERE TABLE_SCHEMA = %s"
SESSION = "SELECT DATABASE(), CURRENT_USER(), @@lower_case_table_names"
TABLES = "SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_COMMENT, TABLE_COLLATION FROM information_schema.TABLES" + _OF
COLUMNS = (
    "SELECT TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, COLUMN_TYPE, COLUMN_KEY,"
    " EXTRA, COLUMN_COMMENT, COLLATION_NAME, PRIVILEGES FROM information_schema.COLUMNS" + _OF
)
# Asked only if there is a generated column: servers that have none do not know the field either.
EXPRESSIONS = (
    "SELECT TABLE_NAME, COLUMN_NAME, GENERATION_EXPRESSION FROM information_schema.COLUMNS"
    + _OF
    + " AND GENERATION_EXPRESSION <> ''"
)
CHECKS = "SELECT TABLE_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = %s"

# Partitions are no rows of TABLES. Sequences hold no data to explore, and temporary tables are gone tomorrow.
_KINDS = {"BASE TABLE": "table", "SYSTEM VERSIONED": "table", "VIEW": "view", "SYSTEM VIEW": "view"}
_SHORT_TEXT = ("char", "varchar")
_SHORT_BINARY = ("bit", "binary", "varbinary")
_LONGEST_BINARY = 8  # bytes


class MysqlSource:
    """Reads one database of a MySQL or MariaDB server (see ``DialectSource``)."""

    def __init__(self) -> None:
        self._session = mysql_details.Session("", "", folds_case=False, mariadb=False)

    def database(self, reading: Reading) -> str:
        """The connection's own database, as the server spells it.

        Raises:
            BadArgument: the connection names none (code ``no-database``).
        """
        schema, account, folding = reading.rows(SESSION)[0]
        if not schema:
            raise BadArgument(
                "The connection names no database.",
                code="no-database",
                hint="End its URL with /NAME and connect again.",
            )
        mariadb = reading.engine.server.startswith("MariaDB")
        self._session = mysql_details.Session(str(schema), str(account), int(folding) != 0, mariadb)
        return self._session.schema

    def version(self, engine: CatalogEngine) -> str:
        """These servers keep no number that tells a change of the schema."""
        return ""

    def objects(self, reading: Reading) -> list[DbObject]:
        """Two flat reads, one more on MariaDB, and one more if a column is generated."""
        of = (self._session.schema,)
        rows = [row for row in reading.rows(TABLES, of) if row[1] in _KINDS]
        columns: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in reading.rows(COLUMNS, of):
            columns[row[0]].append(row[1:])
        checks: dict[str, _Checks] = defaultdict(_Checks)
        if self._session.mariadb:
            for table, clause in reading.optional("Checks", CHECKS, of):
                checks[table].add(clause)
        expressions: dict[tuple[str, str], str] = {}
        if any(_is_generated(row[7]) for found in columns.values() for row in found):
            for table, column, text in reading.optional("Expressions of generated columns", EXPRESSIONS, of):
                expressions[table, column] = text
        objects, lost = [], []
        for name, table_type, engine, comment, collation in rows:
            item = self._object(reading, name, _KINDS[table_type], columns[name], checks.get(name), collation)
            note, comment = _told(item, engine, comment)
            text, is_lost = clean(comment)
            if is_lost or any(clean(row[8])[1] for row in columns[name]):
                lost.append(name)
                note = " ".join(filter(None, (note, "Comments were stored as ???? and are lost.")))
            found = tuple(replace(c, expression=expressions.get((name, c.name))) for c in item.columns)
            objects.append(DbObject(name, item.kind, found, comment=text, note=note))
        broken = sorted(item.name for item in objects if not item.columns)
        reading.warn_about(broken, "{names} could not be read.", "{count} objects could not be read: {names}.")
        reading.warn_about(sorted(lost), "{names} has comments that are lost (stored as ????).",
                           "{count} objects have comments that are lost (stored as ????): {names}.")  # fmt: skip
        return objects

    def _object(
        self,
        reading: Reading,
        table: str,
        kind: str,
        rows: Sequence[tuple[Any, ...]],
        checks: _Checks | None,
        collation: str | None,
    ) -> DbObject:
        columns = []
        keys = sum(1 for row in rows if row[6] == "PRI")
        for row in sorted(rows, key=lambda row: int(row[0])):
            ordinal, name, default, nullable, data_type, column_type, key, extra, comment, own_collation, rights = row
            is_json = checks is not None and name in checks.json
            if checks is None and self._session.mariadb and data_type == "longtext":
                # An account with rights on single tables is shown no checks. What MariaDB makes of JSON has a
                # collation of its own.
                is_json = own_collation == "utf8mb4_bin" and collation != own_collation
            literals = members(column_type) or (checks.members.get(name) if checks else None)
            type_class = mysql_class(data_type, column_type, is_json=is_json)
            if literals and type_class == "text":
                type_class = "enum"
            column = Column(
                name=name,
                ordinal=int(ordinal),
                type=column_type,
                type_class=type_class,
                nullable=nullable == "YES",
                default=plain_default(default, backslash=True) if self._session.mariadb else default,
                comment=clean(comment)[0],
                unique=key == "UNI" or (key == "PRI" and keys == 1),
                generated=_is_generated(extra),
            )
            if rights is not None and "select" not in rights.lower():
                reading.unreadable.add((table, name))
            columns.append(reading.with_members(table, column, literals))
        return DbObject(table, kind, tuple(columns))

    def details(self, reading: Reading, objects: Sequence[DbObject]) -> Details:
        """Flat reads of keys, indexes, view bodies and estimates, and a probe of each view."""
        return mysql_details.read(reading, objects, self._session, self._bounded)

    def may_sample(self, owner: DbObject, column: Column) -> bool:
        """Text with a length, whole numbers, and a few bytes; of tables."""
        base = column.type.partition("(")[0].partition(" ")[0].lower()
        if owner.kind != "table":
            return False
        if column.type_class == "binary":
            return base in _SHORT_BINARY and _length(column.type) <= _LONGEST_BINARY * (8 if base == "bit" else 1)
        return base in _SHORT_TEXT or (column.type_class == "number" and is_integer(column.type))

    def sample_sql(self, table: str, column: Column, budget: Budget) -> str:
        """Text is cut behind the longest wanted value, so that a long one is seen and not carried."""
        name = quoted(column.name)
        value = f"LEFT({name}, {budget.value_length + 1})" if column.type_class == "text" else name
        inner = f"SELECT {name} FROM {quoted(table)} LIMIT {budget.rows}"
        return self._bounded(f"SELECT DISTINCT {value} FROM ({inner}) AS s LIMIT {budget.values + 2}", budget)

    def prefix_sql(self, table: str, column: Column, count: int, budget: Budget) -> str:
        """As the protocol says."""
        name = quoted(column.name)
        inner = f"SELECT {name} FROM {quoted(table)} LIMIT {budget.rows}"
        return self._bounded(f"SELECT 1 FROM ({inner}) AS s WHERE {name} IS NOT NULL LIMIT {count}", budget)

    def _bounded(self, select: str, budget: Budget) -> str:
        """The statement with a time limit of its own."""
        if self._session.mariadb:
            return f"SET STATEMENT max_statement_time = {budget.statement_seconds:g} FOR {select}"
        milliseconds = max(1, round(budget.statement_seconds * 1000))
        return select.replace("SELECT", f"SELECT /*+ MAX_EXECUTION_TIME({milliseconds}) */", 1)


class _Checks:
    """The checks of a table that say something about a column."""

    def __init__(self) -> None:
        self.json: set[str] = set()
        self.members: dict[str, tuple[str, ...]] = {}

    def add(self, clause: str) -> None:
        parts = tokens(clause, backslash=True)
        if len(parts) == 4 and parts[0].is_word("JSON_VALID"):
            self.json.add(parts[2].value)
        elif found := check_members(parts):
            self.members[found[0]] = found[1]


def _is_generated(extra: str | None) -> bool:
    """Whether EXTRA says so: ``VIRTUAL GENERATED``, before MariaDB 10.2 ``VIRTUAL``; not ``DEFAULT_GENERATED``."""
    words = (extra or "").upper().replace(",", " ").split()
    return not {"GENERATED", "VIRTUAL", "PERSISTENT"}.isdisjoint(words)


def _told(item: DbObject, engine: str | None, comment: str | None) -> tuple[str | None, str | None]:
    """What is wrong with an object, and its comment. The server puts an error in the comment's place."""
    if item.kind == "view":
        note = comment if comment not in (None, "", "VIEW") else None
        if not item.columns:
            note = note or NO_COLUMNS
        return note, None
    if engine is None and comment:
        return comment, None
    return (None if item.columns else NO_COLUMNS), comment


def _length(column_type: str) -> int:
    digits = column_type.partition("(")[2].partition(")")[0]
    return int(digits) if digits.isdecimal() else 1
