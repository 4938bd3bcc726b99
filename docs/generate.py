"""Writes the reference pages from the code itself: docs/api.md from docstrings, docs/magics.md from the commands.

`make docs` runs it; a test fails while a page says something else than the code.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import dbgraph_nb
from dbgraph_nb.notebook.magics.commands import COMMANDS, help_text

HERE = Path(__file__).resolve().parent
NOTE = "<!-- written by `make docs`; edit the docstrings instead -->\n"


def api() -> str:
    """The page of public names."""
    lines = [NOTE, "# The public names\n", "`import dbgraph_nb as dg`, then:\n"]
    for name in dbgraph_nb.__all__:
        value = getattr(dbgraph_nb, name)
        if inspect.ismodule(value):
            lines += [f"## dg.{name}\n", f"{doc(value)}\n", *members(name, value)]
        else:
            lines += [f"## dg.{name}\n", *entry(f"dg.{name}", value)]
    return "\n".join(lines).rstrip() + "\n"


def members(name: str, module: Any) -> list[str]:
    """The public functions of a part, by its ``__all__``."""
    lines: list[str] = []
    for member in getattr(module, "__all__", ()):
        value = getattr(module, member)
        if callable(value):
            lines += [f"### dg.{name}.{member}\n", *entry(f"dg.{name}.{member}", value)]
    return lines


def entry(name: str, value: Any) -> list[str]:
    """Signature and docstring."""
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = "(…)"
    return ["```python", f"{name}{signature}", "```\n", "```text", doc(value), "```\n"]


def doc(value: Any) -> str:
    return inspect.getdoc(value) or ""


def magics() -> str:
    """The page of magics."""
    lines = [
        NOTE,
        "# The magics\n",
        "`%load_ext dbgraph_nb` adds them to a notebook, `%unload_ext dbgraph_nb` takes them out.\n",
        "`%dbgraph COMMAND …` stands in one line; `%%dbgraph sql` has its statement below it, and the statement",
        "reaches the engine byte for byte. `%dbgraph help` lists the commands, `%dbgraph help find` shows the",
        "options of one.\n",
    ]
    for command in COMMANDS.values():
        sign = "%%" if command.name == "sql" else "%"
        lines += [f"## {sign}dbgraph {command.name}\n", "```text", help_text(command), "```\n"]
    return "\n".join(lines).rstrip() + "\n"


PAGES = {"api.md": api, "magics.md": magics}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (HERE / page).write_text(make(), encoding="utf-8")
