"""``%%duckdb`` and ``%duckdb_schema``: SQL over files of the workspace, and what is in one.

In: options in the line, the statement below it byte for byte. Out: the rows. Never: logic of its own, and no value of
the notebook in the text of a statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.notebook.magics.commands import PARAM
from dbgraph_nb.notebook.magics.desk import values, variable
from dbgraph_nb.notebook.magics.parsing import command
from dbgraph_nb.notebook.one_line import one_line
from dbgraph_nb.notebook.progress_line import progress_line

FILE = "a file, a pattern, a DataFrame's name, or name=FILE; f0, f1 …"
CSV = "how CSV is read: encoding= delim= quote= header= skip= decimal= ragged=pad|skip text=COLUMNS"


@magic_arguments()
@argument("-f", "--file", action="append", default=[], metavar="FILE", help=FILE)
@argument("-o", "--output", metavar="VAR", help="keep the whole result (up to the setting fetch_rows) in this variable")
@argument("--as", dest="form", default="pandas", metavar="FORM", help="of -o: pandas (default), arrow or polars")
@argument("--to", metavar="FILE", help="write the whole result to a new file: .parquet .csv .csv.gz .tsv .json .jsonl")
@argument("--max-rows", type=int, metavar="N", help="rows to show, 1 to 1,000 (default 200)")
@argument("--write", action="store_true", help="let it make and change tables in the kernel's scratch database")
@argument("--csv", action="append", default=[], metavar="K=V", help=CSV)
@argument("--param", action="append", default=[], metavar="K=V", help=PARAM)
@argument("--timeout", type=float, metavar="SECONDS", help="for the statement (default 30)")
@argument("--show-sensitive", action="store_true", help="show sensitive values of this statement")
def run(shell: Any, args: Any, cell: str) -> Any:
    """Run one statement over local files: %%duckdb -f sales.csv, the statement below it."""
    from dbgraph_nb.explore.local import answer
    from dbgraph_nb.explore.querying import preview
    from dbgraph_nb.localdata.options import pairs

    output = variable(args.output) if args.output else None
    if args.form != "pandas" and output is None:
        raise BadArgument("--as says what -o keeps.", code="bad-option", hint="Add -o orders.")
    with progress_line(shell, "duckdb") as progress:
        found = answer(
            cell,
            mounts(args.file, shell.user_ns),
            params=values(args.param, cell, shell.user_ns),
            max_rows=args.max_rows,
            full=bool(output),
            read_only=not args.write,
            timeout=args.timeout,
            to=args.to,
            form=args.form,
            csv=pairs(args.csv),
            progress=progress,
            show_sensitive=args.show_sensitive,
        )
    if output is None:
        return found.frame
    shell.user_ns[output] = found.frame if found.table is None else found.table
    return preview(found.frame, args.max_rows)


@magic_arguments()
@argument("target", metavar="FILE", help="a file, a pattern, a DataFrame's name, or the name of a mount or table")
@argument("-f", "--file", action="append", default=[], metavar="FILE", help=FILE)
@argument("--sample", type=int, default=5, metavar="N", help="rows to show, 0 to 50 (default 5)")
@argument("--csv", action="append", default=[], metavar="K=V", help=CSV)
def describe(shell: Any, args: Any) -> Any:
    """Show columns, types, sample rows and size of a file: %duckdb_schema sales.csv."""
    from dbgraph_nb.explore.describing import duckdb_schema
    from dbgraph_nb.localdata.options import pairs

    files = mounts(args.file, shell.user_ns)
    (target,) = [args.target] if files else mounts([args.target], shell.user_ns)
    return duckdb_schema(target, files=files, sample_rows=args.sample, csv=pairs(args.csv))


def mounts(given: Sequence[str], notebook: Mapping[str, Any]) -> list[Any]:
    """Files as they are written; the name of a DataFrame stands for it, and is its name in SQL."""
    from dbgraph_nb.localdata.mounts import is_frame

    found: list[Any] = []
    for text in given:
        name, equals, variable_name = text.rpartition("=")
        frame = notebook.get(variable_name) if variable_name.isidentifier() else None
        is_known = is_frame(frame) and (not equals or name.isidentifier())
        found.append((name or variable_name, frame) if is_known else text)
    return found


DUCKDB = command("", run, "%%duckdb")
SCHEMA = command("", describe, "%duckdb_schema")


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

    @no_var_expand
    @line_magic
    def duckdb_schema(self, line: str) -> Any:
        """What is in a file of the workspace; %duckdb_schema --help lists the options."""
        if line.strip() in ("--help", "-h"):
            print(SCHEMA.help())
            return None
        args = SCHEMA.parse(line)
        with one_line():
            return SCHEMA.run(self.shell, args)
