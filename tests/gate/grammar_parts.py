"""What stands for a slot in the templates of the grammar: expressions, queries, writes, comments, by dialect.

In: a slot's name and a dialect. Out: the texts to choose from, out of ``grammar_parts.txt``; they may hold slots again.
Never: a choice of another dialect.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from dbgraph_nb.model import Dialect

LETTERS: Final[dict[Dialect, str]] = {"sqlite": "s", "mysql": "m", "mariadb": "M", "postgres": "p", "duckdb": "d"}
FILE: Final = Path(__file__).with_name("grammar_parts.txt")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "_": " "}


def sections(path: Path) -> dict[str, list[list[str]]]:
    """By the name behind "== ": the fields of every line that is no comment."""
    found: dict[str, list[list[str]]] = {}
    lines: list[list[str]] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("# "):
            lines.append(line.split("\t"))
    return found


def plain(text: str) -> str:
    """``text`` with its escapes replaced.

    >>> plain(r"a\\_b")
    'a b'
    """
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), text)


@cache
def of(name: str, dialect: Dialect) -> tuple[str, ...]:
    """The choices for the slot ``name`` in ``dialect``."""
    lines = sections(FILE)[name]
    return tuple(
        plain(text.strip(" ")) for letters, texts in lines if LETTERS[dialect] in letters for text in texts.split("¦")
    )
