"""The catalog of a PostgreSQL database.

In: an open engine. Out: the tables and views of its first schema with columns, comments, keys, indexes, row estimates.
Never: a count of rows, a statement per table, a routine, or information_schema, which hides what the role does not own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dbgraph_nb.catalog.source.comments import clean
from dbgraph_nb.catalog.source.reading import Budget, CatalogEngine, Details, Reading
from dbgraph_nb.catalog.source.types import postgres_class
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Column, DbObject, ForeignKey, TableIndex

_HERE = "n.nspname = current_schema() AND NOT c.relispartition"
_CLASS = "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
SESSION = "SELECT current_database(), current_schema()"
# r table, p partitioned table, f foreign table, v view, m materialized view. Partitions stand for their parent.
OBJECTS = (
    "SELECT c.relname, c.relkind::text, pg_catalog.obj_description(c.oid, 'pg_class'), "
    "pg_catalog.has_any_column_privilege(c.oid, 'SELECT') "
    f"FROM {_CLASS} WHERE {_HERE} AND c.relkind IN ('r', 'p', 'f', 'v', 'm')"
)
COLUMNS = (
    "SELECT c.relname, a.attnum, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), t.typtype::text, "
    "t.typcategory::text, a.attnotnull, pg_catalog.pg_get_expr(d.adbin, d.adrelid), a.attgenerated::text, "
    "pg_catalog.col_description(c.oid, a.attnum), pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'), "
    "CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END "
    f"FROM {_CLASS} JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
    "LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum "
    f"WHERE {_HERE} AND c.relkind IN ('r', 'p', 'f', 'v', 'm')"
)
MEMBERS = "SELECT enumtypid, enumlabel FROM pg_catalog.pg_enum ORDER BY enumtypid, enumsortorder"
OTHERS = (
    "SELECT n.nspname, count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition AND n.nspname !~ '^pg_' "
    "AND n.nspname NOT IN ('information_schema', current_schema()) "
    "AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') GROUP BY 1 ORDER BY 1"
)
# Columns by position in their arrays: names could be joined in a wrong order.
KEYS = (
    "SELECT c.relname, k.contype::text, k.conname, "
    "ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, i) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.i), "
    "fn.nspname, f.relname, "
    "ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, i) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.i) "
    f"FROM {_CLASS} JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype IN ('p', 'f') "
    "LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid "
    f"LEFT JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace WHERE {_HERE} ORDER BY c.relname, k.conname"
)
INDEXES = (
    "SELECT c.relname, i.relname, x.indisunique, x.indpred IS NOT NULL, x.indnkeyatts, "
    "ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS u(n, i) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = u.n "
    "WHERE u.i <= x.indnkeyatts ORDER BY u.i) "
    f"FROM {_CLASS} JOIN pg_catalog.pg_index x ON x.indrelid = c.oid "
    f"JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid WHERE {_HERE}"
)
# -1 means that nobody counted yet; the sum of its partitions stands for a partitioned table.
ESTIMATES = (
    "SELECT c.relname, CASE WHEN c.relkind = 'p' THEN "
    "(SELECT CASE WHEN min(p.reltuples) >= 0 THEN sum(p.reltuples) END "
    "FROM pg_catalog.pg_partition_tree(c.oid) t JOIN pg_catalog.pg_class p ON p.oid = t.relid WHERE t.isleaf) "
    f"ELSE c.reltuples END FROM {_CLASS} WHERE {_HERE} AND c.relkind IN ('r', 'p', 'm')"
)
BODIES = f"SELECT c.relname, pg_catalog.pg_get_viewdef(c.oid) FROM {_CLASS} WHERE {_HERE} AND c.relkind IN ('v', 'm')"

_KINDS = {"r": "table", "p": "table", "f": "foreign table", "v": "view", "m": "materialized view"}
_WHOLE = ("smallint", "integer", "bigint")
_SHORT = ("character varying", "character", "text")


class PostgresSource:
    """Reads the first schema of the search path of one database (see ``DialectSource``)."""

    def __init__(self) -> None:
        self._schema = "public"

    def database(self, reading: Reading) -> str:
        """The connection's own database.

        Raises:
            BadArgument: the search path leads to no schema (code ``no-database``).
        """
        database, schema = reading.rows(SESSION)[0]
        if not schema:
            raise BadArgument(
                f"The user's search path in {database} leads to no schema.",
                code="no-database",
                hint="Give the role one: ALTER ROLE … SET search_path = …",
            )
        self._schema = str(schema)
        return str(database)

    def version(self, engine: CatalogEngine) -> str:
        """PostgreSQL keeps no number that tells a change of the schema."""
        return ""

    def objects(self, reading: Reading) -> list[DbObject]:
        """Two flat reads, and one of the members of enums if a column has such a type."""
        columns: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in reading.rows(COLUMNS):
            columns[row[0]].append(row[1:])
        members: dict[int, list[str]] = defaultdict(list)
        if any(row[3] == "e" or row[3] == "d" for rows in columns.values() for row in rows):
            for type_id, label in reading.optional("Members of enums", MEMBERS):
                members[type_id].append(label)
        found = []
        for name, kind, comment, readable in reading.rows(OBJECTS):
            own = tuple(
                _column(reading, name, number, row, members)
                for number, row in enumerate(sorted(columns[name], key=lambda row: int(row[0])), 1)
            )
            note = None if readable or not own else "The user may not read it."
            found.append(DbObject(name, _KINDS[kind], own, comment=clean(comment)[0], note=note))
        for schema, count in reading.optional("Other schemas", OTHERS):
            reading.warnings.append(
                f"The schema {schema} with {count} tables and views is not indexed; only {self._schema} is."
            )
        return found

    def details(self, reading: Reading, objects: Sequence[DbObject]) -> Details:
        """Four flat reads, whatever the number of tables."""
        details = Details(primary_keys={})
        for table, kind, name, columns, schema, target, target_columns in reading.optional("Keys", KEYS):
            if kind == "p" and details.primary_keys is not None:
                details.primary_keys[table] = tuple(columns)
            elif kind == "f":
                foreign = "" if schema == self._schema else str(schema)
                key = ForeignKey(table, tuple(columns), target, tuple(target_columns), target_schema=foreign, name=name)
                details.foreign_keys.append(key)
        for table, name, unique, partial, count, columns in reading.optional("Indexes", INDEXES):
            plain = len(columns) == int(count)  # else one of its keys is an expression
            details.indexes.append(TableIndex(table, name, tuple(columns), unique=unique and plain and not partial))
        for table, estimate in reading.optional("Row estimates", ESTIMATES):
            if estimate is not None and estimate >= 0:
                details.row_estimates[table] = int(estimate)
        for name, body in reading.optional("View definitions", BODIES):
            if body:
                details.definitions[name] = str(body).strip().removesuffix(";")
        return details

    def may_sample(self, owner: DbObject, column: Column) -> bool:
        """Text and whole numbers of tables."""
        base = column.type.partition("(")[0]
        return owner.kind == "table" and (base in _SHORT or base in _WHOLE)

    def sample_sql(self, table: str, column: Column, budget: Budget) -> str:
        """Text is cut behind the longest wanted value, so that a long one is seen and not carried."""
        name = quoted(column.name)
        value = name if column.type_class == "number" else f"left({name}, {budget.value_length + 1})"
        inner = f"SELECT {name} FROM {self._named(table)} LIMIT {budget.rows}"
        return f"SELECT DISTINCT {value} FROM ({inner}) AS s LIMIT {budget.values + 2}"

    def prefix_sql(self, table: str, column: Column, count: int, budget: Budget) -> str:
        """As the protocol says."""
        name = quoted(column.name)
        inner = f"SELECT {name} FROM {self._named(table)} LIMIT {budget.rows}"
        return f"SELECT 1 FROM ({inner}) AS s WHERE {name} IS NOT NULL LIMIT {count}"

    def _named(self, table: str) -> str:
        return f"{quoted(self._schema)}.{quoted(table)}"


def quoted(name: str) -> str:
    """An identifier for SQL text."""
    return '"' + name.replace('"', '""') + '"'


def _column(reading: Reading, table: str, number: int, row: Sequence[Any], members: dict[int, list[str]]) -> Column:
    _, name, declared, _, category, not_null, expression, generated, comment, readable, base = row
    if not readable:
        reading.unreadable.add((table, name))
    column = Column(
        name=name,
        ordinal=number,
        type=declared,
        type_class="enum" if base in members else postgres_class(declared, category),
        nullable=not not_null,
        default=None if generated else _default(expression),
        comment=clean(comment)[0],
        generated=bool(generated),
        expression=expression if generated else None,
    )
    return reading.with_members(table, column, tuple(members[base]) if base in members else None)


def _default(expression: str | None) -> str | None:
    """A default as a person would write it: a literal without its quotes and cast, an expression as it is.

    >>> _default("'it''s'::character varying"), _default("now()"), _default("0")
    ("it's", 'now()', '0')
    """
    if expression and expression.startswith("'"):
        text, _, cast = expression[1:].rpartition("'")
        if "'" not in text.replace("''", "") and (not cast or cast.startswith("::")):
            return text.replace("''", "'")
    return expression
