"""The values of predicates: what a person wrote → conditions with values of the column's type.

In: the value of a ``where`` entry, its column, the aliases. Out: ``Condition``s that hold values to bind. Never: a
value in SQL text, or a value that is dropped or changed without a word.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from dbgraph_nb.catalog.aliases import Aliases
from dbgraph_nb.catalog.store import CatalogIndex, ColumnRow
from dbgraph_nb.errors import BadArgument

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~"]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "~")
MOST_VALUES = 1000  # of one list
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TRUE = frozenset(("1", "true", "t", "yes", "y", "是", "真"))
_FALSE = frozenset(("0", "false", "f", "no", "n", "否", "假"))
_PERIOD = "Write one as 2024-01-01; a year or month is two conditions: >= 2024-01-01 and < 2025-01-01."
_SINGLE = (str, int, float, Decimal, bytes, dt.date, dt.time, dt.timedelta)


@dataclass(frozen=True, slots=True)
class Condition:
    """``operator`` on one column; several ``values`` only with = and != (IN, NOT IN), and None among them is NULL.

    ``notes`` say how a value was understood, where it is not what was written; ``doubts`` name values that the column
    is not known to have."""

    operator: Operator
    values: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def conditions(index: CatalogIndex, word: str, value: Any, column: ColumnRow, aliases: Aliases) -> list[Condition]:
    """The conditions that one entry of ``where`` sets on its column; all of them hold.

    A plain value is =, a list or another tuple is IN, ``(operator, value)`` is that operator, a list of such pairs is
    all of them, None is NULL.

    Raises:
        BadArgument: an operator or value that the column cannot take (code ``where-operator``, ``where-empty-list``,
            ``where-value``, ``value-type``).
    """
    value = _plain(value)
    if isinstance(value, list) and value and all(_is_pair(item) for item in value):
        return [_condition(index, word, item[0], item[1], column, aliases) for item in value]
    if _is_pair(value):
        return [_condition(index, word, value[0], value[1], column, aliases)]
    return [_condition(index, word, "=", value, column, aliases)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and value[0] in OPERATORS


def _condition(
    index: CatalogIndex, word: str, operator: Operator, value: Any, column: ColumnRow, aliases: Aliases
) -> Condition:
    value = _plain(value)
    many = isinstance(value, list | tuple | set | frozenset)
    values = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value) if many else [value]
    if not values:
        raise BadArgument(f"The list of values for {word} is empty.", code="where-empty-list")
    if len(values) > MOST_VALUES:
        raise BadArgument(f"{word} has {len(values):,} values; at most {MOST_VALUES:,}.", code="where-value")
    if operator not in ("=", "!=") and (many or values[0] is None):
        what = "a list" if many else "None"
        raise BadArgument(
            f"{word} {operator} takes a single value, not {what}.", code="where-operator", hint="Use = or != with it."
        )
    bound: list[Any] = []
    notes: dict[str, None] = {}
    doubts: dict[str, None] = {}
    for item in values:
        taken, note = _taken(index, word, operator, _plain(item), column, aliases)
        bound += [one for one in taken if one not in bound]
        notes.update(dict.fromkeys(note))
        doubts.update(dict.fromkeys(_doubts(operator, taken, column)))
    return Condition(operator, tuple(bound), tuple(notes), tuple(doubts))


def _plain(value: Any) -> Any:
    """A scalar of numpy or pandas as a plain Python value."""
    if isinstance(value, _SINGLE) and type(value).__module__ in ("builtins", "datetime", "decimal"):
        return value
    convert = getattr(value, "to_pydatetime", None) or getattr(value, "item", None)
    return convert() if callable(convert) and not hasattr(value, "__len__") else value


def _taken(
    index: CatalogIndex, word: str, operator: Operator, value: Any, column: ColumnRow, aliases: Aliases
) -> tuple[list[Any], list[str]]:
    """The values to bind for one written value, and notes."""
    if value is None:
        return [None], []
    if not isinstance(value, _SINGLE):
        raise BadArgument(
            f"The value for {word} is a {type(value).__name__}.",
            code="where-value",
            hint="A predicate takes a number, text, a date, bytes, None, or a list of these.",
        )
    if operator == "~":
        if column.type_class == "binary" or not isinstance(value, str | int):
            raise BadArgument(f"{word} ~ looks for text, in a column that is no binary data.", code="where-operator")
        return [str(value)], []
    if isinstance(value, str):
        found, notes = _literals(index, value, column, aliases)
        if found:
            return (found, notes) if operator in ("=", "!=") else (found[:1], notes)
    return [_typed(word, value, column)], []


def _literals(index: CatalogIndex, value: str, column: ColumnRow, aliases: Aliases) -> tuple[list[str], list[str]]:
    """The sampled or declared literals that a written value means: as written, by an alias, in another case."""
    known = column.enum_values or ()
    if value in known:
        return [value], []
    for origin, other in aliases.literals(index, value, column):
        exact = [literal for literal in known if _folded(literal) == _folded(other)]
        if exact or (origin == "alias" and not known):
            return exact or [other], [f"{origin} {value} → {(exact or [other])[0]}"]
    same = [literal for literal in known if _folded(literal) == _folded(value)]
    return same, [f"value {value} → {literal}" for literal in same]


def _folded(value: str) -> str:
    return unicodedata.normalize("NFKC", value).casefold().strip()


def _doubts(operator: Operator, values: Sequence[Any], column: ColumnRow) -> list[str]:
    """What to say of values that a column with known values does not have; a sample may be incomplete."""
    known = column.enum_values
    if not known or operator not in ("=", "!="):
        return []
    shown = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    missing = [value for value in values if value is not None and str(value) not in known]
    return [f"{value} is not among the known values of {column.name} ({shown})" for value in missing]


def _typed(word: str, value: Any, column: ColumnRow) -> Any:
    """The value in the type of the column.

    Raises:
        BadArgument: it is no value of that type (code ``value-type``).
    """
    kind = column.type_class
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise _mismatch(word, value, column, "a finite number")
    if kind == "number":
        return _number(word, value, column)
    if kind == "bool":
        return _truth(word, value, column)
    if kind == "time":
        return _moment(word, value, column)
    if kind in ("text", "enum") and isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return str(value)
    if kind in ("text", "enum", "json") and isinstance(value, dt.date | dt.time):
        return value.isoformat(" ") if isinstance(value, dt.datetime) else value.isoformat()
    return value


def _number(word: str, value: Any, column: ColumnRow) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float | Decimal):
        return value
    written = unicodedata.normalize("NFKC", value).strip() if isinstance(value, str) else ""
    if not _NUMBER.fullmatch(written):
        raise _mismatch(word, value, column, "a number")
    try:
        return int(written) if re.fullmatch(r"[+-]?\d{1,400}", written) else Decimal(written)
    except InvalidOperation:
        raise _mismatch(word, value, column, "a number") from None


def _truth(word: str, value: Any, column: ColumnRow) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    folded = _folded(value) if isinstance(value, str) else ""
    if folded in _TRUE or folded in _FALSE:
        return folded in _TRUE
    raise _mismatch(word, value, column, "true or false (是 or 否)")


def _moment(word: str, value: Any, column: ColumnRow) -> Any:
    dated = re.search("date|timestamp", column.type, re.IGNORECASE) is not None
    written = value.strip() if isinstance(value, str) else value
    if dated and not isinstance(value, bool) and re.fullmatch(r"\d{1,4}", str(written)):
        raise _mismatch(word, value, column, "a whole date", hint=_PERIOD)
    if isinstance(value, dt.date | dt.time | dt.timedelta) or (
        isinstance(value, int | float | Decimal) and not isinstance(value, bool)  # a year, or seconds since 1970
    ):
        return value
    if isinstance(written, str):
        for parse in (dt.datetime.fromisoformat, *([] if dated else [dt.time.fromisoformat])):
            with suppress(ValueError):
                parse(written)
                return written
        if not dated and re.fullmatch(r"\d{4}|-?\d{2,3}:\d{2}(:\d{2}(\.\d+)?)?", written):
            return written
        if re.fullmatch(r"\d{4}[-/.年]?(\d{1,2}月?)?", written):
            raise _mismatch(word, value, column, "a whole date", hint=_PERIOD)
    raise _mismatch(word, value, column, "a date or time such as 2024-05-31 or 2024-05-31 08:00")


def _mismatch(word: str, value: Any, column: ColumnRow, wanted: str, hint: str | None = None) -> BadArgument:
    """Names the column and the type; the value is what the caller wrote, and may be a secret: it is not repeated."""
    return BadArgument(
        f"The value for {word} is not {wanted}, which {column.name} ({column.type or column.type_class}) needs.",
        code="value-type",
        hint=hint,
    )
