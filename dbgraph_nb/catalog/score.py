"""Evidence for tables and columns, and how it spreads between them.

In: a question and an index. Out: a ``Ranking``: scored tables and columns, each with the evidence of every unit of the
question. Never: a word of the catalog that the question does not ask for, or an order that depends on chance.

Per unit of the question a target has the best of its own evidence. Then, unit by unit (so that nothing counts twice): a
table takes part of what its best columns have, and of what the tables have that a foreign key links it to; a column
takes part of what the name of its table has. A column is lifted by the score of its table.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dbgraph_nb.catalog.candidates import KEY, NAME, Match, Skeleton, lengths, matches, skeleton
from dbgraph_nb.catalog.spans import LOOSE, WEIGHT, Question, Unit, Way, analyse
from dbgraph_nb.catalog.store import CatalogIndex

COVERAGE = 0.5  # how much of a name's weight depends on the share of its words that the question asks for
TABLE_TO_COLUMN = 0.5
COLUMNS_TO_TABLE = 0.5
BEST_COLUMNS = 3
SECOND_FIELD = 0.3  # the weaker of name and comment, if both answer a unit
NEIGHBOUR = 0.5
TABLE_LIFT = 0.6
COLUMN_SCALE = 1.5  # makes the scores of columns, which contain those of tables, comparable to those of tables
OPENED = 30  # tables of which every column is considered
MOST_TARGETS = 500  # tables, and columns, that are scored

Weights = dict[int, float]  # unit → weight
Found = Mapping[str | tuple[str, ...], Mapping[int, Match]]  # what ``matches`` gives


class Evidence(NamedTuple):
    """What one unit of the question says about one target; ``complete`` if all terms of the way are in it."""

    weight: float
    way: Way
    match: Match
    complete: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scored targets, best first, ties by id; ``own`` is each target's own evidence per unit; ``pointed`` is how many
    targets have any."""

    question: Question
    tables: list[tuple[int, float]]
    columns: list[tuple[int, float]]
    own: dict[int, dict[int, Evidence]] = field(repr=False)
    pointed: int = 0


def rank(index: CatalogIndex, question: Question, named: Mapping[int, int] | None = None) -> Ranking:
    """Scores all tables and columns that a question points to.

    Args:
        named: targets that the user's own alias names, with the unit that does; they are treated like whole names.
    """
    frame = skeleton(index)
    own, pointed = _own(index, question, named or {}, frame)
    weights = _covered(index, own)
    tables: dict[int, Weights] = {}
    columns: dict[int, dict[int, Weights]] = {}
    for target, its_weights in weights.items():
        if target <= frame.objects:
            tables[target] = its_weights
        else:
            columns.setdefault(frame.owner(target), {})[target] = its_weights
    table_scores = _sorted(_table_scores(tables, columns, frame))
    column_scores = _column_scores(tables, columns, table_scores, frame)
    return Ranking(question, table_scores, _sorted(column_scores), own, pointed)


def unknown_pieces(index: CatalogIndex, words: str) -> list[str]:
    """The pieces of some words that occur nowhere in the catalog, in no way that they can be written."""
    units = [unit for unit in analyse(words, {}).units if not unit.whole and unit.size >= LOOSE]
    ways = [way for unit in units for way in unit.ways]
    found = matches(index, (term for way in ways for term in way.terms), (way.keys for way in ways if way.keys))
    unknown = [unit.text for unit in units if not unit_evidence(unit, found)]
    return unknown if units else [words]


def _sorted(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-round(item[1], 9), item[0]))


def _own(
    index: CatalogIndex, question: Question, named: Mapping[int, int], frame: Skeleton
) -> tuple[dict[int, dict[int, Evidence]], int]:
    """Target → unit → its own evidence, of the ``MOST_TARGETS`` tables and as many columns that have the most; and how
    many targets have any."""
    ways = [way for unit in question.units for way in unit.ways]
    found = matches(index, (term for way in ways for term in way.terms), (way.keys for way in ways if way.keys))
    by_unit = [unit_evidence(unit, found) for unit in question.units]
    sums: dict[int, float] = {}
    for evidence in by_unit:
        for target, one in evidence.items():
            sums[target] = sums.get(target, 0.0) + one[0]
    strongest = max((match[0] for its in found.values() for match in its.values()), default=1.0)
    for target, number in named.items():
        by_unit[number][target] = (strongest, Way((), (), "", "alias"), (strongest, NAME, KEY, ""), True)
        sums[target] = math.inf
    kept = _most(sums, frame, True) + _most(sums, frame, False)
    own = {
        target: {number: Evidence(*found[target]) for number, found in enumerate(by_unit) if target in found}
        for target in kept
    }
    return own, len(sums)


