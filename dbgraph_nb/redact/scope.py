"""Names in a statement: what is in scope, and which columns a name may mean.

In: relations as FROM brings them, and names as expressions write them. Out: the ``Value`` a name may have. Never:
fewer sources than the engine's own rule would find: where two readings are possible both count, and a name that
nothing known can mean stops the proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dbgraph_nb.redact import dialects
from dbgraph_nb.redact.values import (
    CLEAN,
    Output,
    Relation,
    Source,
    Taint,
    Value,
    credentials,
    extract,
    flat,
    join,
    refusal,
    repeated,
    under,
    union,
    unnumbered,
)

if TYPE_CHECKING:
    from sqlglot import exp

    from dbgraph_nb.redact.known import Known

Parts = tuple[str, ...]

_MOST_STEPS = 400_000  # nodes visited; a statement that needs more is refused rather than waited for
_CODED = re.compile(r"[xbn]'.*'$|\$\w*\$.*\$\w*\$$", re.S)  # a literal that a parser took for a name: x'1F', $$text$$
_PLAIN_NAME = re.compile(r"\w+\Z")
# SQLite's own columns without a name of a table; the other words of ``NILADIC`` are names there.
_SQLITE_NILADIC = frozenset(["current_date", "current_time", "current_timestamp", "true", "false", "null"])


@dataclass(slots=True)
class Walk:
    """One proof: what it knows, how it reads nested queries, what it has met so far."""

    known: Known
    dialect: str
    query: Callable[[exp.Expr, Env], Relation]
    touched: set[Source] = field(default_factory=set)  # sources that decide which rows there are
    unknown: dict[str, Parts] = field(default_factory=dict)  # tables of which only names are known
    views: dict[str, Relation | None] = field(default_factory=dict)  # traced; None while it is being traced
    circular: set[str] = field(default_factory=set)  # recursive WITH names met while they are being traced
    steps: int = 0
    plus: bool = True  # whether the text may hold a plus before a name, of which a tree shows nothing
    inside_views: int = 0  # how many views are being traced just now, one in another

    def spend(self, steps: int = 1) -> None:
        """Counts work; raises RedactionRefused when it is too much."""
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise refusal("the statement is too complex to trace")

    def control(self, taint: Taint, place: str) -> None:
        """Notes that ``taint`` decides which rows are in the answer, or their order.

        Raises RedactionRefused for a credential: the answer would tell about its value."""
        self.touched |= taint
        found = credentials(taint)
        if found:
            label = min(source.label for source in found)
            raise refusal(
                f"{label} is a credential and is used in {place}, where the answer would tell about its value; "
                "it may only be counted or tested for NULL"
            )


@dataclass(slots=True)
class Seat:
    """A relation in FROM under its alias, or under its own path of names."""

    names: Parts
    relation: Relation

    def is_named(self, parts: Parts) -> bool:
        """Whether a qualifier means this seat."""
        if not self.names:
            return False
        return all(a == b for a, b in zip(reversed(self.names), reversed(parts), strict=False))


@dataclass(slots=True)
class Frame:
    """What one SELECT has in scope. ``shape`` is what its ``*`` gives, in order."""

    seats: list[Seat] = field(default_factory=list)
    shape: list[Output] = field(default_factory=list)
    aliases: dict[str, list[Value]] = field(default_factory=dict)
    current: Value | None = None  # the column that COLUMNS(…) stands for while an item is read

    @property
    def rows(self) -> Taint:
        """What the existence of rows may tell, from all relations."""
        return union(seat.relation.rows for seat in self.seats)


@dataclass(frozen=True, slots=True)
class Env:
    """Scopes from the inside out. A frame that is ``open`` may or may not be visible: its hits never hide others.

    ``ctes`` resolves a WITH name; ``names`` are variables of lambdas, which have no column of their own."""

    frames: tuple[tuple[Frame, bool], ...] = ()
    ctes: Mapping[str, Callable[[], Relation]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    def inside(self, frame: Frame, *, optional: bool = False) -> Env:
        """The scope of a query part that sees ``frame`` first."""
        return replace(self, frames=((frame, optional), *self.frames))

    @property
    def frame(self) -> Frame:
        """The innermost frame; an empty one outside any query."""
        return self.frames[0][0] if self.frames else Frame()


def star_seats(node: exp.Expr, env: Env) -> tuple[Parts, list[Seat]]:
    """The qualifier of ``t.*`` and the relations that it names, from the nearest scope that has any."""
    parts = tuple(node.args[key].name.lower() for key in ("catalog", "db", "table") if node.args.get(key))
    for frame, _ in env.frames:
        seats = [seat for seat in frame.seats if seat.is_named(parts)]
        if seats:
            return parts, seats
    return parts, []


def resolve(env: Env, parts: Parts, walk: Walk, *, loose: bool = False, quoted: bool = False) -> Value:
    """The value of a (qualified) name.

    With ``loose`` a name that nothing in scope can mean is none; else RedactionRefused is raised, for a ``quoted`` one
    too: SQLite reads it as a text only if no column has that name, and the index may be older than the table."""
    walk.spend()
    found: list[Value] = []
    for frame, optional in env.frames:
        sure, possible = _in_frame(frame, parts, walk)
        found += sure + possible
        if sure and not optional:
            return join(found)
    if found:
        return join(found)
    first = parts[0]
    if len(parts) == 1 and (loose or first in env.names or (not quoted and _is_word(first, walk.dialect))):
        return Value()
    name = ".".join(parts)
    raise refusal(f"the column {name} is not in the index, so where it comes from is not known", unknown=name)


def _is_word(name: str, dialect: str) -> bool:
    """Whether an unquoted name that no column has is a function without parentheses, or a literal."""
    known = _SQLITE_NILADIC if dialect == "sqlite" else dialects.NILADIC
    return name in known or bool(_CODED.match(name))


def lookup(relation: Relation, name: str, parts: Parts, walk: Walk) -> tuple[list[Value], list[Value]]:
    """The columns of ``relation`` that ``name`` surely means, and those that it may mean."""
    sure = [output.value for output in relation.outputs if output.name == name]
    possible: list[Value] = []
    base = unnumbered(name)
    if base != name and base in repeated(relation.outputs):
        # The engine numbers columns of one name, past the numbers that others have: it may be any of them.
        sure += [o.value for o in relation.outputs if o.name and unnumbered(o.name) == base]
    if name.startswith("+"):  # a column with a plus, which the parser drops, is named by its text
        possible += [output.value for output in relation.outputs if not output.star]
    unnamed = [o.value for o in relation.outputs if (o.name is None or o.loose) and not o.star]
    if unnamed and (not sure or not _PLAIN_NAME.match(name)):
        possible += unnamed  # engines name an expression by its text, or by its function
    for output in relation.outputs:
        if output.star == "any":
            possible.append(output.value)
        elif output.star == "names":
            taint = frozenset(walk.known.named(parts, name))
            if relation.table and relation.table not in parts:  # an alias hides which table was declared
                taint |= frozenset(walk.known.named((relation.table,), name))
            possible.append(Value(taint, direct=True))
    return sure, possible


def whole(relation: Relation, walk: Walk) -> Value:
    """A row of ``relation`` as one value, its columns as its fields."""
    if any(output.star == "names" for output in relation.outputs):
        raise refusal(f"whole rows of {relation.table or 'a table'} are read, whose columns are not in the index")
    fields = []
    for output in relation.outputs:
        taint = output.value.taint
        fields.append(under(output.name, taint) if output.name else flat(taint))
    return Value(union([*fields, relation.rows]), direct=True, row=True)


def _in_frame(frame: Frame, parts: Parts, walk: Walk) -> tuple[list[Value], list[Value]]:
    sure: list[Value] = []
    possible: list[Value] = []
    for columns, maybe in _readings(frame, parts, walk):
        sure += columns
        possible += maybe
    if not sure and len(parts) == 1:
        possible += frame.aliases.get(parts[0], [])
        possible += _hidden(frame.seats, parts[0], walk)
        if walk.dialect in dialects.WHOLE_ROWS:
            possible += [whole(seat.relation, walk) for seat in frame.seats if seat.names[-1:] == parts]
    return sure, possible


def _readings(frame: Frame, parts: Parts, walk: Walk) -> Iterator[tuple[list[Value], list[Value]]]:
    """A name as a column; as table.column, table.column.field; as column.field where the dialect has that."""
    if len(parts) == 1:
        for seat in frame.seats:
            yield lookup(seat.relation, parts[0], seat.names, walk)
        return
    for cut in range(1, len(parts)):
        for seat in frame.seats:
            if seat.is_named(parts[:cut]):
                yield _qualified(seat, parts[cut:], walk)
    if walk.dialect == "duckdb":
        for seat in frame.seats:
            sure, possible = lookup(seat.relation, parts[0], seat.names, walk)
            possible += frame.aliases.get(parts[0], [])
            yield [_field(value, parts[1:], walk) for value in sure], [_field(v, parts[1:], None) for v in possible]


def _qualified(seat: Seat, rest: Parts, walk: Walk) -> tuple[list[Value], list[Value]]:
    name = rest[0]
    sure, possible = lookup(seat.relation, name, seat.names, walk)
    if not sure:
        unknown = any(output.star == "names" for output in seat.relation.outputs)
        if unknown and walk.dialect == "postgres" and name in dialects.ROW_FUNCTIONS:
            whole(seat.relation, walk)  # u.row_to_json is row_to_json(u): refused, since u is not known
        possible = possible + _hidden([seat], name, walk)
        if walk.dialect in dialects.WHOLE_ROWS and name == seat.names[-1]:
            possible.append(whole(seat.relation, walk))
    return [_field(v, rest[1:], walk) for v in sure], [_field(v, rest[1:], walk) for v in possible]


def _field(value: Value, path: Parts, walk: Walk | None) -> Value:
    """A field of a struct; with ``walk`` its own name counts too, since nothing else is known of it."""
    if not path:
        return value
    taint = value.taint
    for key in path:
        taint = extract(taint, key)
    return Value(taint | frozenset(walk.known.named((), path[-1])) if walk else taint)


def _hidden(seats: list[Seat], name: str, walk: Walk) -> list[Value]:
    """Hidden columns; SQLite's rowid is the value of an INTEGER PRIMARY KEY."""
    if name in dialects.hidden(walk.dialect):
        return [Value() for _ in seats[:1]]
    if name not in dialects.rowids(walk.dialect):
        return []
    integers = [
        output.value.taint
        for seat in seats
        for output in seat.relation.outputs
        if output.star or "int" in (output.value.type or "int")
    ]
    return [Value(flat(union(integers)) or CLEAN)]
