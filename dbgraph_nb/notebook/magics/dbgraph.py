"""``%dbgraph`` and ``%%dbgraph sql``: words in a cell become one call of ``explore``.

In: the text behind the magic, the cell's body byte for byte. Out: the object that the call returns. Never: logic of
its own, and no value of the notebook in the text of a statement.
"""

from __future__ import annotations

import inspect
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.notebook.magics.commands import COMMANDS, known
from dbgraph_nb.notebook.magics.desk import Desk
from dbgraph_nb.notebook.one_line import one_line


@magics_class
class DbgraphMagics(Magics):
    """Holds which connection this notebook uses."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.desk = Desk(shell)

    @no_var_expand
    @line_cell_magic
    def dbgraph(self, line: str, cell: str | None = None) -> Any:
        """Explore a database: structure from the local index, values by one read-only statement.

        ``%dbgraph help`` lists the commands, ``%dbgraph help find`` shows the options of one.
        """
        line = line.rstrip().removesuffix(";")  # a habit from SQL; a value that ends so stands in quotes
        name, rest = (*line.split(maxsplit=1), "", "")[:2]
        if (name and rest.strip() in ("--help", "-h")) or name.endswith("?"):
            name, rest, cell = "help", name.rstrip("?"), None
        chosen = known(name or "help")
        if cell is None and name == "sql":
            raise BadArgument("The statement stands below %%dbgraph sql, not behind it.", code="wrong-form")
        if cell is not None and name != "sql":
            raise BadArgument(
                f"{f'%dbgraph {name}'.strip()} stands in one line.",
                code="wrong-form",
                hint="Only %%dbgraph sql, with two percent signs, has a cell below it.",
            )
        args = chosen.parse(rest)
        with one_line():
            return chosen.run(self.desk, args) if cell is None else chosen.run(self.desk, args, cell)


DbgraphMagics.dbgraph.__doc__ = f"{inspect.cleandoc(DbgraphMagics.dbgraph.__doc__ or '')}\n\n" + "\n".join(
    f"  {c.name:<12}{c.summary}" for c in COMMANDS.values()
)
