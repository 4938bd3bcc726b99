"""MySQL's and MariaDB's errors of a statement in one sentence each, by number.

In: an error number, the server's text (searched for names and positions only), the statement. Out: an error of ours.
Never: the server's text itself, which can hold values of rows and literals.
"""

from __future__ import annotations

import re

from dbgraph_nb.engines.echo import Told, position, tell, typed
from dbgraph_nb.engines.mysql_refusals import LOST, place
from dbgraph_nb.errors import ConnectionFailed, DbgraphError, QueryFailed, QueryTimeout
from dbgraph_nb.model import Target

INTERRUPTED = 1317
_TIME_IS_UP = frozenset({1969, 3024})
_SYNTAX = frozenset({1064, 1149})

_LOOK = "Look at the tables with %dbgraph schema; if the database changed, refresh the index with %dbgraph index."
_GRANT = "Ask the owner of the database for the SELECT right."
_NO_FUNCTION = Told(
    code="no-such-function",
    sentence="A function does not exist.",
    named="There is no function {}.",
    pattern=r"(?:FUNCTION|PROCEDURE) (?:[^\s.]+\.)?(\S+)",
)
_WRONG_NUMBER = Told(
    code="wrong-arguments",
    sentence="A function gets the wrong number of arguments.",
    named="The function {} gets the wrong number of arguments.",
    pattern=r"(?:function|FUNCTION) '?(?:[^\s.']+\.)?([^\s']+)",
)
_TOLD: dict[tuple[int, ...], Told] = {
    (1146,): Told(
        code="no-such-table",
        sentence="A table does not exist.",
        hint=_LOOK,
        named="There is no table {}.",
        pattern=r"Table '(?:[^'.]*\.)?([^']+)' doesn't",
    ),
    (1109,): Told(
        code="no-such-table",
        sentence="A table is not named in FROM.",
        named="The table {} is not named in FROM.",
        pattern=r"table '([^']+)'",
    ),
    (1046,): Told(
        code="no-such-table", sentence="A table is named without its database.", hint="Write database.table."
    ),
    (1054,): Told(
        code="no-such-column",
        sentence="A column does not exist.",
        hint=_LOOK,
        named="There is no column {}.",
        pattern=r"column '([^']+)'",
    ),
    (1052,): Told(
        code="ambiguous-column",
        sentence="A column is in more than one of the tables.",
        hint="Write table.column.",
        named="The column {} is in more than one of the tables.",
        pattern=r"Column '([^']+)'",
    ),
    (1305, 1630): _NO_FUNCTION,
    (1370,): Told(
        code="no-such-function",
        sentence="A function does not exist, or this user may not run it.",
        named="There is no function {}, or this user may not run it.",
        pattern=r"routine '(?:[^'.]*\.)?([^']+)'",
    ),
    (1318, 1582): _WRONG_NUMBER,
    (1142,): Told(
        code="table-denied",
        sentence="This user may not read a table of the statement.",
        hint=_GRANT,
        named="This user may not read the table {}.",
        pattern=r"for table (?:`[^`]*`\.|'[^'.]*\.)?[`']([^`']+)[`']",
    ),
    (1143,): Told(
        code="table-denied",
        sentence="This user may not read a column of the statement.",
        hint=_GRANT,
        named="This user may not read the column {}.",
        pattern=r"for column '([^']+)'",
    ),
    (1044, 1227): Told(code="table-denied", sentence="This user does not have the right to do that.", hint=_GRANT),
    (1290, 1792, 1836): Told(code="read-only", sentence="The connection is read-only, and the statement would write."),
    (1055, 1056, 1140): Told(
        code="bad-grouping",
        sentence="The output has a column that is neither grouped nor aggregated.",
        hint="Name it in GROUP BY, or use MIN, MAX or ANY_VALUE.",
    ),
    (1111, 4015, 4016): Told(
        code="misplaced-function", sentence="An aggregate or window function is used where none can be."
    ),
    (1222, 1241, 1353): Told(
        code="column-count", sentence="Two parts of the statement have different numbers of columns."
    ),
    (1242,): Told(
        code="too-many-rows",
        sentence="A subquery that must give one value gives several rows.",
        hint="Add LIMIT 1, or use IN.",
    ),
    (1060, 1066, 1248): Told(code="bad-alias", sentence="A table or a column needs an alias of its own."),
    (1356, 1449): Told(code="broken-view", sentence="A view names something that is not there, or its owner is gone."),
    (1265, 1292, 1366, 1367, 1411, 1525): Told(
        code="bad-value", sentence="A value cannot be read as the type it is used as."
    ),
    (1264, 1426, 1441, 1690): Told(
        code="value-out-of-range", sentence="A result is too large or too small for its type."
    ),
    (3140, 3141, 3143, 3144, 4037, 4038, 4042): Told(
        code="bad-json", sentence="A JSON text or a JSON path cannot be read."
    ),
    (1139, *range(3684, 3701)): Told(code="bad-pattern", sentence="A regular expression cannot be read."),
    (1115, 1253, 1267, 1270, 1271, 1273): Told(
        code="bad-collation",
        sentence="Texts of different collations are compared.",
        hint="Add COLLATE utf8mb4_bin to one of them.",
    ),
    (1191,): Told(code="bad-match", sentence="There is no full-text index on exactly these columns."),
    (1178, 1210, 1235, 1584): Told(
        code="wrong-arguments", sentence="The server cannot do that, or not with these arguments."
    ),
    (1205, 1213): Told(
        code="lock-wait", sentence="The statement waited for a lock that another one holds.", hint="Try again."
    ),
    (3, 28, 1021, 1114, 1878): Told(
        code="disk-full",
        sentence="The server has no space left for a temporary result.",
        hint="Ask for less at once.",
    ),
    (5, 1037, 1038, 1041, 1116, 1117, 1118, 1153, 1436, 2020, 3170, 4030): Told(
        code="too-complex", sentence="The statement, or a value, is larger than the server allows."
    ),
    (126, 127, 144, 145, 1030, 1034, 1194, 1195): Told(
        code="table-damaged", sentence="A table is damaged, or its storage does not answer."
    ),
}
_BY_NUMBER = {number: told for numbers, told in _TOLD.items() for number in numbers}
_CLASSES = {
    "22": "a value does not fit its type or function",
    "23": "a constraint of the data",
    "42": "syntax, names or rights",
    "45": "raised by a routine of the database",
}


