"""A resolved find → one SELECT with bound values.

In: tables, columns, joins and conditions of the index. Out: SQL text of a dialect and its parameters. Never: a value in
the text, an identifier without quotes, a column without its table (SQLite reads a name in quotes that it does not know
as text, so a column that is gone would match every row), or a statement that does more than read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dbgraph_nb.catalog.find_links import Link
from dbgraph_nb.catalog.find_values import Condition
from dbgraph_nb.catalog.store import ColumnRow, ObjectRow

if TYPE_CHECKING:
    from sqlglot import exp

_DIALECTS: Mapping[str, str] = {"mariadb": "mysql"}


@dataclass(frozen=True, slots=True)
class Place:
    """A column to read: of the entity's table, or of the neighbour that ``link`` joins."""

    column: ColumnRow
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What to read. ``fields`` empty: all columns as they come; ``order``: columns of the table to sort by."""

    table: ObjectRow
    fields: tuple[Place, ...]
    where: tuple[tuple[Place, Condition], ...]
    order: tuple[ColumnRow, ...] = ()
    qualify: bool = False  # names get their schema: the catalog has several


@dataclass(slots=True)
class _Names:
    """The name of each table in the statement; one that is there twice gets a number."""

    selection: Selection
    links: tuple[Link, ...]
    given: dict[Link | None, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        used: set[str] = set()
        for link in (None, *self.links):
            table = link.other if link else self.selection.table
            name, number = table.name, 2
            while name.casefold() in used:
                name, number = f"{table.name}_{number}", number + 1
            used.add(name.casefold())
            self.given[link] = name


def build(selection: Selection, *, limit: int, dialect: str) -> tuple[str, dict[str, Any]]:
    """The statement and its parameters ``p1``, ``p2`` …; ``limit`` rows at most.

    Neighbours that a condition needs are joined inner, others left. A label that would be there twice is written
    ``table.column``."""
    from sqlglot import exp

    links = tuple(dict.fromkeys(place.link for place in _places(selection) if place.link))
    names = _Names(selection, links)
    query = exp.Select().from_(_table(selection.table, names.given[None], selection.qualify))
    query = query.select(*_outputs(selection, names, bool(links)))
    for link in links:
        needed = any(place.link == link for place, _ in selection.where)
        query = query.join(
            _table(link.other, names.given[link], selection.qualify),
            on=exp.and_(
                *(
                    exp.EQ(this=_column(own, names.given[None]), expression=_column(far, names.given[link]))
                    for own, far in link.pairs
                )
            ),
            join_type="inner" if needed else "left",
        )
    params: dict[str, Any] = {}
    for place, condition in selection.where:
        column = _column(place.column, names.given[place.link])
        query = query.where(_predicate(column, place.column, condition, params))
    for sorted_by in selection.order:
        query = query.order_by(_column(sorted_by, names.given[None]))
    return query.limit(limit).sql(dialect=_DIALECTS.get(dialect, dialect)), params


def first_rows(table: str, limit: int, *, dialect: str, schema: str = "") -> str:
    """The statement for the first rows of a table with all its columns.

    >>> first_rows("odd name", 20, dialect="mysql")
    'SELECT * FROM `odd name` LIMIT 20'
    """
    from sqlglot import exp

    source = exp.Table(this=exp.to_identifier(table, quoted=True), db=_identifier(schema) if schema else None)
    return exp.Select().select(exp.Star()).from_(source).limit(limit).sql(dialect=_DIALECTS.get(dialect, dialect))


def _places(selection: Selection) -> Sequence[Place]:
    return [*selection.fields, *(place for place, _ in selection.where)]


def _outputs(selection: Selection, names: _Names, joined: bool) -> list[exp.Expr]:
    from sqlglot import exp

    if not selection.fields:
        return [exp.Column(this=exp.Star(), table=_identifier(names.given[None])) if joined else exp.Star()]
    labels = [place.column.name.casefold() for place in selection.fields]
    outputs: list[exp.Expr] = []
    for place in selection.fields:
        column: exp.Expr = _column(place.column, names.given[place.link])
        if place.link and labels.count(place.column.name.casefold()) > 1:
            label = f"{names.given[place.link]}.{place.column.name}"
            column = exp.Alias(this=column, alias=_identifier(label))
        outputs.append(column)
    return outputs


def _table(row: ObjectRow, name: str, qualify: bool) -> exp.Expr:
    from sqlglot import exp

    source = exp.Table(this=_identifier(row.name), db=_identifier(row.schema) if qualify and row.schema else None)
    if name != row.name or source.args.get("db"):
        source.set("alias", exp.TableAlias(this=_identifier(name)))
    return source


def _column(row: ColumnRow, table: str) -> exp.Column:
    from sqlglot import exp

    return exp.Column(this=_identifier(row.name), table=_identifier(table))


def _identifier(name: str) -> exp.Identifier:
    from sqlglot import exp

    return exp.Identifier(this=name, quoted=True)


def _predicate(column: exp.Column, row: ColumnRow, condition: Condition, params: dict[str, Any]) -> exp.Expr:
    from sqlglot import exp

    def bound(value: Any) -> exp.Expr:
        params[f"p{len(params) + 1}"] = value
        return exp.Var(this=f":p{len(params)}")  # a Placeholder would be spelled differently per dialect

    if condition.operator == "~":
        text = column if row.type_class in ("text", "enum") else exp.cast(column, "text")
        like = exp.Like(this=text, expression=bound(f"%{_escaped(condition.values[0])}%"))
        return exp.Escape(this=like, expression=exp.Literal.string("!"))
    if condition.operator in ("=", "!="):
        return _equality(column, condition, bound)
    kinds = {"<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
    return kinds[condition.operator](this=column, expression=bound(condition.values[0]))


def _equality(column: exp.Column, condition: Condition, bound: Callable[[Any], exp.Expr]) -> exp.Expr:
    """= or !=, IN or NOT IN, and what NULL adds: ``= NULL`` also finds NULL, ``!= NULL`` leaves it out."""
    from sqlglot import exp

    wanted = condition.operator == "="
    present = [bound(value) for value in condition.values if value is not None]
    parts: list[exp.Expr] = []
    if len(present) == 1:
        kind = exp.EQ if wanted else exp.NEQ
        parts.append(kind(this=column, expression=present[0]))
    elif present:
        among = exp.In(this=column, expressions=present)
        parts.append(among if wanted else exp.Not(this=among))
    if None in condition.values:
        null = exp.Is(this=column.copy(), expression=exp.Null())
        parts.append(null if wanted else exp.Not(this=null))
    if len(parts) == 1:
        return parts[0]
    return exp.paren(exp.or_(*parts)) if wanted else exp.and_(*parts)


def _escaped(text: str) -> str:
    """Text for LIKE … ESCAPE '!' in which nothing is a wildcard."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
