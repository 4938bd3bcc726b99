"""What a MySQL or MariaDB session is set to, what may begin a statement on it, and how its types are called.

In: the server's version, a statement's text, column codes of the protocol. Out: one SET statement, a verdict, names.
Never: a network access, and no import of the driver.
"""

from __future__ import annotations

import re

from dbgraph_nb.model import Dialect

# The modes that change how a text is read (ANSI_QUOTES, NO_BACKSLASH_ESCAPES, PIPES_AS_CONCAT, IGNORE_SPACE, ORACLE …)
# are off whatever the server's own setting is: the gate parses the statement as these modes read it.
_MODES = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

# Of this login itself; what it has through a role is not seen by all servers.
PRIVILEGES = (
    "SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'FILE' AND GRANTEE = "
    "CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')"
)


def server_of(version: str) -> tuple[Dialect, str]:
    """Dialect and display name from the version that a server greets with.

    >>> server_of("5.5.5-10.11.19-MariaDB-0+deb12u1"), server_of("8.0.36-0ubuntu0.22.04.1")
    (('mariadb', 'MariaDB 10.11.19'), ('mysql', 'MySQL 8.0.36'))
    """
    maria = "mariadb" in version.lower()
    number = re.match(r"\d+(?:\.\d+)*", version.removeprefix("5.5.5-") if maria else version)
    shown = number[0] if number else "of unknown version"
    return ("mariadb", f"MariaDB {shown}") if maria else ("mysql", f"MySQL {shown}")


def session_settings(version: str, seconds: float) -> str:
    """The one statement that locks a new session down; a server that cannot do a part of it refuses it as a whole.

    Args:
        version: as the server greets.
        seconds: its own limit for a statement, a second line of defence behind ours.

    >>> session_settings("8.4.0", 31).split(", ")[-2:]
    ['@@SESSION.transaction_read_only = 1', '@@SESSION.max_execution_time = 31000']
    """
    dialect, name = server_of(version)
    modes = _MODES
    if dialect == "mariadb":
        limits = f"@@SESSION.tx_read_only = 1, @@SESSION.max_statement_time = {seconds:.3f}"
        # its default of 1,000 cuts a recursive query without a word; the time limit bounds it as well
        limits += ", @@SESSION.max_recursive_iterations = 4294967295"
    else:
        modes = f"ONLY_FULL_GROUP_BY,{_MODES}"  # that server's own standard
        old = re.match(r"MySQL 5\.", name)  # transaction_read_only came with 5.7.20, tx_read_only went with 8.0
        read_only = "tx_read_only" if old else "transaction_read_only"
        limits = f"@@SESSION.{read_only} = 1, @@SESSION.max_execution_time = {int(seconds * 1000)}"
    return f"SET @@SESSION.sql_mode = '{modes}', @@SESSION.autocommit = 1, {limits}"


_LEAD = re.compile(r"(?:[\s(]|--(?=[\x00-\x20]|\Z)[^\n]*|\#[^\n]*|/\*(?![!M]).*?\*/)*", re.DOTALL)
_FORM = re.compile(
    r"(?:select|with|values|table|show|describe|desc|explain)\b|analyze\s+(?:format|select|with)\b", re.IGNORECASE
)


def is_read(sql: str) -> bool:
    """Whether a statement begins like one that reads; what is written further in, the read-only session refuses.

    >>> is_read("(/* a */ select 1)"), is_read("/*! delete */ select 1"), is_read("analyze table t")
    (True, False, False)
    """
    lead = _LEAD.match(sql)
    return bool(_FORM.match(sql, lead.end() if lead else 0))


_TYPES = {
    0: "DECIMAL", 1: "TINYINT", 2: "SMALLINT", 3: "INT", 4: "FLOAT", 5: "DOUBLE", 6: "NULL", 7: "TIMESTAMP",
    8: "BIGINT", 9: "MEDIUMINT", 10: "DATE", 11: "TIME", 12: "DATETIME", 13: "YEAR", 14: "DATE", 15: "VARCHAR",
    16: "BIT", 245: "JSON", 246: "DECIMAL", 247: "ENUM", 248: "SET", 249: "TEXT", 250: "TEXT", 251: "TEXT",
    252: "TEXT", 253: "VARCHAR", 254: "CHAR", 255: "GEOMETRY",
}  # fmt: skip
_BINARY_TYPES = {"TEXT": "BLOB", "VARCHAR": "VARBINARY", "CHAR": "BINARY"}
_UNSIGNED, _ENUM, _SET, _BINARY_CHARSET = 32, 256, 2048, 63


def type_name(code: int, flags: int, charset: int) -> str:
    """The SQL name of a column's type from the protocol's code, flags and character set.

    >>> type_name(8, 32, 63), type_name(253, 0, 63), type_name(254, 256, 45)
    ('BIGINT UNSIGNED', 'VARBINARY', 'ENUM')
    """
    name = _TYPES.get(code, "")
    if flags & (_ENUM | _SET):
        return "ENUM" if flags & _ENUM else "SET"
    if charset == _BINARY_CHARSET and name in _BINARY_TYPES:
        return _BINARY_TYPES[name]
    numeric = code in (1, 2, 3, 8, 9, 0, 246, 4, 5)
    return f"{name} UNSIGNED" if numeric and flags & _UNSIGNED else name
