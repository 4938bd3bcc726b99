"""Plans a ``find``: words → one parameterized SELECT, or the reason why there is none.

In: an open index, the words of an entity, of fields and of predicates. Out: a ``FindPlan``, data only. Never: a
statement that is executed here, a value in SQL text, or a guess between candidates that fit equally well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbgraph_nb.catalog.aliases import NONE, Aliases
from dbgraph_nb.catalog.find_links import Link
from dbgraph_nb.catalog.find_match import Candidate, Matcher, rivals
from dbgraph_nb.catalog.find_outcome import (
    ColumnWord,
    FindPlan,
    ambiguous_column,
    ambiguous_table,
    decide,
    missing_predicate,
    no_column,
    no_table,
    used_columns,
)
from dbgraph_nb.catalog.find_sql import Place, Selection, build
from dbgraph_nb.catalog.find_values import Condition, conditions
from dbgraph_nb.catalog.store import CatalogIndex, ColumnRow, ObjectRow
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import CatalogHit, Hits, Used

__all__ = ["FindPlan", "plan_find"]
MOST_ROWS = 1_000_000
LONGEST_WORD = 200


def plan_find(
    index: CatalogIndex,
    entity: str,
    fields: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    *,
    limit: int = 200,
    aliases: Aliases = NONE,
    dialect: str | None = None,
) -> FindPlan:
    """Plans one SELECT for words.

    Args:
        entity: words for a table.
        fields: words for its columns, or for columns of a table that one foreign key joins to it; ``*`` or none: all
            its columns.
        where: words for columns → a value (=), a list (IN), ``(operator, value)`` with one of = != < <= > >= ~
            (contains), a list of such pairs (all hold), or None (IS NULL). No ``where`` at all is
            ``missing_predicate``; an empty one asks for the first rows.
        limit: rows, 1 to 1,000,000.
        dialect: of the statement (default: the index's engine).

    Raises:
        BadArgument: words or a limit that are none (code ``find-words``, ``find-limit``), an operator or value that its
            column cannot take (``where-operator``, ``where-empty-list``, ``where-value``, ``value-type``).
    """
    entity, fields, where = _checked(entity, fields, where, limit)
    matcher = Matcher(index, aliases)
    tables = matcher.tables(entity)
    named = [word for word in fields if word != "*"]
    words = [*named, *(where or {})]
    if not tables:
        return no_table(index, entity, aliases)
    chosen = _entity(matcher, tables, words)
    if chosen is None:
        return ambiguous_table(entity, tables, words)
    used = [Used("entity", entity, chosen.table.name, None, "; ".join(chosen.reasons))]
    if where is None:
        return missing_predicate(matcher, chosen, named, used)
    found = [ColumnWord("field", word, matcher.columns(chosen.table, word)) for word in named]
    found += [ColumnWord("where", word, matcher.columns(chosen.table, word)) for word in where]
    decided, open_words = decide(found)
    considered = _considered(tables, found)
    for word in open_words:
        problem = ambiguous_column if word.found else no_column
        return problem(matcher, chosen.table, word, used + used_columns(decided))
    every = not named or len(named) < len(fields)
    selection, used, messages = _selection(matcher, chosen.table, decided, where, every, used)
    sql, params = build(selection, limit=limit + 1, dialect=dialect or index.meta().get("engine", "sqlite"))
    message = f"{'. '.join(messages)}." if messages else ""
    return FindPlan("ok", sql, params, tuple(used), considered, message)


def _checked(
    entity: str, fields: Sequence[str], where: Mapping[str, Any] | None, limit: int
) -> tuple[str, list[str], Mapping[str, Any] | None]:
    if where is not None and not isinstance(where, Mapping):
        raise BadArgument(
            "where must map words to values.",
            code="find-words",
            hint='As {"姓名": "张三"}; {} asks for the first rows.',
        )
    fields = [fields] if isinstance(fields, str) else list(fields)
    for word in (entity, *fields, *(where or ())):
        if not isinstance(word, str) or not word.strip() or len(word) > LONGEST_WORD:
            raise BadArgument(
                f"A word of a find must be text of 1 to {LONGEST_WORD} characters, not {_short(word)}.",
                code="find-words",
            )
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_ROWS:
        raise BadArgument(f"limit is {limit!r}; it must be a whole number from 1 to {MOST_ROWS:,}.", code="find-limit")
    return entity.strip(), [word.strip() for word in fields], where


def _short(word: object) -> str:
    return f"{word[:40]!r}…" if isinstance(word, str) and len(word) > 40 else repr(word)


def _entity(matcher: Matcher, tables: Sequence[Candidate], words: Sequence[str]) -> Candidate | None:
    """The table that is meant: the best one, or of several that fit equally the only one that has all the columns."""
    equal = rivals(tables)
    if len(equal) == 1:
        return equal[0]
    if not words:
        return None
    able = [one for one in equal if all(matcher.own_columns(one.table, word) for word in words)]
    if len(able) != 1:
        return None
    return replace(able[0], reasons=(*able[0].reasons, f"of {len(equal)} such tables only it has {', '.join(words)}"))


def _selection(
    matcher: Matcher,
    table: ObjectRow,
    decided: Sequence[tuple[ColumnWord, Candidate]],
    where: Mapping[str, Any],
    every: bool,
    used: Sequence[Used],
) -> tuple[Selection, list[Used], list[str]]:
    """What to read, what was used for it, and what must be said; ``every``: all columns of the table come first."""
    columns = matcher.index.columns(table.id)
    fields = dict.fromkeys(Place(column) for column in columns) if every else {}
    predicates: list[tuple[Place, Condition]] = []
    used = list(used)
    doubts: list[str] = []
    for word, one in decided:
        assert one.column is not None
        place, reasons = Place(one.column, one.link), list(one.reasons)
        if word.role == "field":
            fields[place] = None
        else:
            for condition in conditions(matcher.index, word.text, where[word.text], one.column, matcher.aliases):
                predicates.append((place, condition))
                reasons += condition.notes
                doubts += [*condition.doubts, *_left_out(condition, one.column)]
        used.append(Used(word.role, word.text, one.table.name, one.column.name, "; ".join(reasons)))
    joined = tuple(dict.fromkeys(place.link for place in (*fields, *(p for p, _ in predicates)) if place.link))
    used += [Used("join", table.name, link.other.name, None, link.condition) for link in joined]
    # The first rows in the order of the key cost nothing; with predicates a sort could cost the index that they use.
    key = sorted((column for column in columns if column.pk), key=lambda column: column.pk)
    order = () if predicates or joined else tuple(key)
    several = len({row.schema for row in matcher.index.objects()}) > 1
    selection = Selection(table, tuple(fields), tuple(predicates), order, several)
    return selection, used, [*_join_messages(joined), *dict.fromkeys(doubts)]


def _left_out(condition: Condition, column: ColumnRow) -> list[str]:
    """What SQL's != leaves out without a word: NULL is not unequal to anything."""
    if condition.operator != "!=" or not column.nullable or None in condition.values:
        return []
    return [f"Rows without a value in {column.name} are left out"]


def _join_messages(joined: Sequence[Link]) -> list[str]:
    """What was joined, and that rows repeat if a key leads to many."""
    messages = [f"Joined with {link.other.name} by {link.condition}" for link in joined]
    many = [link.other.name for link in joined if not link.outgoing]
    if many:
        each = "each of its" if len(many) == 1 else "each combination of its"
        messages.append(f"A row of {joined[0].table.name} comes once for {each} {' and '.join(many)}")
    return messages


def _considered(tables: Sequence[Candidate], found: Sequence[ColumnWord]) -> Hits[CatalogHit]:
    """What was looked at: the best tables, then the best columns of each word."""
    every = [*tables[:3], *(one for word in found for one in word.found[:3])]
    hits = list(dict.fromkeys(one.hit for one in every))
    return Hits(hits, mode="find")