def _most(sums: Mapping[int, float], frame: Skeleton, tables: bool) -> list[int]:
    chosen = [(-total, target) for target, total in sums.items() if (target <= frame.objects) == tables]
    return [target for _, target in heapq.nsmallest(MOST_TARGETS, chosen)]


Plain = tuple[float, Way, Match, bool]  # Evidence, made by the ten thousand


def unit_evidence(unit: Unit, found: Found) -> dict[int, Plain]:
    """Per target the best way in which it answers one unit; if its name and its other texts do, a little more."""
    in_name: dict[int, Plain] = {}
    elsewhere: dict[int, Plain] = {}
    for way in unit.ways:
        scale = unit.size * WEIGHT[way.origin]
        for term in ((way.keys,) if way.keys else ()) + (way.terms if len(way.terms) == 1 else ()):
            for target, match in found[term].items():
                best = elsewhere if match[1] else in_name
                weight = scale * match[0]
                if target not in best or weight > best[target][0]:
                    best[target] = (weight, way, match, True)
        if len(way.terms) > 1:
            _keep_shares(in_name, elsewhere, way, scale / len(way.terms), found)
    for target, other in elsewhere.items():
        if target in in_name:
            high, low = sorted((in_name[target], other), key=lambda one: -one[0])
            in_name[target] = (high[0] + SECOND_FIELD * low[0], *high[1:])
        else:
            in_name[target] = other
    return in_name


def _keep_shares(in_name: dict[int, Plain], elsewhere: dict[int, Plain], way: Way, share: float, found: Found) -> None:
    """A way of several terms: each that a target holds is a share."""
    held: dict[int, list[Match]] = {}
    for term in way.terms:
        for target, match in found[term].items():
            if target in held:
                held[target].append(match)
            else:
                held[target] = [match]
    for target, its in held.items():
        strongest = max(its) if len(its) > 1 else its[0]
        best = elsewhere if strongest[1] else in_name
        weight = share * (sum(match[0] for match in its) if len(its) > 1 else strongest[0])
        if target not in best or weight > best[target][0]:
            best[target] = (weight, way, strongest, len(its) == len(way.terms))


def _covered(index: CatalogIndex, own: Mapping[int, Mapping[int, Evidence]]) -> dict[int, Weights]:
    """The weights of the evidence, less where a name says more than the question asks for."""
    length = lengths(index, own)
    result = {}
    for target, its in own.items():
        if length[target] == 1:
            result[target] = {number: evidence[0] for number, evidence in its.items()}
            continue
        in_name = [evidence[2] for evidence in its.values() if evidence[2][1] == NAME]
        whole = any(match[2] == KEY for match in in_name)
        share = 1.0 if whole else min(1.0, len({match[3] for match in in_name}) / length[target])
        scale = 1.0 - COVERAGE + COVERAGE * share
        result[target] = {n: e[0] * scale if e[2][1] == NAME else e[0] for n, e in its.items()}
    return result


def _table_scores(
    tables: Mapping[int, Weights], columns: Mapping[int, Mapping[int, Weights]], frame: Skeleton
) -> dict[int, float]:
    units: dict[int, Weights] = {}
    for table in {**tables, **columns}:
        mine = dict(tables.get(table, {}))
        its_columns = sorted(columns.get(table, {}).items(), key=lambda item: (-sum(item[1].values()), item[0]))
        for _, weights in its_columns[:BEST_COLUMNS]:
            _raise(mine, weights, COLUMNS_TO_TABLE)
        units[table] = mine
    scores = {}
    for table in {**units, **{end: 0 for known in units for end in frame.linked.get(known, ())}}:
        mine = dict(units.get(table, {}))
        for end in frame.linked.get(table, ()):
            _raise(mine, units.get(end, {}), NEIGHBOUR)
        scores[table] = sum(mine.values())
    return scores


def _raise(mine: Weights, others: Mapping[int, float], scale: float) -> None:
    for number, weight in others.items():
        if scale * weight > mine.get(number, 0.0):
            mine[number] = scale * weight


def _column_scores(
    tables: Mapping[int, Weights],
    columns: Mapping[int, Mapping[int, Weights]],
    table_scores: Sequence[tuple[int, float]],
    frame: Skeleton,
) -> dict[int, float]:
    scores = {}
    opened = {table for table, _ in table_scores[:OPENED]}
    for table, table_score in table_scores:
        its_columns = columns.get(table, {})
        lift = TABLE_LIFT * table_score
        of_table = tables.get(table, {})
        targets: Iterable[int] = frame.columns(table) if table in opened else its_columns
        plain = sum(TABLE_TO_COLUMN * weight for weight in of_table.values())
        for column in targets:
            total = plain
            if column in its_columns:
                mine = dict(its_columns[column])
                _raise(mine, of_table, TABLE_TO_COLUMN)
                total = sum(mine.values())
            scores[column] = (total + lift) / COLUMN_SCALE
    return scores
