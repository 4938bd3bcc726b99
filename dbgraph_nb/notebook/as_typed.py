"""What is typed reaches the magic as it was typed: the body of a cell, and a line that ends with a question mark.

In: the lines and tokens of a cell. Out: the same with our magics as calls. Never: a change of another line, or of a
text in quotes.

IPython takes ``>>>`` for a prompt and removes it from each line, also inside an SQL text; and it takes ``word?`` at the
end of a line as a look-up of an object, so that ``%dbgraph resolve where is the phone?`` would only say that ``phone``
is no object.
"""

from __future__ import annotations

import re
import tokenize
from typing import TYPE_CHECKING

from IPython.core.inputtransformer2 import TokenTransformBase, cell_magic

from dbgraph_nb.notebook.magics.commands import COMMANDS

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_CELL = re.compile(r"%%(?:dbgraph|duckdb)(\s|$)")
_LINE = re.compile(r"%dbgraph[ \t]+(\S.*?)[ \t]*\?+\s*")


def dbgraph_cell(lines: list[str]) -> list[str]:
    """A cell of one of our magics as a call, before anything looks at it; a missing body is an empty line."""
    top = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if top == len(lines) or not _CELL.match(lines[top]):
        return lines
    made: list[str] = cell_magic([*lines[top:], *(["\n"] if top + 1 == len(lines) else [])])
    return made


class DbgraphQuestion(TokenTransformBase):
    """``%dbgraph find?`` shows the help of find; after more words, the mark is dropped."""

    priority = 4  # before IPython's own look-up, which has 5

    @classmethod
    def find(cls, tokens_by_line: list[list[tokenize.TokenInfo]]) -> DbgraphQuestion | None:
        """The first such line of a cell."""
        for tokens in tokens_by_line:
            first = next((t for t in tokens if t.type not in (tokenize.INDENT, tokenize.DEDENT)), None)
            if first is not None and _LINE.fullmatch(first.line[first.start[1] :]):
                return cls(first.start)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """The cell with that line as a call."""
        line = lines[self.start_line]
        found = _LINE.fullmatch(line[self.start_col :])
        assert found is not None
        text = f"help {found[1]}" if found[1] in COMMANDS else found[1]
        call = f"{line[: self.start_col]}get_ipython().run_line_magic('dbgraph', {text!r})\n"
        return [*lines[: self.start_line], call, *lines[self.start_line + 1 :]]


def begin(shell: InteractiveShell) -> None:
    """From now on, IPython lets these pass."""
    end(shell)
    shell.input_transformer_manager.cleanup_transforms.insert(0, dbgraph_cell)
    shell.input_transformer_manager.token_transformers.append(DbgraphQuestion)


def end(shell: InteractiveShell) -> None:
    """As IPython has it."""
    manager = shell.input_transformer_manager
    ours = (dbgraph_cell.__name__, DbgraphQuestion.__name__)
    for steps in (manager.cleanup_transforms, manager.token_transformers):
        steps[:] = [step for step in steps if getattr(step, "__name__", "") not in ours]
