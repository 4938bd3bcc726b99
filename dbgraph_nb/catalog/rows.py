"""A snapshot as rows: what both writers insert as it is, and the texts that each of them tokenizes.

In: a snapshot of a catalog, and what is sensitive in it. Out: plain tuples in the order of their ids. Never: a value
of a sensitive column (a member of an enum, a default, a literal that a view compares it with).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dbgraph_nb.catalog.edge_rows import edge_rows
from dbgraph_nb.catalog.generated import inherited
from dbgraph_nb.catalog.tables import storable
from dbgraph_nb.catalog.view_text import UNPARSED, without_values
from dbgraph_nb.model import Column, DbObject, Sensitivity, Snapshot

REDACTED = "[REDACTED]"

_LARGEST = 2**63 - 1  # of an SQLite INTEGER
_MEMBERS = re.compile(r"^\s*(enum|set)\s*\(.*", re.IGNORECASE | re.DOTALL)


class Classify(Protocol):
    """Says whether a column is sensitive; ``redact.classify`` has this form."""

    def __call__(self, name: str, /, *, comment: str | None, type: str | None) -> Sensitivity | None: ...  # noqa: A002


Overrides = Mapping[tuple[str, str], Sensitivity | None]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one index.

    Each target (an object or a column) has three texts in ``texts``: name, comment, enum values, empty where there is
    none. So text ``d`` is field ``d % 3`` of target ``d // 3 + 1``, and texts in order are primary keys of ``terms``
    in order. ``owners[i]`` is (object_id, column_id) of target ``i + 1``; the column_id of an object is None.
    ``dangling`` tells each edge that leads to nothing known; ``unreadable`` counts names with U+FFFD in them.
    """

    objects: list[tuple[Any, ...]]
    columns: list[tuple[Any, ...]]
    edges: list[tuple[Any, ...]]
    owners: list[tuple[int, int | None]]
    texts: list[str]
    dangling: tuple[str, ...]
    unreadable: int


def index_rows(snapshot: Snapshot, classify: Classify | None = None, overrides: Overrides | None = None) -> Rows:
    """All rows of a snapshot but those of ``terms`` and ``search``.

    ``classify`` is asked once per distinct (name, comment, type). ``overrides`` maps a casefolded (table, column) to
    its sensitivity, or to None where it has none, and wins over ``classify``. A generated column is as sensitive as
    what it is computed from.
    """
    ordered = sorted(snapshot.objects, key=lambda item: (item.schema, item.name))
    judge = _Judge(classify, overrides or {})
    tiers = [judge.table(item) for item in ordered]
    ordered = _with_safe_bodies(ordered, snapshot.engine, tiers, judge)
    objects = [_object(object_id, item) for object_id, item in enumerate(ordered, 1)]
    columns: list[tuple[Any, ...]] = []
    texts: list[str] = []
    for row in objects:
        texts += (row[2], row[4] or "", "")
    for object_id, item in enumerate(ordered, 1):
        judged = zip(item.columns, tiers[object_id - 1], strict=True)
        for column, sensitivity in sorted(judged, key=lambda pair: pair[0].ordinal):
            values = () if sensitivity else tuple(storable(value) for value in column.enum_values or ())
            row = (len(ordered) + len(columns) + 1, object_id, *_column(column, values, sensitivity))
            columns.append(row)
            texts += (row[3], row[8] or "", "\n".join(values))
    owners = [(row[0], None) for row in objects] + [(row[1], row[0]) for row in columns]
    edges, dangling = edge_rows(snapshot, objects, columns)
    unreadable = sum("\ufffd" in row[2] for row in objects) + sum("\ufffd" in row[3] for row in columns)
    return Rows(objects, columns, edges, owners, texts, dangling, unreadable)


def _object(object_id: int, item: DbObject) -> tuple[Any, ...]:
    estimate = item.row_estimate
    if estimate is not None:  # MySQL's are unsigned; one that is too large is still only an estimate
        estimate = max(-_LARGEST, min(_LARGEST, int(estimate)))
    return (
        object_id,
        storable(item.schema),
        storable(item.name),
        storable(item.kind),
        storable(item.comment),
        estimate,
        storable(item.definition),
        storable(item.note),
        len(item.columns),
    )


def _column(column: Column, values: tuple[str, ...], sensitivity: Sensitivity | None) -> tuple[Any, ...]:
    """The row of a column after its two ids. A sensitive one keeps its shape, and no value."""
    type_, default = storable(column.type), storable(column.default)
    if sensitivity:
        type_ = _MEMBERS.sub(r"\1", type_)
        default = None if default is None else REDACTED
    return (
        column.ordinal,
        storable(column.name),
        type_,
        column.type_class,
        int(column.nullable),
        default,
        storable(column.comment),
        column.pk,
        int(column.unique),
        json.dumps(values, ensure_ascii=False) if values else None,
        int(column.generated),
        sensitivity and sensitivity.tier,
        storable(sensitivity.rule) if sensitivity else None,
    )


def _with_safe_bodies(
    objects: list[DbObject], engine: str, tiers: list[list[Sensitivity | None]], judge: _Judge
) -> list[DbObject]:
    """The objects with bodies that hold no value of a sensitive column."""
    bodies = {str(at): storable(item.definition) for at, item in enumerate(objects) if item.definition}
    if not bodies:
        return objects
    pairs = [pair for item, found in zip(objects, tiers, strict=True) for pair in zip(item.columns, found, strict=True)]
    hidden = {column.name.casefold() for column, why in pairs if why}
    known = frozenset(column.name.casefold() for column, _ in pairs)
    safe = without_values(bodies, engine, lambda name: name in hidden or judge.is_name_sensitive(name), known)
    made = list(objects)
    for place, body in safe.items():
        item = objects[int(place)]
        note = item.note if body is not None else " ".join(filter(None, (item.note, UNPARSED)))
        made[int(place)] = replace(item, definition=body, note=note)
    return made


class _Judge:
    """Asks ``classify`` once per distinct question: real catalogs repeat their column names."""

    def __init__(self, classify: Classify | None, overrides: Overrides) -> None:
        self._classify = classify
        self._overrides = overrides
        self._known: dict[tuple[str, str | None, str], Sensitivity | None] = {}
        self._names: dict[str, bool] = {}

    def table(self, item: DbObject) -> list[Sensitivity | None]:
        """The sensitivity of each column of a table; what the policy says of one stays as it is."""
        places = [(item.name.casefold(), column.name.casefold()) for column in item.columns]
        decided = [place in self._overrides for place in places]
        own = [
            self._overrides[place] if known else self._ask(column)
            for place, known, column in zip(places, decided, item.columns, strict=True)
        ]
        return inherited(item.columns, own, decided)

    def is_name_sensitive(self, name: str) -> bool:
        """Whether a name by itself says so."""
        if name not in self._names:
            found = self._classify(name, comment=None, type=None) if self._classify else None
            self._names[name] = found is not None
        return self._names[name]

    def _ask(self, column: Column) -> Sensitivity | None:
        if self._classify is None:
            return None
        question = (column.name, column.comment, column.type)
        if question not in self._known:
            self._known[question] = self._classify(column.name, comment=column.comment, type=column.type)
        return self._known[question]
