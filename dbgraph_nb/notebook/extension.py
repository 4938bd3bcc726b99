"""Puts the package into a running IPython: magics, rendering, and the person who can be asked for a password.

In: an IPython shell. Out: the shell with ``%dbgraph``, and without it after unloading. Never: an import of pandas,
numba, sqlglot or a driver at loading time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dbgraph_nb.notebook import as_typed
from dbgraph_nb.notebook.asking import asker
from dbgraph_nb.notebook.magics.dbgraph import DbgraphMagics
from dbgraph_nb.notebook.magics.duckdb import DuckdbMagics

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

# (module, class) → the functions of a module of render that show it, by name: nothing is imported until used
SHOWN = {
    ("dbgraph_nb.result", "ResultFrame"): ("frame", "to_text", "to_html"),
    ("dbgraph_nb.result", "FindAnswer"): ("answer", "answer_text", "answer_html"),
    ("dbgraph_nb.result", "FileSchema"): ("schema", "schema_text", "schema_html"),
    ("dbgraph_nb.model", "Hits"): ("answer", "hits_text", "hits_html"),
    ("dbgraph_nb.model", "IndexReport"): ("answer", "report_text", None),
    ("dbgraph_nb.model", "Connection"): ("answer", "connection_text", None),
}


def load(shell: InteractiveShell) -> None:
    """Registers the magics and the formatters, and lets connections ask for passwords where a person can answer."""
    from dbgraph_nb.explore import asking

    unload(shell)  # a second loading replaces the first
    shell.register_magics(DbgraphMagics(shell), DuckdbMagics(shell))
    asking.let_ask(asker(shell))
    as_typed.begin(shell)
    for (module, name), (renderer, text, html) in SHOWN.items():
        _formatter(shell, "text/plain").for_type_by_name(module, name, _text(renderer, text))
        if html is not None:
            _formatter(shell, "text/html").for_type_by_name(module, name, _html(renderer, html))


def unload(shell: InteractiveShell) -> None:
    """Takes the magics, the formatters and the rest out again."""
    from dbgraph_nb.explore import asking

    for kind in ("line", "cell"):
        for name in ("dbgraph", "duckdb", "duckdb_schema"):
            shell.magics_manager.magics[kind].pop(name, None)
    for name in ("DbgraphMagics", "DuckdbMagics"):
        shell.magics_manager.registry.pop(name, None)
    asking.let_ask(None)
    as_typed.end(shell)
    for module, name in SHOWN:
        for mime in ("text/plain", "text/html"):
            _formatter(shell, mime).pop(f"{module}.{name}", None)


def _formatter(shell: InteractiveShell, mime: str) -> Any:
    return shell.display_formatter.formatters[mime]  # type: ignore[union-attr]  # every running shell has one


def _render(renderer: str, function: str) -> Callable[[Any], str]:
    from importlib import import_module

    found: Callable[[Any], str] = getattr(import_module(f"dbgraph_nb.render.{renderer}"), function)
    return found


def _html(renderer: str, function: str) -> Callable[[Any], str]:
    return lambda value: _render(renderer, function)(value)


def _text(renderer: str, function: str) -> Callable[[Any, Any, bool], None]:
    def show(value: Any, printer: Any, cycle: bool) -> None:
        printer.text(_render(renderer, function)(value))

    return show
