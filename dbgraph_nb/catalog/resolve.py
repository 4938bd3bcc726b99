"""Words → ranked tables and columns, from the local index alone.

In: an open index and words: a term, several, or a whole question, Chinese or English. Out: ``Hits`` of ``CatalogHit``,
best first, each with the reasons. Never: a statement to the database, or a hit without a reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from dbgraph_nb.catalog.aliases import NONE, Aliases, Target, parse_target
from dbgraph_nb.catalog.candidates import COMMENT, KEY, NAME, is_short, names, skeleton
from dbgraph_nb.catalog.phrases import parse
from dbgraph_nb.catalog.score import Evidence, Ranking, rank
from dbgraph_nb.catalog.spans import LONGEST, Question, Unit, analyse
from dbgraph_nb.catalog.store import CatalogIndex
from dbgraph_nb.catalog.words import check_length, key
from dbgraph_nb.model import CatalogHit, Hits

ALIAS_SCORE = 1000.0  # added to what the user's own alias names
MOST_REASONS = 4


def resolve(index: CatalogIndex, words: str, *, k: int = 10, aliases: Aliases = NONE) -> Hits[CatalogHit]:
    """Ranks the tables and columns that words may mean.

    Args:
        k: how many hits, tables and columns together.
        aliases: what the user taught; a table or column that an alias names comes first.

    Returns:
        ``Hits`` with ``total``, the number of tables and columns that any evidence points to. ``score`` compares hits
        of one call; a hit with ``value`` is a column whose known values have the word. Ties are in the order of the
        catalog: by schema, table, position.

    Raises:
        BadArgument: more than 2,000 characters (code ``words-too-long``).
    """
    check_length(words, "The text to look up")
    question = analyse(words, aliases.lexicon(index))
    named = _named(index, question, aliases)
    ranking = rank(index, question, {target: number for target, (number, _) in named.items()})
    scored = [*ranking.tables, *ranking.columns]
    scored = [(target, score + ALIAS_SCORE * (target in named)) for target, score in scored if score > 0]
    scored.sort(key=lambda item: (-round(item[1], 6), item[0]))
    made = names(index, [target for target, _ in scored[:k]])
    hits = [_hit(index, ranking, named, made, target, score) for target, score in scored[:k]]
    return Hits(hits, total=max(len(scored), ranking.pointed), warnings=_stale(index, question, aliases), mode="words")


def _named(index: CatalogIndex, question: Question, aliases: Aliases) -> dict[int, tuple[int, tuple[str, Target]]]:
    """Target id → (number of the unit, (word, alias target)), for the longest spans that the user's aliases know."""
    found: dict[int, tuple[int, tuple[str, Target]]] = {}
    if not aliases.words:
        return found
    for start, word in _known_spans(question, aliases):
        number = next((i for i, unit in enumerate(question.units) if unit.start <= start < unit.end), 0)
        for target in aliases.targets(index, word):
            place = target.column.id if target.column else target.table.id
            found.setdefault(place, (number, (word, target)))
    return found


def _known_spans(question: Question, aliases: Aliases) -> list[tuple[int, str]]:
    """(first atom, word) of the spans that are aliases; longest first, none inside another."""
    atoms = question.atoms
    spans: list[tuple[int, str]] = []
    taken: set[int] = set()
    for length in range(min(LONGEST, len(atoms)), 0, -1):
        for start in range(len(atoms) - length + 1):
            joined = "".join(atom.text for atom in atoms[start : start + length])
            if joined in aliases.words and not taken & set(range(start, start + length)):
                taken |= set(range(start, start + length))
                spans.append((start, aliases.words[joined][0]))
    return spans


def _stale(index: CatalogIndex, question: Question, aliases: Aliases) -> list[str]:
    """A warning for each alias in the question that has a dot but names no column of this index any more."""
    warnings = []
    for _, word in _known_spans(question, aliases) if aliases.words else ():
        for target in aliases.words[key(word)][1]:
            if "." in target and parse_target(index, target) is None:
                warnings.append(f"the alias {word} = {target} names nothing in this index")
    return warnings


