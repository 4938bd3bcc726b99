"""Bounded samples of columns that seem to hold a small set of literals, the same for all dialects.

In: objects and keys. Out: for each such column its distinct values as text, sorted. Never: a value of a sensitive, key
or long column; more than a prefix of a table; names of people kept because a table is small; an error that ends the
reading.

A column qualifies by its type (the dialect says), unless it is the value of a key/value table
(``smtp_password`` stands in its rows, and no name of a column says so), and is then taken

- if its name or the head of its comment says that it is a state, a type, a level …: as it is;
- if it is text otherwise: when each value stands three times on average in the prefix, and its name does not say that
  it is free text or an identifier. Ten customers have ten distinct names, and that is no enum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dbgraph_nb.catalog.source.enum_names import holds_any, says_enum, says_free
from dbgraph_nb.catalog.source.reading import DialectSource, Reading
from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.model import Column, DbObject, ForeignKey

Place = tuple[str, str]
REPEATS = 3
_FAILURES_IN_A_ROW = 10  # then something is wrong with more than one column


def sample(
    reading: Reading, source: DialectSource, objects: Sequence[DbObject], keys: Sequence[ForeignKey]
) -> dict[Place, tuple[str, ...]]:
    """The samples by (table, column); those whose names promise most come first, in case the budget ends.

    Cut short, or with columns that could not be read, it says so in ``reading.warnings``.
    """
    candidates = _candidates(reading, source, objects, keys)
    found: dict[Place, tuple[str, ...]] = {}
    failed: list[str] = []
    in_a_row = 0
    for done, (hinted, table, column) in enumerate(candidates):
        if in_a_row == _FAILURES_IN_A_ROW or not reading.meter.spend():
            reason = "too many failed in a row" if in_a_row == _FAILURES_IN_A_ROW else "its budget was used up"
            reading.warnings.append(f"Sampling stopped after {done} of {len(candidates)} columns: {reason}.")
            break
        reading.progress(0.4 + 0.6 * done / len(candidates), f"sampling {table}.{column.name}")
        try:
            values = _values(reading, source, table, column, hinted)
        except QueryFailed as error:  # its text could quote a value
            failed.append(f"{table}.{column.name} ({error.code})")
            in_a_row += 1
            continue
        in_a_row = 0
        if values:
            found[table, column.name] = values
    reading.warn_about(
        failed, "Values of {names} could not be sampled.", "Values of {count} columns could not be sampled: {names}."
    )
    return found


def with_samples(objects: Sequence[DbObject], samples: Mapping[Place, tuple[str, ...]]) -> list[DbObject]:
    """The objects with the samples in the columns' ``enum_values``."""
    sampled = {table for table, _ in samples}
    return [
        replace(
            item,
            columns=tuple(
                replace(column, enum_values=samples.get((item.name, column.name), column.enum_values))
                for column in item.columns
            ),
        )
        if item.name in sampled
        else item
        for item in objects
    ]


def _candidates(
    reading: Reading, source: DialectSource, objects: Sequence[DbObject], keys: Sequence[ForeignKey]
) -> list[tuple[bool, str, Column]]:
    referring = {(key.table, column) for key in keys for column in key.columns}
    found = []
    for item in objects:
        for column in item.columns:
            place = (item.name, column.name)
            if column.enum_values is not None or column.pk or column.unique:
                continue
            if place in referring or place in reading.unreadable or not source.may_sample(item, column):
                continue
            if holds_any(column, item.columns):
                continue
            hinted = says_enum(column)
            if not hinted and (column.type_class == "number" or says_free(column)):
                continue
            if place not in reading.derived and not reading.is_sensitive(item.name, column):
                found.append((hinted, item.name, column))
    return sorted(found, key=lambda entry: (not entry[0], entry[1], entry[2].ordinal))


def _values(
    reading: Reading, source: DialectSource, table: str, column: Column, hinted: bool
) -> tuple[str, ...] | None:
    budget = reading.meter.budget
    rows = reading.rows(source.sample_sql(table, column, budget))
    values = [row[0] for row in rows if row[0] is not None]
    texts = {text for value in values if (text := _text(value)) is not None}
    if not values or len(values) > budget.values or len(texts) < len(values):
        return None
    if any(len(text) > budget.value_length for text in texts):
        return None
    if not hinted:
        if not reading.meter.spend():
            return None
        enough = REPEATS * len(values)
        if len(reading.rows(source.prefix_sql(table, column, enough, budget))) < enough:
            return None
    return tuple(sorted(texts, key=_order))


def _text(value: Any) -> str | None:
    """A sampled value as text; bytes in hexadecimal. None for what is no literal of an enum, such as a fraction."""
    if isinstance(value, bytes | bytearray):
        return "0x" + bytes(value).hex()
    return str(value) if isinstance(value, str | int) else None


def _order(text: str) -> tuple[bool, int, str]:
    """Whole numbers by size, before text."""
    number = re.fullmatch(r"-?\d{1,30}", text) is not None
    return (not number, int(text) if number else 0, text)
