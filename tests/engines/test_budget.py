"""Rows are kept up to a number of bytes, so that a few huge values do not end the kernel."""

import pytest

from dbgraph_nb.engines import budget
from dbgraph_nb.errors import QueryFailed


def test_rows_within_the_budget_are_kept() -> None:
    assert budget.take(iter([(1, "a"), (2, b"b"), (3, None)]), 2) == [(1, "a"), (2, b"b")]


def test_reading_stops_at_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_BYTES", 1000)
    read = []

    def rows():  # type: ignore[no-untyped-def]
        for i in range(100):
            read.append(i)
            yield (i, "x" * 300)

    with pytest.raises(QueryFailed) as caught:
        budget.take(rows(), 100)
    assert caught.value.code == "result-too-large"
    assert "substr" in str(caught.value)
    assert len(read) == 4
