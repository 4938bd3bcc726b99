"""The reviewed lists of function names per dialect, kept as data beside this file.

In: a dialect. Out: which names may be called, which of them as a table, and for refused names the reason. Never: a
name that nobody has looked at; ``tests/gate/test_function_lists.py`` compares the lists with the running engines.

``functions_<dialect>.txt`` holds one allowed name a line, ``…_table.txt`` the table functions, ``…_refused.tsv`` names
with the class that forbids them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from dbgraph_nb.model import Dialect

# What a class of refused functions does, in words for the user.
CLASSES: Final = {
    "admin": "controls the server",
    "environment": "reads the environment or starts programs",
    "error": "puts data into an error message",
    "file": "reads or writes files",
    "internal": "is not meant for queries",
    "large-object": "works on large objects",
    "lock": "takes or reads locks",
    "log": "writes or reads the log",
    "network": "opens connections",
    "procedure": "is a procedure",
    "replication": "controls replication",
    "samples": "shows stored sample values",
    "secret": "shows stored secrets",
    "sequence": "advances a sequence or a counter",
    "session": "changes the session",
    "sleep": "waits or burns time",
    "sql-text": "runs or reads by SQL or names given as text",
    "storage": "works on the storage itself",
}


def _lines(name: str) -> list[str]:
    text = files("dbgraph_nb.gate").joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]


@cache
def allowed(dialect: Dialect) -> frozenset[str]:
    """Names that may be called in an expression, folded.

    >>> "lower" in allowed("duckdb"), "getenv" in allowed("duckdb")
    (True, False)
    """
    return frozenset(_lines(f"functions_{dialect}.txt"))


@cache
def allowed_tables(dialect: Dialect) -> frozenset[str] | None:
    """Names that may stand for a relation, as in ``FROM range(5)``; None where any allowed name may."""
    return frozenset(_lines(f"functions_{dialect}_table.txt")) if dialect in ("sqlite", "duckdb") else None


@cache
def refused(dialect: Dialect) -> dict[str, str]:
    """Names that may never be called, and the class of each (a key of ``CLASSES``)."""
    return dict(line.split("\t", 1) for line in _lines(f"functions_{dialect}_refused.tsv"))
