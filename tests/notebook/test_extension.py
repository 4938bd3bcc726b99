"""Loading, unloading and loading again: what a shell has before, between and after."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import dbgraph_nb
from dbgraph_nb.explore import asking

if TYPE_CHECKING:
    from notebook.conftest import Notebook


def state(shell: Any) -> dict[str, Any]:
    """All that the extension may touch."""
    formatters = shell.display_formatter.formatters
    return {
        "magics": {kind: set(found) for kind, found in shell.magics_manager.magics.items()},
        "registry": set(shell.magics_manager.registry),
        "types": {mime: set(map(str, f.type_printers)) for mime, f in formatters.items()},
        "names": {mime: set(f.deferred_printers) for mime, f in formatters.items()},
        "lines": [t.__name__ for t in shell.input_transformer_manager.token_transformers],
        "cells": list(map(str, shell.input_transformer_manager.cleanup_transforms)),
    }


def test_unloading_leaves_nothing(shell: Any, shop_template: tuple[Any, str]) -> None:
    before = state(shell)
    dbgraph_nb.load_ipython_extension(shell)
    assert state(shell) != before
    dbgraph_nb.unload_ipython_extension(shell)
    assert state(shell) == before
    assert asking.current() is None


def test_unloading_after_use_and_double_loading_leaves_nothing(shop: Notebook) -> None:
    shop.run("%unload_ext dbgraph_nb")
    before = state(shop.shell)
    for _ in range(3):
        dbgraph_nb.load_ipython_extension(shop.shell)
        shop.run("%dbgraph schema")
        shop.run("%dbgraph resolve 用户")
    dbgraph_nb.unload_ipython_extension(shop.shell)
    assert state(shop.shell) == before
    dbgraph_nb.unload_ipython_extension(shop.shell)  # once more is no error
    assert shop.shell.find_line_magic("dbgraph") is None


def test_reloading_brings_all_back(shop: Notebook) -> None:
    loaded = state(shop.shell)
    shop.run("%reload_ext dbgraph_nb")
    assert state(shop.shell) == loaded
    assert "17 rows" in shop.printed("%dbgraph schema")


def test_without_the_extension_results_are_plain_frames(shop: Notebook) -> None:
    shop.run("frame = %dbgraph peek users --max-rows 1")
    rendered = shop.shell.display_formatter.format(shop["frame"])[0]
    assert "dbgraph-table" in rendered["text/html"]
    shop.run("%unload_ext dbgraph_nb")
    rendered = shop.shell.display_formatter.format(shop["frame"])[0]
    assert "dbgraph-table" not in rendered["text/html"]
    assert "[REDACTED]" in rendered["text/html"]
    assert "columns redacted" in rendered["text/plain"]


def test_other_frames_are_left_to_pandas(shop: Notebook) -> None:
    shop.run("frame = %dbgraph peek users --max-rows 3")
    derived = shop["frame"][["name"]]
    assert "dbgraph-table" not in shop.shell.display_formatter.format(derived)[0]["text/html"]


def test_loading_imports_nothing_heavy() -> None:
    """Not even the drivers: they come with the first command that needs them."""
    code = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
shell.run_cell("%load_ext dbgraph_nb")
assert shell.find_cell_magic("dbgraph")
shell.run_cell("%dbgraph help find")
print(sorted({"numba", "numpy", "pandas", "duckdb", "sqlglot", "pymilvus", "pymysql", "keyring"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done