def _hit(
    index: CatalogIndex,
    ranking: Ranking,
    named: Mapping[int, tuple[int, tuple[str, Target]]],
    made: Mapping[int, str],
    target: int,
    score: float,
) -> CatalogHit:
    frame = skeleton(index)
    owner = index.objects()[frame.owner(target) - 1]
    column = None if target <= frame.objects else made[target]
    reasons, value = _reasons(index, ranking, target, made[target])
    if target in named:
        word, meant = named[target][1]
        reasons = [f"alias {word} → {meant.name}", *reasons]
        value = meant.value if meant.value is not None else value
    if not reasons:
        reasons = _borrowed(index, ranking, target)
    unique = tuple(dict.fromkeys(reasons))[:MOST_REASONS]
    return CatalogHit(owner.name, column, round(score, 4), unique, owner.schema, value)


def _reasons(index: CatalogIndex, ranking: Ranking, target: int, name: str) -> tuple[list[str], str | None]:
    """The reasons of a target's own evidence, strongest first, and the value that matched if one did."""
    units = ranking.question.units
    reasons: list[str] = []
    value = None
    ordered = sorted(ranking.own.get(target, {}).items(), key=lambda item: (-item[1].weight, item[0]))
    for number, evidence in ordered:
        if not evidence.match[3]:  # what an alias names
            continue
        way = evidence.way
        if way.origin in ("built-in", "near"):
            reasons.append(f"word {units[number].text} → {way.word} ({way.origin})")
        elif way.origin:
            reasons.append(f"{way.origin} {units[number].text} → {way.word}")
        literal = None
        if evidence.match[1] not in (NAME, COMMENT):
            literal = _literal(index, target, evidence)
            value = value or literal
        reasons.append(_place(units[number], evidence, name, literal))
    return reasons, value


def _place(unit: Unit, evidence: Evidence, name: str, literal: str | None) -> str:
    """Where the evidence was found, in words."""
    way = evidence.way
    _, field, kind, term = evidence.match
    said = (way.word or unit.text) if evidence.complete else term
    if field == NAME:
        if kind == KEY:
            return f"name = {name}"
        if any(is_short(one, term) or is_short(term, one) for one in way.terms):
            return f"name has {term}, which begins like {said}"
        return f"name has {term if len(way.terms) == 1 else said}"
    if field == COMMENT:
        return f"comment has {term if len(way.terms) == 1 and term.isascii() else said}"
    return f"value {literal or said}"


def _literal(index: CatalogIndex, target: int, evidence: Evidence) -> str | None:
    """The known value of a column that holds a term."""
    rows = index.query("SELECT enum_values_json FROM columns WHERE id = ?", (target,))
    literals: Sequence[str] = json.loads(rows[0][0]) if rows and rows[0][0] else ()
    term = evidence.match[3]
    for literal in literals:
        words = parse(literal)
        if term in words.latin or words.key == term or any(term in run for run in words.runs):
            return literal
    return None


def _borrowed(index: CatalogIndex, ranking: Ranking, target: int) -> list[str]:
    """Why a target without evidence of its own is there: its table, its columns, or a neighbour."""
    frame = skeleton(index)
    owner = frame.owner(target)
    if target > frame.objects:
        own = ranking.own.get(owner)
        return [f"its table {index.objects()[owner - 1].name} fits"] if own else ["its table has columns that fit"]
    inside = [column for column in frame.columns(target) if column in ranking.own]
    if inside:
        found = names(index, inside[:3])
        return [f"its columns fit: {', '.join(found[column] for column in inside[:3])}"]
    ends = [index.objects()[end - 1].name for end in frame.linked.get(target, ())]
    return [f"a foreign key links it to {ends[0]}"] if ends else ["it is linked to what fits"]
