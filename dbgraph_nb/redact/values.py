"""What flows through lineage: sources, values, outputs, relations.

In: nothing. Out: frozen values. Never: SQL; these are what remains of it.

A ``Taint`` is the set of sensitive columns that a value may tell something about. A source has a ``path`` while it
lies inside the value (a field of a row, a key of a JSON document); an empty path means the whole value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from dbgraph_nb.errors import RedactionRefused
from dbgraph_nb.model import Sensitivity

_NUMBERS = re.compile(r"(?<=.)(?:[_:]\d+)+\Z", re.S)


@dataclass(frozen=True, slots=True)
class Source:
    """A sensitive column, and where in the value it lies. ``derived``: the value was computed from it, so that two
    equal values may come from different ones."""

    table: str
    column: str
    why: Sensitivity
    path: tuple[str, ...] = ()
    derived: bool = False

    @property
    def label(self) -> str:
        """``users.password (name: password)``"""
        name = f"{self.table}.{self.column}" if self.table else self.column
        return f"{name} ({self.why.rule})"


Taint = frozenset[Source]
CLEAN: Taint = frozenset()


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of an expression's value.

    ``direct``: a column's own value, so that it is NULL exactly where the column is. ``type``: the declared type of
    that column, lower-case, or None. ``row``: it is a whole row or another struct, which may unfold into columns.
    ``strict``: it was computed, but is NULL only where a column itself is (or where there is no row)."""

    taint: Taint = CLEAN
    direct: bool = False
    type: str | None = None
    row: bool = False
    strict: bool = False

    @property
    def shows_null(self) -> bool:
        """Whether its NULL tells nothing of the value of a column that is not NULL."""
        return self.direct or self.strict


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a relation; or, with ``star``, any number of columns.

    ``name`` is lower-case, None where the engine makes one up. ``shown`` is the name in a result's header, None
    where it cannot be foretold. ``star``: "names" are the unknown columns of an unknown table, whose names decide;
    "any" are unknown columns that all have this value's taint. ``loose``: engines or versions may use another name."""

    name: str | None
    value: Value
    shown: str | None = None
    star: Literal["names", "any"] | None = None
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """The columns of a table, view or query in order.

    ``table`` names a table (for its hidden columns); ``unordered``: the order is not known, only the names.
    ``rows``: credentials that decide, by comparison in a set operation, which rows exist."""

    outputs: tuple[Output, ...]
    table: str = ""
    unordered: bool = False
    rows: Taint = CLEAN

    @property
    def taint(self) -> Taint:
        """Everything that any column may tell, and that the existence of rows may tell."""
        return union([self.rows, *(flat(output.value.taint) for output in self.outputs)])

    def value_taint(self) -> Taint:
        """The same where the relation is used as a value; columns that are not known cannot be."""
        if any(output.star == "names" for output in self.outputs):
            raise refusal("a * over a table whose columns are not in the index is used as a value")
        return self.taint


def unnumbered(name: str) -> str:
    """A name without the numbers that engines append to tell columns of one name apart: ``id:1``, ``id_1_2`` → id."""
    return _NUMBERS.sub("", name)


def repeated(outputs: Iterable[Output]) -> set[str]:
    """The names, without numbers, that several columns have."""
    counts = Counter(output.name for output in outputs if output.name)
    return {unnumbered(name) for name, count in counts.items() if count > 1}


def numbered(relation: Relation) -> Relation:
    """The relation as a source in FROM of an engine that renames the second column of one name (id_1, id:1), and a
    column that has such a name already."""
    seen: set[str | None] = {None}
    twice = repeated(relation.outputs)
    outputs = []
    for output in relation.outputs:
        again = output.name is not None and (
            output.name in seen or (bool(twice) and output.name not in twice and unnumbered(output.name) in twice)
        )
        seen.add(output.name)
        outputs.append(replace(output, loose=True, shown=None) if again else output)
    return replace(relation, outputs=tuple(outputs))


def union(taints: Iterable[Taint]) -> Taint:
    """All sources of all ``taints``."""
    return CLEAN.union(*taints)


def flat(taint: Taint) -> Taint:
    """The same sources of a value from which nothing can be taken apart any more."""
    if all(not source.path for source in taint):
        return taint
    return frozenset(replace(source, path=()) for source in taint)


def mixed(taint: Taint) -> Taint:
    """The sources of a value that was computed from values with ``taint``."""
    return frozenset(replace(source, path=(), derived=True) for source in taint)


def under(key: str, taint: Taint) -> Taint:
    """The sources of a struct that holds a value with ``taint`` under ``key``."""
    return frozenset(replace(source, path=(key, *source.path)) for source in taint)


def extract(taint: Taint, key: str) -> Taint:
    """What is left of ``taint`` in the part of the value under ``key``: only proven other parts are dropped."""
    kept = []
    for source in taint:
        if not source.path:
            kept.append(source)
        elif source.path[0] == key:
            kept.append(replace(source, path=source.path[1:]))
    return frozenset(kept)


def join(values: Iterable[Value]) -> Value:
    """A value that may be any of ``values``."""
    listed = list(values)
    if len(listed) == 1:
        return listed[0]
    types = {value.type for value in listed}
    return Value(
        taint=union(value.taint for value in listed),
        direct=bool(listed) and all(value.direct for value in listed),
        type=types.pop() if len(types) == 1 else None,
        row=any(value.row for value in listed),
        strict=bool(listed) and all(value.shows_null for value in listed),
    )


def credentials(taint: Taint) -> Taint:
    """The sources of tier credential."""
    return frozenset(source for source in taint if source.why.tier == "credential")


def guesses(taint: Taint) -> Taint:
    """The credentials in a value that was computed from them: where such values are compared with each other, the
    number of rows answers a question about the credential."""
    return frozenset(source for source in credentials(taint) if source.derived)


def refusal(reason: str, *, unknown: str | None = None) -> RedactionRefused:
    """What stops a proof; ``plan`` turns it into ``RedactionPlan.refused``. ``unknown``: a name not in the index."""
    return RedactionRefused(reason, token=unknown)
