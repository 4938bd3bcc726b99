"""Options of a magic, by IPython's ``magic_arguments``; what it cannot parse becomes one of our errors.

In: the text behind a magic. Out: parsed arguments, and the help that describes them. Never: an expansion of ``$`` or
braces, a usage message printed instead of raised, a URL (it may hold a password) in an error.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from IPython.core.magic_arguments import MagicArgumentParser

from dbgraph_nb.errors import BadArgument

_URL = re.compile(r"\S*://\S*")


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand: its parser and the function that makes one call of ``explore``."""

    name: str
    parser: MagicArgumentParser
    run: Callable[..., Any]
    summary: str
    sign: str  # %dbgraph, or %%dbgraph for a command with a cell below it

    def parse(self, line: str) -> argparse.Namespace:
        """The arguments of this command in ``line``, split as a shell splits words; options may stand anywhere.

        Raises:
            BadArgument: an unknown option, a missing word or an open quote.
        """
        parsed: argparse.Namespace = self.parser.parse_intermixed_args(words(line))
        return parsed

    def usage(self) -> str:
        """The form of the whole line, as ``%dbgraph use NAME``; written here so that no Python words it otherwise."""
        places = [_place(action) for action in self.parser._actions if not action.option_strings]
        options = [_option(action) for action in self.parser._actions if action.option_strings]
        return " ".join([f"{self.sign} {self.name}".strip(), *places, *options])

    def help(self) -> str:
        """Usage, summary, and a line for each argument and option."""
        rows = [(", ".join(a.option_strings) or _metavar(a), str(a.help)) for a in self.parser._actions]
        return "\n".join(
            [self.usage(), "", self.summary, "", *(f"  {name:<18} {text}" for name, text in rows)]
        ).rstrip()


def words(line: str) -> list[str]:
    """Shell words of a line; ``#`` and backslashes inside words are plain characters, a Chinese space is a space.

    >>> words("用户 where　姓名='张 三'")
    ['用户', 'where', '姓名=张 三']
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace += "\u3000"
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    try:
        return list(lexer)
    except ValueError:
        raise BadArgument(
            "A quote is opened in this line and not closed.",
            code="open-quote",
            hint="""Close it; a word with a ' in it stands between two ", as "O'Neil".""",
        ) from None


def command(name: str, function: Callable[..., Any], sign: str = "%dbgraph") -> Command:
    """Makes a command of a function that carries ``magic_arguments``."""
    parser: MagicArgumentParser = function.parser  # type: ignore[attr-defined]  # set by magic_arguments
    made = Command(name, parser, function, str(parser.description).strip().splitlines()[0], sign)

    def refuse(message: str) -> NoReturn:
        said = without_urls(message.removesuffix("."))
        raise BadArgument(f"{f'{sign} {name}'.strip()}: {said}.", code="bad-option", hint=f"Usage: {made.usage()}")

    parser.error = refuse  # type: ignore[method-assign]  # its own prints usage and raises a UsageError
    parser.allow_abbrev = False  # --show must not switch anything off that only --show-sensitive may
    return made


def without_urls(text: str) -> str:
    """The text with each URL masked.

    >>> without_urls("unrecognized arguments: mysql://u:pw@h/db")
    'unrecognized arguments: (a URL)'
    """
    return _URL.sub("(a URL)", text)


def _metavar(action: argparse.Action) -> str:
    return str(action.metavar or action.dest.upper())


def _place(action: argparse.Action) -> str:
    name = _metavar(action)
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(action.nargs), name)


def _option(action: argparse.Action) -> str:
    name = action.option_strings[0]
    return f"[{name}]" if action.nargs == 0 else f"[{name} {_metavar(action)}]"
