"""Fields of typed structs that their names give away.

In: a column and its type as DuckDB writes it. Out: dotted columns with why. Never: a look at a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbgraph_nb.model import Sensitivity
from dbgraph_nb.redact import names

_PIECE = re.compile(r'"((?:[^"]|"")*)"|(\w+)|([(),])|\S')


def sensitive_fields(column: str, declared: str) -> Iterator[tuple[str, Sensitivity]]:
    """Each field of a struct, also inside lists and other structs, that its name makes sensitive: its dotted path.

    >>> [path for path, _ in sensitive_fields("s", 'STRUCT(a INTEGER, b STRUCT("password" VARCHAR)[])')]
    ['s.b.password']
    """
    if "STRUCT(" not in declared.upper():
        return
    path, expecting, depth = [column], False, 0
    opened: list[int] = []  # depths at which a struct's fields stand
    kind = ""
    for found in _PIECE.finditer(declared):
        quoted, word, mark = found.groups()
        if mark == "(":
            depth += 1
            if kind == "struct":
                opened.append(depth)
                expecting = True
        elif mark == ")":
            if opened and opened[-1] == depth:
                opened.pop()
                path = path[: len(opened) + 1]
            depth -= 1
        elif mark == "," and opened and opened[-1] == depth:
            expecting = True
        elif expecting and (quoted is not None or word):
            name = word if quoted is None else quoted.replace('""', '"')
            path = [*path[: len(opened)], name]
            expecting = False
            why = names.classify(name)
            if why is not None:
                yield ".".join(path), why
            kind = ""
            continue
        kind = (word or "").lower()
