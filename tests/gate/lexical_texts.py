"""Texts that are hard to cut: select lists made of literals, names and comments in the manner of several dialects.

In: a random source. Out: texts that begin with SELECT and only ever select constants, so that any engine may run them.
"""

import random

# Bits that begin, end or escape something in one dialect or another; the rest is filler.
BITS = [
    "'", "''", '"', '""', "`", "``", "\\", "\\'", '\\"', "$$", "$a$", "$b$", "$1", "--", "-- ", "--\t", "#", "/*", "*/",
    "/*/", "\n", "\r", "\t", " ", "a", "1", ",", ";", "x", "[", "]", "E", "é", "/", "*", "-", "\f", "\\\\", "N", "B",
    "$é$",
]  # fmt: skip
OPENERS = ["'", '"', "`", "$$", "$a$", "E'", "e'", "N'", "x'", "B'", "U&'", "[", "_utf8mb4'", "$é$"]
CLOSERS = {"'": "'", '"': '"', "`": "`", "$": "$$", "[": "]"}


def _inside(source: random.Random) -> str:
    return "".join(source.choice(BITS) for _ in range(source.randint(0, 5)))


def _literal(source: random.Random) -> str:
    opener = source.choice(OPENERS)
    closer = opener if opener[0] == "$" else CLOSERS[opener[-1]]
    return opener + _inside(source) + closer


def _comment(source: random.Random) -> str:
    kind = source.randint(0, 3)
    if kind == 0:
        return (
            "--"
            + source.choice(["", " ", "\t", "x", "\x01"])
            + _inside(source)
            + source.choice(["\n", "\r", "\r\n", ""])
        )
    if kind == 1:
        return "#" + _inside(source) + "\n"
    if kind == 2:
        return "/*" + _inside(source) + "*/"
    return "/* " + _inside(source) + "/*" + _inside(source) + "*/" + source.choice(["", "*/"])


def text(source: random.Random) -> str:
    """One text: SELECT, then some pieces of which nobody promises that they are well formed."""
    parts = ["SELECT 1"]
    for _ in range(source.randint(1, 4)):
        kind = source.randint(0, 9)
        if kind < 5:
            parts.append(", " + _literal(source))
        elif kind < 8:
            parts.append(_comment(source))
        elif kind == 8:
            parts.append(source.choice(["; SELECT 2", "-1", "--1", "- -1", " AS a"]))
        else:
            parts.append(_inside(source))
    parts.append(source.choice(["", "", "\n, 2", " -- end", ";"]))
    return "".join(parts)
