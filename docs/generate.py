"""Writes the reference pages from the code itself: docs/api.md from docstrings, docs/magics.md from the commands,
docs/errors.md from the errors that the sources raise.

`make docs` runs it; a test fails while a page says something else than the code.
"""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dbgraph_nb
from dbgraph_nb import errors as errors_module
from dbgraph_nb.notebook.magics.commands import COMMANDS, help_text
from dbgraph_nb.notebook.magics.duckdb import DUCKDB, SCHEMA

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
        signature = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", str(inspect.signature(value)))
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
    lines += ["## %%duckdb\n", "SQL over [local files](local-files.md).\n", "```text", DUCKDB.help(), "```\n"]
    lines += ["## %duckdb_schema\n", "What is in a file.\n", "```text", SCHEMA.help(), "```\n"]
    return "\n".join(lines).rstrip() + "\n"


@dataclass
class Code:
    """What the sources say of one error code."""

    classes: set[str] = field(default_factory=set)
    sentences: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


def codes() -> dict[str, Code]:
    """Every ``code=`` of the package with its class, sentence and hint, read from the source text."""
    found: dict[str, Code] = {}
    for path in sorted(Path(dbgraph_nb.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                _note(node, found)
    return found


def _note(call: ast.Call, found: dict[str, Code]) -> None:
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    code = given.get("code")
    if not isinstance(code, ast.Constant) or not isinstance(code.value, str):
        return
    entry = found.setdefault(code.value, Code())
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in vars(errors_module):
        entry.classes.add(name)
    first = given.get("sentence") or given.get("message") or (call.args[0] if call.args else None)
    for told, into in ((template(first), entry.sentences), (template(given.get("hint")), entry.hints)):
        if told and told not in into:
            into.append(told)


def template(node: ast.expr | None) -> str:
    """A text in the source with … where a value goes; empty if it is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def errors() -> str:
    """The page of errors."""
    lines = [
        NOTE,
        "# Errors\n",
        "Every problem is a `DbgraphError` with a stable `.code`, a `.message` of one sentence, a `.hint` that says",
        "what to do, and, where it is known, `.line`, `.column` and `.token`. In a notebook it shows as one line",
        "without a traceback and is saved as an error output. Classes also inherit the builtin kind in brackets, so",
        "that `except ValueError` and the like work.\n",
        "| class | code by default | what it means |",
        "|---|---|---|",
    ]
    for name, value in vars(errors_module).items():
        if inspect.isclass(value) and issubclass(value, errors_module.DbgraphError):
            builtin = ", ".join(b.__name__ for b in value.__bases__ if b.__module__ == "builtins")
            shown = f"`{name}`" + (f" ({builtin})" if builtin != "Exception" and builtin else "")
            lines.append(
                f"| {shown} | `{value.default_code}` | {doc(value).split(chr(10) * 2)[0].replace(chr(10), ' ')} |"
            )
    lines += ["\nThe codes, with the sentence that is shown (… stands for a name or a number):\n"]
    lines += ["| code | class | what it says | what to do |", "|---|---|---|---|"]
    for code, entry in sorted(codes().items()):
        row = (
            " ".join(f"`{c}`" for c in sorted(entry.classes)),
            "<br>".join(entry.sentences[:3]),
            "<br>".join(entry.hints[:2]),
        )
        cells = " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row)
        lines.append(f"| `{code}` | {cells} |")
    lines += ["\nRefusals of the gate have the code `gate-` and the name of the rule: [the gate](gate.md).\n"]
    return "\n".join(lines).rstrip() + "\n"


PAGES = {"api.md": api, "errors.md": errors, "magics.md": magics}

if __name__ == "__main__":
    for page, make in PAGES.items():
        (HERE / page).write_text(make(), encoding="utf-8")
