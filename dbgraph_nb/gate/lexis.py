"""How each engine cuts a text into tokens: one table of regular expressions per dialect.

In: a dialect. Out: its ``Lexis``, which ``scan`` drives. Never: a guess; a form that engines, versions or settings read
in different ways is matched by the group ``ambiguous`` and refused.

Sources: the lexers' documented rules, checked against SQLite, DuckDB, PostgreSQL and MariaDB by
``tests/gate/test_scan_engines.py``. MySQL 8 is from its manual and was not run. Assumed settings: the default
``sql_mode`` of MySQL and MariaDB (double quotes are strings, a backslash escapes), and PostgreSQL's
``standard_conforming_strings``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dbgraph_nb.model import Dialect

_HIGH = "\x80-\U0010ffff"  # every engine takes any character beyond ASCII as a letter of a name
_PART = rf"[A-Za-z0-9_${_HIGH}]"
_WORD = rf"[A-Za-z_{_HIGH}]{_PART}*+"
# MySQL: a name may start with a digit or a dollar sign; 1e5 and 0x1f are numbers, not names.
_MYSQL_WORD = rf"[A-Za-z_${_HIGH}]{_PART}*+|(?!0[xXbB])[0-9]+(?![eE][0-9+-])[A-Za-z_${_HIGH}]{_PART}*+"
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_NUMBER = (
    rf"(?:0[xX][0-9A-Fa-f]+|0[bBoO][0-7]+|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?)"
    rf"(?![A-Za-z0-9_$.{_HIGH}])"
)
_STANDARD = r"'(?:[^']++|'')*+'"  # only the doubled quote is special
_ESCAPING = r"'(?:[^'\\]++|\\.|'')*+'"  # a backslash takes the next character with it
_DOUBLE_QUOTED = r'"(?:[^"]++|"")*+"'
_BACKTICKED = r"`(?:[^`]++|``)*+`"
_TAG = rf"(?:[A-Za-z_{_HIGH}][A-Za-z0-9_{_HIGH}]*)?"
_DOLLAR = rf"\$(?P<tag>{_TAG})\$.*?\$(?P=tag)\$"
_DOLLAR_PARAM = rf"\$(?:{_WORD}|[0-9]+(?!{_PART}))"
# An operator is one character here, but for those that change how a colon or an arrow is read.
_OPERATOR = r"::|:=|->>|->|=>|[^\w\s]"
_BLOCK = r"/\*.*?\*/"


@dataclass(frozen=True, slots=True)
class Lexis:
    """The lexical rules of one dialect; ``pattern`` has one named group per kind of token."""

    pattern: re.Pattern[str]
    nested_comments: bool = False
    executable_comments: bool = False


def _lexis(
    *,
    space: str,
    comment: str,
    ambiguous: str,
    bytes_: str,
    quoted: str,
    string: str,
    escaped: str = r"(?!)",
    word: str = _WORD,
    param: str = r"(?!)",
    open_quote: str,
    nested: bool = False,
    executable: bool = False,
) -> Lexis:
    groups = {
        "space": space,
        "comment": comment,
        "open_comment": r"/\*",  # a nested comment, or one that never ends
        "ambiguous": ambiguous,
        "bytes": bytes_,
        "escaped": escaped,
        "quoted": quoted,
        "string": string,
        "word": word,
        "number": _NUMBER,
        "bad_number": r"\.?[0-9]",
        "param": param,
        "open_quote": open_quote,
        "op": _OPERATOR,
    }
    text = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in groups.items())
    return Lexis(re.compile(text, re.DOTALL), nested, executable)


_SQLITE = _lexis(
    space=r"[ \t\n\r\f]+",
    comment=rf"--[^\n]*|{_BLOCK}",
    # $a(…) and $a::b are one variable for SQLite, with anything up to ')' inside it
    ambiguous=rf"[$@:]{_PART}*(?:::|\()|::|\#",
    bytes_=r"[xX]'[^']*'",
    quoted=rf"{_DOUBLE_QUOTED}|{_BACKTICKED}|\[[^\]]*\]",
    string=_STANDARD,
    param=rf"\?[0-9]*|[$@]{_PART}+",
    open_quote=r"""['"`\[$@]""",
)
_MYSQL = _lexis(
    space=r"[ \t\n\r\f\v]+",
    comment=rf"--(?=[\x01-\x20\x7f]|\Z)[^\n]*|\#[^\n]*|{_BLOCK}",
    ambiguous=r"[xX]'(?![0-9A-Fa-f]*')|[bB]'(?![01]*')",
    bytes_=r"[xX]'[0-9A-Fa-f]*'|[bB]'[01]*'",
    quoted=_BACKTICKED,
    string=rf"[nN]?{_ESCAPING}|" + _ESCAPING.replace("'", '"'),
    word=_MYSQL_WORD,
    open_quote=r"""['"`]""",
    executable=True,
)
_POSTGRES = _lexis(
    space=r"[ \t\n\r\f]+",
    comment=r"--[^\n\r]*",
    ambiguous=r'[uU]&"',  # a name written with code points hides which name it is
    bytes_=r"[xXbB]'[^']*'",
    escaped=rf"[eE]{_ESCAPING}|[uU]&{_STANDARD}",
    quoted=_DOUBLE_QUOTED,
    string=rf"[nN]?{_STANDARD}|{_DOLLAR}",
    param=_DOLLAR_PARAM,
    open_quote=r"""['"$]""",
    nested=True,
)
_DUCKDB = _lexis(
    # DuckDB reads the wide and the unbreakable spaces as plain ones
    space="[ \t\n\r\f\v\xa0\u2000-\u200a\u202f\u205f\u3000]+",
    comment=r"--[^\n\r]*",
    # a backtick quotes a name since 2.0 and is an operator before; B'1''0' differs as well
    ambiguous=r"`|[xXbB]'[^']*''",
    bytes_=r"[xXbB]'[^']*'",
    escaped=rf"[eE]{_ESCAPING}",
    quoted=_DOUBLE_QUOTED,
    string=rf"[nN]?{_STANDARD}|{_DOLLAR}",
    param=rf"\?[0-9]*|{_DOLLAR_PARAM}",
    open_quote=r"""['"$]""",
    nested=True,
)

LEXIS: Final[dict[Dialect, Lexis]] = {
    "sqlite": _SQLITE,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "postgres": _POSTGRES,
    "duckdb": _DUCKDB,
}
