"""The commands of ``%dbgraph``, one function each: parsed options in, one ``explore`` call, its object out.

In: a ``Desk`` (the shell and the connection in use) and parsed options. Out: what ``explore`` returns. Never: SQL text
built here, and no heavy import before a command runs.
"""

from __future__ import annotations

import argparse
import difflib
from dataclasses import replace
from typing import Any

from IPython.core.magic_arguments import argument, magic_arguments

from dbgraph_nb.errors import BadArgument, UnknownName
from dbgraph_nb.notebook.magics.desk import Desk, values, variable
from dbgraph_nb.notebook.magics.parsing import Command, command, without_urls
from dbgraph_nb.notebook.progress_line import progress_line

on = argument("--on", metavar="NAME", help="a connection other than the one in use")
PARAM = "value of :K (else the notebook variable K); 12 and 1.50 are numbers, 007 is text, and so is \"K='12'\""


@magic_arguments()
@argument("name", metavar="NAME", help="how you will call the connection")
@argument(
    "url",
    metavar="URL",
    help="sqlite:///path, duckdb:///path, mysql://user@host:port/database, mariadb://…, postgresql://…, or env:NAME",
)
@argument("--credential", metavar="REFERENCE", help="where the password is: keyring:, env:NAME or prompt:")
@argument(
    "--sensitive",
    default="redact",
    choices=("redact", "show"),
    metavar="redact|show",
    help="hide sensitive columns, or show them",
)
def connect(desk: Desk, args: argparse.Namespace) -> Any:
    """Try a database, store it under a name and use it."""
    from dbgraph_nb.explore.connecting import connect as action

    made = action(args.name, args.url, credential=args.credential, sensitive=args.sensitive)
    desk.current = made.name
    return made


@magic_arguments()
def connections(desk: Desk, args: argparse.Namespace) -> Any:
    """List the stored connections."""
    from dbgraph_nb.explore.connecting import connections as action

    return action()


@magic_arguments()
@argument("name", metavar="NAME", help="a stored connection")
def use(desk: Desk, args: argparse.Namespace) -> Any:
    """Use a connection in this notebook."""
    from dbgraph_nb.explore import context

    found = context.connection(args.name, context.settings())
    desk.current = found.name
    return found


@magic_arguments()
@argument("name", metavar="NAME", nargs="?", help="a connection (default: the one in use)")
@argument(
    "--level",
    default="full",
    metavar="l1|l2|full",
    help="l1: tables and columns; l2: keys and samples over it; full: both (default)",
)
@argument("--writer", default="auto", metavar="auto|numba|python", help="which code writes the index (default auto)")
@argument("--timeout", type=float, default=300, metavar="SECONDS", help="for the whole run (default 300)")
def index(desk: Desk, args: argparse.Namespace) -> Any:
    """Build or refresh the local index of a connection."""
    from dbgraph_nb.explore.cataloging import index as action

    name = desk.name(args.name)
    with progress_line(desk.shell, f"index {name}") as progress:
        return action(name, args.level, writer=args.writer, timeout=args.timeout, progress=progress)


@magic_arguments()
@argument("table", metavar="TABLE", nargs="?", help="one table: its columns; without it: all tables and views")
@on
def schema(desk: Desk, args: argparse.Namespace) -> Any:
    """Show the tables, or the columns of one, from the index."""
    from dbgraph_nb.explore.structure import schema as action

    return action(desk.name(args.on), args.table)


@magic_arguments()
@argument("pattern", metavar="PATTERN", nargs="?", help="words, or a name with * and ?")
@argument("--kind", metavar="KIND", help="only this kind: table, view, …")
@on
def objects(desk: Desk, args: argparse.Namespace) -> Any:
    """List tables and views by pattern, from the index."""
    from dbgraph_nb.explore.structure import objects as action

    return action(desk.name(args.on), args.pattern, args.kind)


@magic_arguments()
@argument("table", metavar="TABLE", nargs="?", help="one table ('*': all)")
@argument("pattern", metavar="PATTERN", nargs="?", help="words, or a name with * and ?")
@on
def columns(desk: Desk, args: argparse.Namespace) -> Any:
    """List columns by table and pattern, from the index."""
    from dbgraph_nb.explore.structure import columns as action

    table = None if args.table == "*" else args.table
    return action(desk.name(args.on), table, args.pattern)


@magic_arguments()
@argument("table", metavar="TABLE", help="a table or view")
@argument("--max-rows", type=int, metavar="N", help="rows to show, 1 to 1,000 (default 20)")
@on
def peek(desk: Desk, args: argparse.Namespace) -> Any:
    """Show the first rows of a table."""
    from dbgraph_nb.explore.querying import peek as action

    return action(desk.name(args.on), args.table, max_rows=args.max_rows)


@magic_arguments()
@argument("words", metavar="WORDS", nargs="*", help="entity, fields, then: where name=value …  (= != < <= > >= ~)")
@argument("--all", action="store_true", help="no predicate: the first rows")
@argument("--explain", action="store_true", help="show the SQL, the parameters, the candidates and the reasons")
@argument("--limit", type=int, metavar="N", help="rows to return, 1 to 1,000 (default 200)")
@argument("-o", "--output", metavar="VAR", help="also keep the rows in this variable")
@on
def find(desk: Desk, args: argparse.Namespace) -> Any:
    """Answer words with one query: %dbgraph find 用户 密码 where 姓名=张三."""
    from dbgraph_nb.explore.finding import find_words

    answer = find_words(desk.name(args.on), args.words, everything=args.all, limit=args.limit)
    if args.output:
        desk.shell.user_ns[variable(args.output)] = answer.frame
    return replace(answer, explain=args.explain)


