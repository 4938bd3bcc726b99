"""Calls of functions with plausible arguments: of the types that the engine's catalogue names, or of any.

In: a ``Function`` from a running engine's catalogue or from the gate's lists. Out: the text of a call. Never: an
argument that would keep the engine busy, such as a count of a million.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dbgraph_nb.model import Dialect


@dataclass(frozen=True)
class Function:
    """A name, and the types of its arguments where they are known."""

    name: str
    types: tuple[str, ...] | None = None


_LOOSE: Final = (
    "1", "2", "'a'", "name", "id", "amount", "'t'", "'s'", "NULL", "'2024-01-01'", "0.5", "'{\"a\": 1}'", "'$.a'",
    "*", "-1",
    "t.id", "'planted'", "'canary.csv'", "'id'", "'main'", "1 = 1", "day", "j",
)  # fmt: skip
_POSTGRES: Final = (
    ("regclass", "'t'::regclass"), ("oid", "(SELECT oid FROM pg_class WHERE relname = 't')"),
    ("oid", "'s'::regclass::oid"),
    ("int|bigint|smallint", "1"), ("int|bigint|smallint", "id"), ("numeric|double|real", "1.5"), ("numeric", "amount"),
    ("boolean", "true"), ("jsonb?$", "'{\"a\": [1]}'"), ("timestamp", "now()"), ("^date$", "day"),
    ("interval", "'1 day'"),
    (r"\[\]$", "'{1,2}'"), ("anyarray|anycompatiblearray", "ARRAY[1, 2]"), ("text|varying|name|bpchar|cstring", "'a'"),
    ("text|name", "'t'"), ("text|name", "'s'"), ("text", "'planted'"), ("text|varying", "name"), ("bytea", "'\\x41'"),
    ("anyelement|any", "1"), ("point", "'(1,2)'"), ("path|polygon", "'((0,0),(1,1),(1,0))'"),
    ("box|lseg", "'(1,1),(0,0)'"),
    ("tsvector", "'a:1'"), ("tsquery", "'a'"), ("inet|cidr", "'10.0.0.0/8'"), ("range", "'[1,2)'"), ("xml", "'<a/>'"),
    ("circle", "'<(0,0),1>'"), ("pg_lsn", "'0/0'"), ("uuid", "'00000000-0000-0000-0000-000000000000'"), ("xid", "'1'"),
)  # fmt: skip
_DUCKDB: Final = (
    ("INT|HUGE", "1"), ("INT", "id"), ("DOUBLE|DECIMAL|FLOAT", "1.5"), ("BOOL", "true"),
    ("TIMESTAMP", "TIMESTAMP '2024-01-01'"),
    ("^DATE", "day"), ("INTERVAL", "INTERVAL 1 DAY"), ("TIME", "TIME '10:00'"), (r"\[\]|LIST", "[1, 2]"),
    ("MAP", "MAP {'a': 1}"),
    ("STRUCT", "{'a': 1}"), ("LAMBDA", "lambda q: q"), ("JSON", "'{\"a\": 1}'"), ("VARCHAR|ANY", "'a'"),
    ("VARCHAR", "name"),
    ("VARCHAR", "'t'"), ("VARCHAR", "'s'"), ("VARCHAR", "'canary.csv'"), ("VARCHAR", "'planted'"),
    ("BLOB", "'a'::BLOB"),
    ("BIT", "'101'::BIT"), ("ANY|^T$", "id"), ("TABLE", "(FROM t)"), ("UUID", "uuid()"),
)  # fmt: skip


def call(function: Function, dialect: Dialect, source: random.Random) -> str:
    """A call of ``function``; now and then with arguments that do not fit."""
    name = function.name
    if source.random() < 0.1:
        name = name.upper() if re.fullmatch(r"[a-z_0-9]+", name) else name
    elif source.random() < 0.05:
        quote = "`" if dialect in ("mysql", "mariadb") else '"'
        name = f"{quote}{name}{quote}"
    elif dialect == "postgres" and source.random() < 0.1:
        name = f"pg_catalog.{name}"
    if function.types is None or source.random() < 0.1:
        arguments = [source.choice(_LOOSE) for _ in range(source.choice([0, 1, 1, 1, 2, 2, 3, 4]))]
    else:
        typed = _POSTGRES if dialect == "postgres" else _DUCKDB
        arguments = [_of_type(kind, typed, source) for kind in function.types]
    return f"{name}({', '.join(arguments)})"


def field(functions: Sequence[Function], source: random.Random, *, alone: bool) -> str:
    """PostgreSQL: a function of one argument, written as a field of it, or its name ``alone``."""
    one = source.choice([function for function in functions if function.types is None or len(function.types) == 1])
    if alone:
        return one.name
    kind = one.types[0] if one.types else "text"
    return f"(({_of_type(kind, _POSTGRES, source)})::{kind}).{one.name}"


def _of_type(kind: str, known: tuple[tuple[str, str], ...], source: random.Random) -> str:
    fitting = [text for pattern, text in known if re.search(pattern, kind, re.IGNORECASE)]
    return source.choice(fitting) if fitting else source.choice(_LOOSE)


def from_sqlite(connection: Any) -> list[Function]:
    rows = connection.execute("SELECT DISTINCT name FROM pragma_function_list").fetchall()
    tables = connection.execute("SELECT name FROM pragma_module_list").fetchall()
    return [Function(str(name).lower()) for (name,) in [*rows, *tables] if str(name)[0].isalpha()]


def from_duckdb(connection: Any) -> list[Function]:
    rows = connection.execute(
        "SELECT lower(function_name), parameter_types FROM duckdb_functions() "
        "WHERE regexp_full_match(function_name, '[a-zA-Z_]\\w*')"
    ).fetchall()
    found = {Function(name, tuple(str(kind) for kind in types)) for name, types in rows}
    return sorted(found, key=lambda one: (one.name, one.types or ()))


def from_postgres(connection: Any) -> list[Function]:
    rows = connection.execute(
        "SELECT proname, "
        "ARRAY(SELECT format_type(k, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS a(k, n) ORDER BY n) "
        "FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
    ).fetchall()
    return sorted((Function(name, tuple(types)) for name, types in rows), key=lambda one: (one.name, one.types or ()))


def from_mariadb(cursor: Any) -> list[Function]:
    cursor.execute("SELECT lower(function) FROM information_schema.sql_functions")
    return sorted((Function(str(name)) for (name,) in cursor.fetchall()), key=lambda one: one.name)
