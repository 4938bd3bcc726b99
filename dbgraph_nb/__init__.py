"""Explore databases from a notebook, safely.

In: names, words and SQL. Out: the functions below; each is loaded when it is first used. Never: an import of
pandas, numba, sqlglot or a driver before it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from dbgraph_nb import gate, redact, samples, text
    from dbgraph_nb.errors import DbgraphError
    from dbgraph_nb.explore.cataloging import digest, index, status
    from dbgraph_nb.explore.connecting import connect, connections, drop, forget
    from dbgraph_nb.explore.describing import duckdb_schema
    from dbgraph_nb.explore.finding import find
    from dbgraph_nb.explore.local import duckdb_query
    from dbgraph_nb.explore.querying import peek, sql
    from dbgraph_nb.explore.structure import alias, columns, objects, resolve, schema
    from dbgraph_nb.model import SensitivePolicy

_PUBLIC = {
    "DbgraphError": "errors",
    "SensitivePolicy": "model",
    "alias": "explore.structure",
    "columns": "explore.structure",
    "connect": "explore.connecting",
    "connections": "explore.connecting",
    "digest": "explore.cataloging",
    "drop": "explore.connecting",
    "duckdb_query": "explore.local",
    "duckdb_schema": "explore.describing",
    "find": "explore.finding",
    "forget": "explore.connecting",
    "index": "explore.cataloging",
    "objects": "explore.structure",
    "peek": "explore.querying",
    "resolve": "explore.structure",
    "schema": "explore.structure",
    "sql": "explore.querying",
    "status": "explore.cataloging",
}
_PARTS = ("gate", "redact", "samples", "text")

__all__ = [  # noqa: RUF022 - in the order of use
    "connect",
    "connections",
    "index",
    "status",
    "digest",
    "schema",
    "objects",
    "columns",
    "resolve",
    "find",
    "peek",
    "sql",
    "duckdb_query",
    "duckdb_schema",
    "alias",
    "drop",
    "forget",
    "SensitivePolicy",
    "DbgraphError",
    "gate",
    "redact",
    "samples",
    "text",
    "load_ipython_extension",
    "unload_ipython_extension",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"dbgraph_nb.{_PUBLIC[name]}"), name)
    if name in _PARTS:
        return import_module(f"dbgraph_nb.{name}")
    raise AttributeError(f"module 'dbgraph_nb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: InteractiveShell) -> None:
    """``%load_ext dbgraph_nb``: adds the magics and the rendering of results to a notebook."""
    import_module("dbgraph_nb.notebook.extension").load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """``%unload_ext dbgraph_nb``: takes them out again."""
    import_module("dbgraph_nb.notebook.extension").unload(shell)