@magic_arguments()
@argument("words", metavar="WORDS", nargs="+", help="a term or a whole question")
@argument("-k", type=int, default=10, metavar="N", help="how many hits (default 10)")
@on
def resolve(desk: Desk, args: argparse.Namespace) -> Any:
    """Rank tables and columns for words, offline."""
    from dbgraph_nb.explore.structure import resolve as action

    return action(desk.name(args.on), " ".join(args.words), k=args.k)


@magic_arguments()
@argument("name", metavar="NAME", nargs="?", help="a connection (default: the one in use)")
@argument("-o", "--output", metavar="VAR", help="keep the whole result (up to the setting fetch_rows) in this variable")
@argument("--max-rows", type=int, metavar="N", help="rows to show, 1 to 1,000 (default 200)")
@argument("--param", action="append", default=[], metavar="K=V", help=PARAM)
@argument("--count", action="store_true", help="let the server count all rows")
@argument("--to", metavar="FILE", help="write the whole result to a new file: .parquet .csv .csv.gz .tsv .json .jsonl")
@argument("--timeout", type=float, metavar="SECONDS", help="for the statement (default 30)")
@argument("--show-sensitive", action="store_true", help="show sensitive values of this statement")
def sql(desk: Desk, args: argparse.Namespace, cell: str) -> Any:
    """Run one read-only statement: %%dbgraph sql, the statement below it."""
    from dbgraph_nb.explore.querying import preview
    from dbgraph_nb.explore.querying import sql as action

    output = variable(args.output) if args.output else None
    params = values(args.param, cell, desk.shell.user_ns)
    options = {"count": args.count, "timeout": args.timeout, "show_sensitive": args.show_sensitive, "to": args.to}
    frame = action(desk.name(args.name), cell, params, max_rows=args.max_rows, full=bool(output), **options)
    if output is None:
        return frame
    desk.shell.user_ns[output] = frame
    return preview(frame, args.max_rows)


@magic_arguments()
@argument("alias", metavar="WORD=TARGET", help="用户=users, 电话=users.phone, 已支付=orders.status=paid, 客户=customer")
@on
def alias(desk: Desk, args: argparse.Namespace) -> Any:
    """Teach a word: it means this table, column, value or other word."""
    from dbgraph_nb.explore.structure import alias as action

    word, separator, target = args.alias.partition("=")
    if not separator:
        raise BadArgument(
            f"%dbgraph alias: {args.alias!r} has no '='.", code="bad-alias", hint="Write %dbgraph alias 用户=users."
        )
    return action(desk.name(args.on), word, target)


@magic_arguments()
@argument("name", metavar="NAME", nargs="?", help="one connection (default: all)")
def status(desk: Desk, args: argparse.Namespace) -> Any:
    """Say what is indexed, how deep and how fresh."""
    from dbgraph_nb.explore.cataloging import status as action

    return action(args.name)


@magic_arguments()
@argument("name", metavar="NAME", nargs="?", help="a connection (default: the one in use)")
def digest(desk: Desk, args: argparse.Namespace) -> None:
    """Print a short description of a database, for a person or a prompt."""
    from dbgraph_nb.explore.cataloging import digest as action

    print(action(desk.name(args.name)))


@magic_arguments()
@argument("name", metavar="NAME", help="a connection")
def drop(desk: Desk, args: argparse.Namespace) -> None:
    """Remove the index of a connection; the connection stays."""
    from dbgraph_nb.explore.connecting import drop as action

    action(args.name)


@magic_arguments()
@argument("name", metavar="NAME", help="a connection")
def forget(desk: Desk, args: argparse.Namespace) -> None:
    """Remove a connection, its index, its aliases and its password."""
    from dbgraph_nb.explore.connecting import forget as action

    action(args.name)
    if desk.current == args.name:
        desk.current = None


@magic_arguments()
@argument("topic", metavar="TOPIC", nargs="?", help="a command")
def help_(desk: Desk, args: argparse.Namespace) -> None:
    """List the commands, or show the options of one."""
    if args.topic is None:
        print("\n".join(f"{c.sign} {c.name:<12}{c.summary}" for c in COMMANDS.values()))
    else:
        print(help_text(known(args.topic)))


def help_text(chosen: Command) -> str:
    """Usage and options of one command, as ``%dbgraph help find`` prints it."""
    return chosen.help()


def known(name: str) -> Command:
    """The command of that name.

    Raises:
        UnknownName: there is none (code ``unknown-command``).
    """
    if name in COMMANDS:
        return COMMANDS[name]
    near = difflib.get_close_matches(name.casefold(), COMMANDS, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"It has {', '.join(COMMANDS)}."
    raise UnknownName(f"%dbgraph has no command {without_urls(name)!r}.", code="unknown-command", hint=hint)


ALL = (
    connect, connections, use, index, schema, objects, columns, find, resolve, peek, sql, alias, status, digest, drop,
    forget, help_,
)  # fmt: skip
COMMANDS: dict[str, Command] = {
    name: command(name, function, "%%dbgraph" if name == "sql" else "%dbgraph")
    for function in ALL
    for name in (function.__name__.rstrip("_"),)
}