def translate(number: int, text: str, state: str | None, sql: str, target: Target) -> DbgraphError:
    """Our error for a statement that failed; ``sql`` is the user's text, ``state`` the SQLSTATE."""
    if number in LOST:
        return ConnectionFailed(
            f"The connection to {place(target)} was lost while the statement ran.",
            code="connection-lost",
            hint="Run it again; that connects anew.",
        )
    if number == INTERRUPTED:
        return QueryFailed("Somebody stopped the statement on the server.", code="statement-killed")
    if number in _TIME_IS_UP:
        return QueryTimeout("The server stopped the statement: it took too long.", hint="Ask for less at once.")
    if number in _SYNTAX:
        return _syntax(text, sql)
    if number in _BY_NUMBER:
        return tell(_BY_NUMBER[number], text, sql)
    about = _CLASSES.get((state or "")[:2])
    return QueryFailed(
        f"The server could not run the statement (error {number}{f', {about}' if about else ''}).",
        code="engine-error",
        hint="Its own text is not shown: it can hold values of rows.",
    )


def _syntax(text: str, sql: str) -> QueryFailed:
    found = re.search(r"near '(.*)' at line \d+\s*\Z", text, re.DOTALL)
    if found and not found[1]:
        return QueryFailed("The statement ends too early.", code="syntax-error")
    rest = found[1] if found else ""
    line, column = position(rest, sql)
    word = re.match(r"\w+|[^\w\s]", rest)
    # A rest with a quote in it may begin inside what was meant as a literal, so none of it is repeated.
    piece = typed(word[0], sql) if word and not set(rest) & set("'\"") else None
    near = f" near {piece}" if piece else ""
    sentence = f"The server does not understand the statement{near}."
    return QueryFailed(sentence, code="syntax-error", line=line, column=column, token=piece)
