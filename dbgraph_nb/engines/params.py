"""Values for the placeholders of a statement: found in the text, checked, handed to the driver.

In: SQL with ``:name`` or ``?``, and values. Out: what the driver's ``execute`` takes. Never: a value inside the SQL
text, and never a placeholder seen in a literal or a comment.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import AllowedQuery, Dialect

_NAME = r"(?P<name>[^\W\d]\w*)"
_PLACEHOLDER = re.compile(
    # first what may hold a colon or a question mark without meaning it; MySQL's strings have backslash escapes,
    # and its -- needs a space behind it
    r"""(?P<skip>
        '(?:[^'\\]|''|\\.)*(?:'|\Z) | "(?:[^"\\]|""|\\.)*(?:"|\Z) | `(?:[^`]|``)*(?:`|\Z)
        | --(?=[\x00-\x20]|\Z)[^\n]* | \#[^\n]* | /\*.*?(?:\*/|\Z)
        | :: | :=
    )"""
    rf"| :{_NAME} | (?P<mark>\?)",
    re.VERBOSE | re.DOTALL,
)
_PLACEHOLDER_SQLITE = re.compile(
    r"""(?P<skip>
        '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z) | `(?:[^`]|``)*(?:`|\Z) | \[[^\]]*(?:\]|\Z)
        | --[^\n]* | /\*.*?(?:\*/|\Z)
        | ::
    )"""
    rf"| (?<![\w$])[:@$]{_NAME} | (?P<mark>\?(?!\d))",
    re.VERBOSE | re.DOTALL,
)

Values = Mapping[str, Any] | Sequence[Any] | None


def placeholders(sql: str, dialect: Dialect) -> list[tuple[int, int, str | None]]:
    """The placeholders of a statement as (start, end, name); the name of a ``?`` is None.

    >>> placeholders("select ':a', x from t where y = :b -- :c", "mysql")
    [(32, 34, 'b')]
    """
    pattern = _PLACEHOLDER_SQLITE if dialect == "sqlite" else _PLACEHOLDER
    return [(*found.span(), found["name"]) for found in pattern.finditer(sql) if found["skip"] is None]


def bind_query(query: AllowedQuery, params: Values, dialect: Dialect) -> tuple[str, Any]:
    """``bind`` for what the gate let pass, and for nothing else.

    Raises:
        BadArgument: not an ``AllowedQuery`` of this engine's dialect (code ``not-checked``); or as ``bind``.
    """
    if not isinstance(query, AllowedQuery) or (query.dialect == "sqlite") != (dialect == "sqlite"):
        raise BadArgument("An engine runs only a statement that the gate checked for it.", code="not-checked")
    return bind(_without_empty_statements(query.sql), params, dialect, query.parameters)


def _without_empty_statements(sql: str) -> str:
    """The text with one semicolon where several end it; the driver or the server would take them for statements.

    >>> _without_empty_statements("SELECT 1; ;"), _without_empty_statements("SELECT 1 ;")
    ('SELECT 1;', 'SELECT 1 ;')
    """
    kept = sql.rstrip("; \t\r\n\f")
    return f"{kept};" if sql.count(";", len(kept)) > 1 else sql


def bind(
    sql: str,
    params: Values,
    dialect: Dialect,
    declared: Sequence[str] = (),
    places: Sequence[int] | None = None,
) -> tuple[str, Any]:
    """What the driver's ``execute`` takes: the text and its arguments (None when there are none).

    Without placeholders the text is untouched. For MySQL, whose driver has only ``%s``, the placeholders are
    rewritten and every other ``%`` is doubled, so that the server receives the text as it was.

    Args:
        declared: the names of the parameters as the gate read them.
        places: where they begin, as the gate read it (DuckDB and PostgreSQL).

    Raises:
        BadArgument: a value is missing (code ``missing-parameter``), unknown (``unknown-parameter``), no single value
            (``bad-parameter``), or the text reads differently here and in the gate (``unclear-parameter``).

    >>> bind("select '50%' where a = :a or b = :a", {"a": 1}, "mysql")
    ("select '50%%' where a = %s or b = %s", (1, 1))
    """
    if dialect in ("duckdb", "postgres"):
        from dbgraph_nb.engines import colon_params

        return colon_params.bind(sql, params, dialect, declared, places)
    found = placeholders(sql, dialect)
    names = [name for _, _, name in found if name is not None]
    marks = len(found) - len(names)
    if declared and {name for name in declared if name.isidentifier()} != set(names):
        raise BadArgument(
            "It is not clear which parameters the statement has.",
            code="unclear-parameter",
            hint="Keep :name out of places where it could be read as text.",
        )
    values = checked(names, marks, params, dialect)
    if not found:
        return sql, None
    if dialect == "sqlite":
        return sql, values
    pieces, args, end = [], [], 0
    for position, (start, stop, name) in enumerate(found):
        pieces.append(sql[end:start].replace("%", "%%"))
        args.append(values[position] if name is None else values[name])
        end = stop
    return "%s".join([*pieces, sql[end:].replace("%", "%%")]), tuple(args)


def checked(names: list[str], marks: int, params: Values, dialect: Dialect) -> Any:
    """The checked values, exactly those that the placeholders need."""
    if names and marks:
        raise BadArgument("A statement has either :name or ? placeholders, not both.", code="unclear-parameter")
    if isinstance(params, Mapping):
        if marks and not names:
            raise _missing(f"The statement has {marks} ? placeholders and gets named values.")
        for name in names:
            if name not in params:
                raise _missing(f"The statement uses :{name}, but there is no value for it.")
        for name in params:
            if name not in names:
                raise BadArgument(f"The statement has no parameter :{name}.", code="unknown-parameter")
        return {name: plain(value, dialect, f":{name}") for name, value in params.items()}
    given = [] if params is None else list(params)
    if names:
        raise _missing(f"The statement uses :{names[0]}, but there is no value for it.")
    if len(given) != marks:
        raise _missing(f"The statement has {marks} ? placeholders and gets {len(given)} values.")
    return [plain(value, dialect, f"number {i}") for i, value in enumerate(given, 1)]


def _missing(message: str) -> BadArgument:
    return BadArgument(message, code="missing-parameter", hint="Give each parameter one value.")


def plain(value: Any, dialect: Dialect, which: str) -> Any:
    """A value as the driver binds it faithfully: numpy and pandas scalars become Python's own.

    Raises:
        BadArgument: it is no single value, or the engine cannot hold it (code ``bad-parameter``).
    """
    if type(value) is dt.datetime and value.tzinfo is not None and dialect in ("duckdb", "postgres"):
        return value  # both keep time zones
    given = type(value).__name__
    value = _of_python(value)
    kept = _sqlite_value(value) if dialect == "sqlite" else _mysql_value(value)
    if kept is _REFUSED and isinstance(value, list | tuple | set | frozenset):
        raise BadArgument(
            f"The parameter {which} is a {given}; a parameter is one value.",
            code="bad-parameter",
            hint="Write a parameter for each value: IN (:a, :b).",
        )
    if kept is _REFUSED:
        raise BadArgument(
            f"The parameter {which} {_why(value, given, dialect)}.",
            code="bad-parameter",
            hint="Use a number, text, bytes, a date or time without a time zone, or None; one value each.",
        )
    return kept


_REFUSED = object()


def _why(value: Any, given: str, dialect: Dialect) -> str:
    """What is wrong with a refused value, without the value."""
    if isinstance(value, int | Decimal) and (isinstance(value, int) or value.is_finite()):
        return "is too large for a 64-bit integer"
    if isinstance(value, float | Decimal):
        return "is not a finite number"
    if isinstance(value, str):
        return "holds half of a surrogate pair, which is no character"
    if isinstance(value, dt.datetime | dt.time) and value.tzinfo:
        return "has a time zone, which the engine does not keep"
    if value is _REFUSED:
        return f"is a {given} with nanoseconds, which no engine keeps"
    engine = "SQLite" if dialect == "sqlite" else "the server"
    return f"is a {given}, for which {engine} has no type"


def _of_python(value: Any) -> Any:
    """A scalar of numpy or pandas as Python's own type, without importing either."""
    kind = type(value)
    if kind.__module__.partition(".")[0] not in ("numpy", "pandas") or getattr(value, "ndim", 0) != 0:
        return value
    if kind.__name__ in ("NAType", "NaTType"):
        return None
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        return _REFUSED  # no engine here holds them, and dropping them would be silent
    if kind.__name__ in ("datetime64", "timedelta64"):
        return value.astype(f"{kind.__name__}[us]").item()
    convert = getattr(value, "to_pydatetime", None) or getattr(value, "to_pytimedelta", None)
    convert = convert or getattr(value, "item", None)
    return value if convert is None else convert()


def _common(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value) if value.isascii() or value.encode("utf-8", "ignore").decode() == value else _REFUSED
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _REFUSED
    return _REFUSED


def _mysql_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return Decimal(value) if value.is_finite() else _REFUSED
    if isinstance(value, dt.datetime):
        return _REFUSED if value.tzinfo else dt.datetime.combine(value.date(), value.time())
    if isinstance(value, dt.date):
        return dt.date(value.year, value.month, value.day)
    if isinstance(value, dt.time):
        return _REFUSED if value.tzinfo else value
    if isinstance(value, dt.timedelta):
        return dt.timedelta(value.days, value.seconds, value.microseconds)
    return _common(value)


def _sqlite_value(value: Any) -> Any:
    """SQLite has no decimals and no dates: it keeps numbers as integer or real, and dates as ISO text."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            return _REFUSED
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    kept = _common(value)
    if isinstance(kept, int) and not -(2**63) <= kept < 2**63:
        return _REFUSED
    return kept
