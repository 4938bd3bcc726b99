"""``%%duckdb``: SQL over files of the workspace.

In: options in the line, the statement below it byte for byte. Out: the rows. Never: logic of its own, and no value of
the notebook in the text of a statement.
"""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from dbgraph_nb.notebook.magics.commands import PARAM
from dbgraph_nb.notebook.magics.desk import values, variable
from dbgraph_nb.notebook.magics.parsing import command
from dbgraph_nb.notebook.one_line import one_line


@magic_arguments()
@argument("-f", "--file", action="append", default=[], metavar="FILE", help="a file, a pattern, or name=FILE; f0, f1 …")
@argument("-o", "--output", metavar="VAR", help="keep the whole result (up to the setting fetch_rows) in this variable")
@argument("--max-rows", type=int, metavar="N", help="rows to show, 1 to 1,000 (default 200)")
@argument("--param", action="append", default=[], metavar="K=V", help=PARAM)
@argument("--timeout", type=float, metavar="SECONDS", help="for the statement (default 30)")
@argument("--show-sensitive", action="store_true", help="show sensitive values of this statement")
def run(shell: Any, args: Any, cell: str) -> Any:
    """Run one read-only statement over local files: %%duckdb -f sales.csv, the statement below it."""
    from dbgraph_nb.explore.local import duckdb_query
    from dbgraph_nb.explore.querying import preview

    output = variable(args.output) if args.output else None
    params = values(args.param, cell, shell.user_ns)
    options = {"max_rows": args.max_rows, "timeout": args.timeout, "show_sensitive": args.show_sensitive}
    frame = duckdb_query(cell, args.file, params=params, full=bool(output), **options)
    if output is None:
        return frame
    shell.user_ns[output] = frame
    return preview(frame, args.max_rows)


DUCKDB = command("", run, "%%duckdb")


@magics_class
class DuckdbMagics(Magics):
    """SQL over files."""

    @no_var_expand
    @cell_magic
    def duckdb(self, line: str, cell: str) -> Any:
        """SQL over files of the workspace; %%duckdb --help lists the options."""
        if line.strip() in ("--help", "-h"):
            print(DUCKDB.help())
            return None
        args = DUCKDB.parse(line)
        with one_line():
            return DUCKDB.run(self.shell, args, cell)
