"""Values for the placeholders of DuckDB and PostgreSQL, where a colon has other meanings too.

In: SQL with ``:name`` (for DuckDB also ``$name`` and ``?``), and values. Out: the SQL as the driver wants it, and what
its ``execute`` takes. Never: a value inside the SQL, or a change of a slice, a cast, a struct, a text or a comment.

DuckDB knows ``$name``: a colon becomes a dollar, and every character keeps its place. psycopg knows ``%s``: it sends
``$1`` and the values apart, and every other ``%`` is doubled, so that the server receives the text as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dbgraph_nb.engines.params import checked
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Dialect

_PIECES = re.compile(
    r"""(?P<skip>
        (?<!\w)[eE]'(?:[^'\\]|''|\\.)*(?:'|\Z) | '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z)
        | (?P<dollar>\$(?:[^\W\d]\w*)?\$).*?(?:(?P=dollar)|\Z)
        | --[^\n]* | /\*.*?(?:\*/|\Z)
        | ::
    )
    | (?<![\w\])}'"]):(?P<colon>[^\W\d]\w*) | (?<!\w)\$(?P<name>[^\W\d]\w*) | (?<!\w)(?P<number>\$\d+)
    | (?P<mark>\?(?!\d))""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"\w+")
_BEFORE_VALUE = re.compile(
    r"(?:select|where|and|or|not|in|like|ilike|between|having|on|when|then|else|limit|offset|by|case|from|any|all|is)\Z",
    re.IGNORECASE,
)
Values = Mapping[str, Any] | Sequence[Any] | None


def bind(
    sql: str, params: Values, dialect: Dialect, declared: Sequence[str], places: Sequence[int] | None = None
) -> tuple[str, Any]:
    """The text and its values (None when it has no placeholder; then the text is untouched).

    Args:
        declared: the names of the parameters as the gate read them; a colon before another word is none.
        places: where each use of them begins, as the gate read it; only these are rewritten. None: found here, where a
            colon that might be one of a slice is not clear.

    Raises:
        BadArgument: a value is missing, unknown, or no single value; or as ``params.bind``.

    >>> bind("SELECT a[1:x], ':y' FROM t WHERE b = :x", {"x": 1}, "duckdb", ("x",))
    ("SELECT a[1:x], ':y' FROM t WHERE b = $x", {'x': 1})
    >>> bind("SELECT '50%', doc ? 'k' FROM t WHERE b = :x", {"x": 1}, "postgres", ("x",))
    ("SELECT '50%%', doc ? 'k' FROM t WHERE b = %s", (1,))
    """
    pieces = list(_PIECES.finditer(sql))
    if places is None:
        found = [(m.start(), m["colon"] or m["name"]) for m in pieces if (m["name"] or m["colon"]) in declared]
        clear = not any(_follows_operand(sql, start) for start, _ in found if sql[start] == ":")
    else:
        found = [(start, _WORD.match(sql, start + 1)[0]) for start in places]  # type: ignore[index]  # the gate saw it
        clear = True
    names = [name for _, name in found]
    marks = sum(1 for match in pieces if match["mark"]) if dialect == "duckdb" else 0
    if dialect == "postgres" and any(match["number"] for match in pieces):
        clear = False  # $1 of the text would take the value of the first :name
    if set(names) != set(declared) or not clear:
        raise BadArgument(
            "It is not clear which parameters the statement has.",
            code="unclear-parameter",
            hint="Keep :name out of places where it could be read as text.",
        )
    values = checked(list(dict.fromkeys(names)), marks, params, dialect)
    if not names:
        return sql, values or None
    if dialect == "duckdb":
        return _rewritten(sql, found, ""), values
    return _rewritten(sql, found, "%"), tuple(values[name] for name in names)


def _follows_operand(sql: str, start: int) -> bool:
    """Whether the colon stands where one of a slice, a struct or an alias may stand: after a bracket or an operand."""
    before = sql[:start].rstrip()
    word = re.search(r"\w+\Z", before)
    return before[-1:] in "[])}'\"" or bool(word and not _BEFORE_VALUE.match(word[0]))


def _rewritten(sql: str, found: Sequence[tuple[int, str]], escape: str) -> str:
    """With ``%s`` for each placeholder and ``%`` doubled, or without ``escape`` with ``$name``."""
    pieces, end = [], 0
    for start, name in found:
        pieces.append(sql[end:start].replace("%", "%%") if escape else sql[end:start])
        pieces.append("%s" if escape else f"${name}")
        end = start + 1 + len(name)
    pieces.append(sql[end:].replace("%", "%%") if escape else sql[end:])
    return "".join(pieces)
