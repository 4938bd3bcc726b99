"""The rows of a result that are kept, and how many bytes they may be.

In: rows as the driver gives them, one at a time. Out: a list of at most so many. Never: more texts and binary values in
memory than the budget and one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from dbgraph_nb.errors import QueryFailed

MOST_BYTES = 256 * 1024 * 1024


def take(
    rows: Iterable[tuple[Any, ...]], count: int, stopped: Callable[[], bool] = lambda: False
) -> list[tuple[Any, ...]]:
    """The first ``count`` rows; fewer if ``stopped`` says so. Only texts (by characters) and bytes are measured.

    Raises:
        QueryFailed: they hold more than 256 MB (code ``result-too-large``).
    """
    kept: list[tuple[Any, ...]] = []
    size = 0
    for row in islice(rows, max(0, count)):
        for value in row:
            if type(value) is str or type(value) is bytes:
                size += len(value)
        if size > MOST_BYTES:
            raise QueryFailed(
                f"The rows hold more than {MOST_BYTES // 1024**2} MB, at row {len(kept) + 1:,}; reading was stopped.",
                code="result-too-large",
                hint="Select fewer columns or rows, or parts of long values with substr(column, 1, 1000).",
            )
        kept.append(row)
        if stopped():
            break
    return kept
