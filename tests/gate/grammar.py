"""Statements made at random: queries of every shape, and every class of bypass from ``grammar_classes.txt``.

In: a dialect, a random source, the functions of a running engine (or of the gate's lists). Out: ``Made`` statements
with their class and what the class says of them. Never: a statement whose label depends on the gate.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from gate import grammar_parts as parts
from gate.grammar_functions import Function, call, field

from dbgraph_nb.gate import functions
from dbgraph_nb.gate.refusal import Refused
from dbgraph_nb.gate.scan import scan_text
from dbgraph_nb.model import Dialect

FILE: Final = Path(__file__).with_name("grammar_classes.txt")
_SLOT: Final = re.compile("«([a-z0-9]+)»")
_DEEPEST: Final = 3


@dataclass(frozen=True)
class Made:
    """A statement: its class, and "+" for a read, "-" for what must be refused, "?" where nobody promises."""

    kind: str
    label: str
    sql: str


@cache
def templates(dialect: Dialect) -> dict[str, list[tuple[str, str]]]:
    """By class: the label and the template of every line for ``dialect``."""
    return {
        kind: [(label, parts.plain(text)) for letters, label, text in lines if parts.LETTERS[dialect] in letters]
        for kind, lines in parts.sections(FILE).items()
    }


class Grammar:
    """The generator of one dialect; ``catalogue`` are the functions that «any» draws from."""

    def __init__(self, dialect: Dialect, seed: int, catalogue: Sequence[Function] = ()) -> None:
        self.dialect = dialect
        self.source = random.Random(seed)
        names = sorted(functions.allowed(dialect) | functions.refused(dialect).keys())
        self.catalogue = list(catalogue) or [Function(name) for name in names]
        reviewed = [one for one in self.catalogue if one.name in functions.allowed(dialect)]
        self.reviewed = reviewed or [Function(name) for name in sorted(functions.allowed(dialect))]
        self.tables = sorted(functions.allowed_tables(dialect) or ())
        self.depth = 0

    def statements(self, count: int) -> Iterator[Made]:
        """``count`` statements: the classes in turn, a read as often as its opposite, and splices of two."""
        kinds = templates(self.dialect)
        names = sorted(kinds)
        last = Made("reads", "+", "SELECT 1")
        for number in range(count):
            kind = (*names, "splices", "splices", "catalogue")[number % (len(names) + 3)]
            if kind == "splices":
                made = Made(kind, "?", self.splice(last.sql, self.fill("«q»")))
            else:
                made = self.one(kind, kinds[kind])
                if self.source.random() < 0.5 or made.label == "+":
                    last = made
            yield made

    def one(self, kind: str, lines: list[tuple[str, str]]) -> Made:
        labels = [label for label, _ in lines]
        # a read as often as its opposite; what nobody promises as often as it is written
        label = self.source.choice(labels)
        if label != "?":
            label = self.source.choice(sorted(set(labels) - {"?"}))
        template = self.source.choice([text for mark, text in lines if mark == label])
        return Made(kind, label, self.fill(template))

    def fill(self, template: str) -> str:
        """``template`` with every slot filled."""
        return _SLOT.sub(lambda slot: self.slot(slot[1]), template)

    def slot(self, name: str) -> str:
        choice, dialect = self.source.choice, self.dialect
        if name == "any":
            return call(choice(self.catalogue), dialect, self.source)
        if name == "some":
            return call(choice(self.reviewed), dialect, self.source)
        if name in ("field", "fieldname"):
            return field(self.catalogue, self.source, alone=name == "fieldname")
        if name == "mixq":
            return self.mixed()
        if name == "n":
            return str(self.source.randint(1, 9))
        if name == "e" and self.depth >= _DEEPEST:
            name = "e2"
        if name in ("q", "b") and self.depth >= _DEEPEST:
            return "SELECT 1 AS a" if name == "q" else "1 = 1"
        self.depth += 1
        try:
            return self.fill(choice(parts.of(name, dialect)))
        finally:
            self.depth -= 1

    def mixed(self) -> str:
        """A query in which one leaf, wherever it is, became a call with an effect."""
        query = self.fill("SELECT «e», «e» FROM «r» WHERE «b» AND «b» ORDER BY «e»")
        tokens = scan_text(query, self.dialect).tokens
        leaves = [token for token in tokens if token.kind in ("number", "string")]
        if not leaves:
            return f"SELECT {self.slot('x')}"
        leaf = self.source.choice(leaves)
        return query[: leaf.start] + self.slot("x") + query[leaf.end :]

    def splice(self, left: str, right: str) -> str:
        """A piece of one statement in the place of a piece of the other, cut between tokens."""
        try:
            first, second = scan_text(left, self.dialect).tokens, scan_text(right, self.dialect).tokens
        except Refused:
            return left + right
        if not first or not second:
            return left + right
        start = self.source.randrange(len(second))
        end = min(len(second), start + self.source.randint(0, 3))
        take = self.source.randrange(len(first))
        until = min(len(first), take + self.source.randint(1, 8))
        piece = left[first[take].start : first[until - 1].end]
        after = right[second[end].start :] if end < len(second) else ""
        return f"{right[: second[start].start]} {piece} {after}"
