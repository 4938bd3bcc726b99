"""What a command has before it: the shell, the connection in use, and what the words of an option mean.

In: an IPython shell and words of a line. Out: names and values. Never: SQL text.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dbgraph_nb.errors import BadArgument, UnknownName

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)?\.[0-9]+")


class Desk:
    """Holds the shell of this notebook, and the name of the connection in use."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.current: str | None = None

    def name(self, given: str | None) -> str:
        """The connection that is meant: the one named, the one in use, or the only one there is.

        Raises:
            UnknownName: none is in use and there is not exactly one (code ``no-connection``).
        """
        if given or self.current:
            return str(given or self.current)
        from dbgraph_nb.explore.connecting import connections

        known = list(connections()["name"])
        if len(known) == 1:
            return str(known[0])
        hint = (
            f"Choose with %dbgraph use NAME: {', '.join(known)}." if known else "Start with %dbgraph connect NAME URL."
        )
        raise UnknownName("No connection is in use.", code="no-connection", hint=hint)


_TAKEN = frozenset(("In", "Out", "get_ipython", "exit", "quit", "display", "dg"))


def variable(name: str) -> str:
    """A usable variable name.

    Raises:
        BadArgument: it is none (code ``bad-variable``).
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise BadArgument(f"{name!r} is not a name for a variable.", code="bad-variable", hint="Use -o orders.")
    if name.startswith("_") or name in _TAKEN or hasattr(builtins, name):
        raise BadArgument(
            f"{name} is a name that Python or the notebook needs.", code="bad-variable", hint="Use -o orders."
        )
    return name


def pair(text: str) -> tuple[str, int | Decimal | str]:
    """``k=v`` as a name and a value. What is written as a number is one, and exact; all else is text.

    Leading zeros make a code, not a number. Text that looks like a number stands between single quotes, as in SQL.

    Raises:
        BadArgument: there is no ``=``, or no name before it (code ``bad-param``).

    >>> pair("n=12"), pair("price=1.50"), pair("code=007"), pair("year='2025'"), pair("day=2025-01-10")
    (('n', 12), ('price', Decimal('1.50')), ('code', '007'), ('year', '2025'), ('day', '2025-01-10'))
    """
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise BadArgument(
            f"--param {text!r} is not of the form name=value.", code="bad-param", hint="Write --param least=500."
        )
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return name, value[1:-1].replace("''", "'")
    if _INTEGER.fullmatch(value):
        return name, int(value)
    return name, Decimal(value) if _DECIMAL.fullmatch(value) else value


def values(options: Sequence[str], statement: str, notebook: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the parameters of a statement may take: first the ``--param`` options, then the notebook's variables.

    Raises:
        BadArgument: an option that the statement does not use (code ``unknown-parameter``); after a slip in its name,
            the notebook's variable of the right name would pass for it.
    """
    given: dict[str, Any] = dict(pair(option) for option in options)
    for name in given:
        if not re.search(rf":{re.escape(name)}(?!\w)", statement):
            raise BadArgument(
                f"The statement has no parameter :{name}.",
                code="unknown-parameter",
                hint="Correct the name after --param, or leave the option out.",
            )
    return ChainMap(given, notebook)  # type: ignore[arg-type]  # it is only read
