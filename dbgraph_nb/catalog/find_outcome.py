"""What a find comes to: the plan, and what is said when there is no statement.

In: candidates that rival each other, words that fit nothing, a table without a predicate. Out: ``FindPlan``. Never: a
status without a sentence that says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dbgraph_nb.catalog.aliases import Aliases
from dbgraph_nb.catalog.find_match import Candidate, Matcher, rivals
from dbgraph_nb.catalog.fit import core
from dbgraph_nb.catalog.resolve import resolve
from dbgraph_nb.catalog.store import CatalogIndex, ObjectRow
from dbgraph_nb.catalog.words import nearest
from dbgraph_nb.model import CatalogHit, Hits, Used

Status = Literal["ok", "ambiguous", "missing_predicate", "not_found"]
SHOWN = 10  # candidates


@dataclass(frozen=True, slots=True)
class FindPlan:
    """What a find comes to. ``sql`` and ``params`` are set if ``status`` is ok; ``candidates`` are ranked: the rivals
    if ambiguous, the nearest if not found, else what was considered. ``message`` is one sentence, empty if there is
    nothing to say. The statement reads one row more than the limit, so that a cut shows."""

    status: Status
    sql: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    used: tuple[Used, ...] = ()
    candidates: Hits[CatalogHit] = field(default_factory=lambda: Hits(()))
    message: str = ""


@dataclass(frozen=True, slots=True)
class ColumnWord:
    """A word of the find that names a column, and the candidates for it."""

    role: Literal["field", "where"]
    text: str
    found: list[Candidate]


def decide(found: Sequence[ColumnWord]) -> tuple[list[tuple[ColumnWord, Candidate]], list[ColumnWord]]:
    """The words with their column, and those that are still open. A word that fits one column by several foreign keys
    follows the key that another word has settled."""
    settled = [word.found[0].link for word in found if len(rivals(word.found) if word.found else ()) == 1]
    decided, still_open = [], []
    for word in found:
        equal = rivals(word.found) if word.found else []
        if len(equal) > 1 and len({(one.table.id, one.column and one.column.id) for one in equal}) == 1:
            equal = [one for one in equal if one.link in settled] or equal
        if len(equal) == 1:
            decided.append((word, equal[0]))
        else:
            still_open.append(word)
    return decided, still_open


def used_columns(decided: Sequence[tuple[ColumnWord, Candidate]]) -> list[Used]:
    """What was settled, with the reasons."""
    return [
        Used(word.role, word.text, one.table.name, one.column.name if one.column else None, "; ".join(one.reasons))
        for word, one in decided
    ]


def _ranked(candidates: Sequence[Candidate]) -> Hits[CatalogHit]:
    return Hits([one.hit for one in candidates[:SHOWN]], total=len(candidates), mode="find")


def missing_predicate(matcher: Matcher, chosen: Candidate, fields: Sequence[str], used: list[Used]) -> FindPlan:
    """Nothing says which rows: names the columns that a person would say it by."""
    table = chosen.table
    decided, _ = decide([ColumnWord("field", word, matcher.columns(table, word)) for word in fields])
    columns = matcher.index.columns(table.id)
    handy = [c for c in columns if c.unique or (c.pk and c.type_class in ("number", "text"))]
    handy += [c for c in columns if c.type_class == "text" and c not in handy]
    shown = [column for column in handy if column.tier is None][:3]
    said = f" (by {', '.join(column.name for column in shown)}, say)" if shown else ""
    hits = [CatalogHit(table.name, column.name, 0.0, ("could say which",), table.schema) for column in shown]
    return FindPlan(
        "missing_predicate",
        used=tuple(used + used_columns(decided)),
        candidates=Hits([chosen.hit, *hits], mode="find"),
        message=f"Nothing says which {table.name} are meant: give a predicate{said}, or ask for the first rows.",
    )


def ambiguous_table(entity: str, tables: Sequence[Candidate], words: Sequence[str]) -> FindPlan:
    equal = rivals(tables)
    twice = len({one.place for one in equal}) < len(equal)
    shown = ", ".join(f"{one.table.schema}.{one.place}" if twice else one.place for one in equal[:5])
    have = f", and {', '.join(words)} does not decide it" if words else ""
    return FindPlan(
        "ambiguous",
        candidates=_ranked(equal),
        message=f"{entity} fits {len(equal)} tables equally well: {shown}{have}; name one, or set an alias.",
    )


def ambiguous_column(matcher: Matcher, table: ObjectRow, word: ColumnWord, used: list[Used]) -> FindPlan:
    equal = rivals(word.found)
    places = list(dict.fromkeys(one.place for one in equal))
    if len(places) > 1:
        what = (
            f"{word.text} fits {len(places)} columns equally well: {', '.join(places[:5])}; name one, or set an alias"
        )
    else:
        ways = ", ".join(one.link.condition for one in equal if one.link)
        what = f"{len(equal)} foreign keys lead from {table.name} to {places[0]}: {ways}; say by which"
    return FindPlan("ambiguous", used=tuple(used), candidates=_ranked(equal), message=f"{what}.")


def no_table(index: CatalogIndex, entity: str, aliases: Aliases) -> FindPlan:
    """The tables that look alike by name, then what any word of it means anywhere."""
    near = nearest(entity, [row.name for row in index.objects()])
    alike = [row for name in near if (row := index.find_object(name)) is not None]
    hits = [CatalogHit(row.name, None, 0.0, ("its name looks alike",), row.schema) for row in alike]
    hits += resolve(index, core(entity, aliases.lexicon(index)), k=5, aliases=aliases)
    return _not_found(f"No table fits {entity}", hits, "", ())


def no_column(matcher: Matcher, table: ObjectRow, word: ColumnWord, used: list[Used]) -> FindPlan:
    """The nearest columns: alike by name in the table, then what the word means elsewhere."""
    columns = matcher.index.columns(table.id)
    near = nearest(word.text, [column.name for column in columns])
    hits = [CatalogHit(table.name, name, 0.0, ("its name looks alike",), table.schema) for name in near]
    elsewhere = resolve(matcher.index, word.text, k=20, aliases=matcher.aliases)
    hits += [hit for hit in elsewhere if hit.column and not hit.reasons[0].startswith("its table")][:5]
    what = f"{table.name} has no column for {word.text}"
    if matcher.links(table):
        what = f"Neither {table.name} nor a table that a foreign key joins to it has a column for {word.text}"
    names = ", ".join(column.name for column in columns[:12]) + (", …" if len(columns) > 12 else "")
    return _not_found(what, hits, f"; {table.name} has {names}", used)


def _not_found(what: str, hits: Sequence[CatalogHit], otherwise: str, used: Sequence[Used]) -> FindPlan:
    places = list(dict.fromkeys(f"{hit.table}.{hit.column}" if hit.column else hit.table for hit in hits))
    tail = f"; nearest: {', '.join(places[:3])}" if places else otherwise
    return FindPlan("not_found", used=tuple(used), candidates=Hits(hits, mode="find"), message=f"{what}{tail}.")
