"""Sample tables as data, and the SQL text that creates and fills them.

In: ``Table`` and ``View`` values that name no dialect. Out: statements for SQLite or MySQL/MariaDB.
Never: a value spliced into a statement; rows travel as bound parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dbgraph_nb.errors import BadArgument

SampleDialect = Literal["sqlite", "mysql"]
Value = int | float | str | bytes | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``type`` is written once for all dialects: ``id``, ``int``, ``double``, ``decimal(10,2)``,
    ``varchar(50)``, ``text``, ``date``, ``datetime``, ``bool``, ``json``, ``blob`` or ``enum(a|b)``.

    ``null`` allows NULL; ``default`` is a SQL literal; ``generated`` is the SQL expression of a stored column."""

    name: str
    type: str
    comment: str | None = None
    null: bool = False
    default: str | None = None
    generated: str | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: ``columns[i]`` refers to ``target_columns[i]`` of ``target``."""

    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its keys. ``indexes`` are (name, columns) pairs that are not unique."""

    name: str
    comment: str | None
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    references: tuple[Reference, ...] = ()
    indexes: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def stored(self) -> tuple[str, ...]:
        """Names of the columns that a row gives a value for, in order."""
        return tuple(c.name for c in self.columns if c.generated is None)


@dataclass(frozen=True, slots=True)
class View:
    """A view; ``body`` is a SELECT that all sample dialects understand."""

    name: str
    comment: str
    body: str


def sample_dialect(dialect: str) -> SampleDialect:
    """The dialect that the sample data are written in; MariaDB takes the MySQL text.

    Raises:
        BadArgument: no sample text is written for ``dialect``.
    """
    if dialect == "sqlite":
        return "sqlite"
    if dialect in ("mysql", "mariadb"):
        return "mysql"
    raise BadArgument(
        f"There are no sample data for the dialect {dialect!r}.",
        code="sample-dialect",
        hint='Use "sqlite", "mysql" or "mariadb".',
        token=str(dialect),
    )


def create_statements(tables: Sequence[Table], views: Sequence[View], dialect: SampleDialect) -> list[str]:
    """CREATE statements in an order that satisfies the foreign keys, given tables in such an order.

    >>> t = Table("会员", "members", (Column("编号", "id"), Column("状态", "enum(在册|退出)", "状态")))
    >>> print(create_statements([t], [], "sqlite")[0])
    CREATE TABLE 会员 ( -- members
        编号 INTEGER PRIMARY KEY,
        状态 VARCHAR(2) NOT NULL CHECK (状态 IN ('在册', '退出')) -- 状态
    )
    """
    create = _create_sqlite if dialect == "sqlite" else _create_mysql
    statements = [create(table) for table in tables]
    for table in tables:
        for name, columns in table.indexes:
            names = ", ".join(_name(c, dialect) for c in columns)
            statements.append(f"CREATE INDEX {_name(name, dialect)} ON {_name(table.name, dialect)} ({names})")
    # the comment stands inside the statement, so that SQLite keeps it; MySQL has no comments on views
    statements += [f"CREATE VIEW {_name(v.name, dialect)} AS -- {v.comment}\n{v.body}" for v in views]
    return statements


def insert_statement(table: Table, dialect: SampleDialect) -> str:
    """An INSERT of one row with a placeholder per stored column, fit for ``executemany``."""
    names = ", ".join(_name(c, dialect) for c in table.stored)
    marks = ", ".join(["?" if dialect == "sqlite" else "%s"] * len(table.stored))
    return f"INSERT INTO {_name(table.name, dialect)} ({names}) VALUES ({marks})"


def _create_sqlite(table: Table) -> str:
    """SQLite stores the text as it stands, so the ``--`` comments are the column comments it lacks."""
    lines = [(f"{c.name} {_type_sqlite(c)}{_suffix(c)}{_check(c)}", c.comment) for c in table.columns]
    lines += [(line, None) for line in _table_constraints(table, "sqlite")]
    body = []
    for number, (text, comment) in enumerate(lines, start=1):
        comma = "," if number < len(lines) else ""
        body.append(f"    {text}{comma}" + (f" -- {comment}" if comment else ""))
    head = f"CREATE TABLE {table.name} (" + (f" -- {table.comment}" if table.comment else "")
    return "\n".join([head, *body, ")"])


def _create_mysql(table: Table) -> str:
    lines = []
    for c in table.columns:
        comment = f" COMMENT {_literal(c.comment)}" if c.comment else ""
        lines.append(f"    {_name(c.name, 'mysql')} {_type_mysql(c)}{_suffix(c)}{comment}")
    lines += [f"    {line}" for line in _table_constraints(table, "mysql")]
    comment = f" COMMENT={_literal(table.comment)}" if table.comment else ""
    head = f"CREATE TABLE {_name(table.name, 'mysql')} ("
    return "\n".join(
        [head, ",\n".join(lines), f") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci{comment}"]
    )


def _table_constraints(table: Table, dialect: SampleDialect) -> list[str]:
    def listed(columns: tuple[str, ...]) -> str:
        return "(" + ", ".join(_name(c, dialect) for c in columns) + ")"

    lines = [f"PRIMARY KEY {listed(table.primary_key)}"] if table.primary_key else []
    lines += [f"UNIQUE {listed(columns)}" for columns in table.unique]
    lines += [
        f"FOREIGN KEY {listed(r.columns)} REFERENCES {_name(r.target, dialect)} {listed(r.target_columns)}"
        for r in table.references
    ]
    return lines


def _type_sqlite(column: Column) -> str:
    kind = column.type
    if kind == "id":
        return "INTEGER PRIMARY KEY"
    if kind == "bool":
        return "BOOLEAN"
    if members := _members(kind):
        return f"VARCHAR({max(map(len, members))})"
    return "INTEGER" if kind == "int" else kind.upper()


def _type_mysql(column: Column) -> str:
    kind = column.type
    if kind == "id":
        return "INT NOT NULL AUTO_INCREMENT PRIMARY KEY"
    if members := _members(kind):
        return f"ENUM({', '.join(map(_literal, members))})"
    return "BOOLEAN" if kind == "bool" else kind.upper()


def _suffix(column: Column) -> str:
    if column.type == "id":
        return ""
    if column.generated is not None:
        return f" GENERATED ALWAYS AS ({column.generated}) STORED"
    text = " NULL" if column.null else " NOT NULL"
    return text + (f" DEFAULT {column.default}" if column.default is not None else "")


def _check(column: Column) -> str:
    members = _members(column.type)
    return f" CHECK ({column.name} IN ({', '.join(map(_literal, members))}))" if members else ""


def _members(kind: str) -> list[str]:
    return kind.removeprefix("enum(").removesuffix(")").split("|") if kind.startswith("enum(") else []


def _name(name: str, dialect: SampleDialect) -> str:
    # sample names need no quotes in SQLite; in MySQL some of them are keywords of one version or another
    return name if dialect == "sqlite" else f"`{name}`"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
