"""Hides what a plan names: the last step before rows are shown.

In: raw rows and their plan. Out: ``CleanRows``. Never: a row of a result that is not the one that was traced: another
number of columns, or another header where the plan knows it, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dbgraph_nb.errors import RedactionRefused
from dbgraph_nb.model import CleanRows, RawRows, RedactedColumn, RedactionPlan, Sensitivity
from dbgraph_nb.redact import REDACTED, names
from dbgraph_nb.redact.known import ByName

_NUMBERED = re.compile(r"[:_]\d+$")  # how engines tell two columns of one name apart


def apply(raw: RawRows, plan: RedactionPlan, *, by_name: ByName | None = None) -> CleanRows:
    """The rows with ``[REDACTED]`` for every value of the plan's columns.

    NULL stays None in ``plan.nulls``, and in columns that are hidden for their header alone; elsewhere it would answer
    questions about the value (``nullif(password, 'x')``) and is hidden too.

    Args:
        by_name: as for ``plan``, for headers of a result whose tables were not known.

    Raises:
        RedactionRefused: the plan refuses (code ``redaction-refused``), or the result's columns are not those that
            were traced (code ``redaction-mismatch``).

    >>> raw = RawRows(("id", "p"), [(1, "S3CR3T"), (2, None)])
    >>> why = Sensitivity("credential", "users.password")
    >>> apply(raw, RedactionPlan((1,), reasons={1: why}, nulls=(1,))).rows
    [(1, '[REDACTED]'), (2, None)]
    """
    redacted = columns_hidden(raw.columns, plan, by_name=by_name)
    if any(len(row) != len(raw.columns) for row in raw.rows):
        _mismatch("A row of the result has another number of values than the header")
    if not redacted:
        return CleanRows(raw, raw.rows)
    hidden = [column.index for column in redacted]
    masked = frozenset(plan.columns) - frozenset(plan.nulls)
    return CleanRows(raw, [_hide(row, hidden, masked) for row in raw.rows], redacted)


def columns_hidden(
    headers: Sequence[str], plan: RedactionPlan, *, by_name: ByName | None = None
) -> tuple[RedactedColumn, ...]:
    """The columns of a result with these headers that are hidden, and why.

    Raises:
        RedactionRefused: as ``apply``.
    """
    if plan.refused:
        raise RedactionRefused(f"Not shown: {plan.refused}.")
    _check(headers, plan)
    reasons = {i: plan.reasons.get(i) or Sensitivity("credential", "derived") for i in plan.columns}
    if plan.by_name:
        reasons |= _by_header(headers, plan, by_name or names.by_name_alone) if len(reasons) < len(headers) else {}
    return tuple(RedactedColumn(i, headers[i], reasons[i].tier, reasons[i].rule) for i in sorted(reasons))


def _hide(row: tuple[object, ...], hidden: list[int], masked: frozenset[int]) -> tuple[object, ...]:
    values = list(row)
    for position in hidden:
        if values[position] is not None or position in masked:
            values[position] = REDACTED
    return tuple(values)


def _check(headers: Sequence[str], plan: RedactionPlan) -> None:
    width = len(headers)
    if plan.outputs is not None and len(plan.outputs) != width:
        _mismatch(f"The result has {width} columns and {len(plan.outputs)} were traced")
    if any(not 0 <= position < width for position in plan.columns):
        _mismatch(f"The result has {width} columns, fewer than were traced")
    for expected, header in zip(plan.outputs or (), headers, strict=False):
        if expected is not None and _spellings(expected).isdisjoint(_spellings(header)):
            _mismatch("A column of the result has another name than the one that was traced")


def _spellings(header: str) -> set[str]:
    """A header, and without the number that tells two of one name apart: ``name:1``, ``name_1``."""
    plain = header.strip().lower()
    return {plain, _NUMBERED.sub("", plain)}


def _mismatch(reason: str) -> None:
    raise RedactionRefused(
        f"{reason}, so which of them are sensitive is not certain; nothing is shown.",
        code="redaction-mismatch",
        hint="If the database changed, index it again.",
    )


def _by_header(headers: Sequence[str], plan: RedactionPlan, by_name: ByName) -> dict[int, Sensitivity]:
    """Headers of unknown tables: the names decide."""
    found: dict[int, Sensitivity] = {}
    for position, header in enumerate(headers):
        why = plan.names.get(header.lower()) or by_name(header)
        if why is not None and position not in plan.columns:
            found[position] = why
    return found
