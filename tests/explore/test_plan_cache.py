"""A statement that is run again is not traced again, unless what decides about it changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import dbgraph_nb as dg
from dbgraph_nb import redact
from dbgraph_nb.explore import querying, tracing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE t (id INTEGER, note TEXT); INSERT INTO t VALUES (1, 'hello');")
    connection.close()
    dg.connect("a", f"sqlite:///{path}")
    dg.index("a")
    return path


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that were traced."""
    found: list[str] = []
    original = redact.plan_tree

    def counting(tree: object, **known: object) -> object:
        found.append(str(known["sql"]))
        return original(tree, **known)  # type: ignore[arg-type]

    monkeypatch.setattr(redact, "plan_tree", counting)
    return found


def test_the_same_statement_is_traced_once(file: Path, traced: list[str]) -> None:
    for _ in range(3):
        assert dg.sql("a", "SELECT note FROM t")["note"].tolist() == ["hello"]
    assert traced == ["SELECT note FROM t"]


def test_another_policy_hides_at_once(file: Path, traced: list[str]) -> None:
    assert dg.sql("a", "SELECT note FROM t")["note"].tolist() == ["hello"]
    with pytest.warns(UserWarning, match="index was dropped"):
        dg.connect("a", f"sqlite:///{file}", sensitive=dg.SensitivePolicy(add=("t.note",)))
    dg.index("a")
    assert dg.sql("a", "SELECT note FROM t")["note"].tolist() == ["[REDACTED]"]
    assert len(traced) == 2


def test_a_new_index_hides_at_once(file: Path, traced: list[str]) -> None:
    dg.sql("a", "SELECT * FROM t")
    with sqlite3.connect(file) as connection:
        connection.executescript(
            "DROP TABLE t; CREATE TABLE t (id INTEGER, password TEXT); INSERT INTO t VALUES (1, 'x');"
        )
    connection.close()
    dg.index("a")
    assert dg.sql("a", "SELECT * FROM t")["password"].tolist() == ["[REDACTED]"]
    assert len(traced) == 2


def test_one_shown_statement_does_not_show_the_next(file: Path, traced: list[str]) -> None:
    with sqlite3.connect(file) as connection:
        connection.executescript("ALTER TABLE t ADD COLUMN password TEXT; UPDATE t SET password = 'x'")
    connection.close()
    dg.index("a")
    assert querying.sql("a", "SELECT password FROM t", show_sensitive=True)["password"].tolist() == ["x"]
    assert dg.sql("a", "SELECT password FROM t")["password"].tolist() == ["[REDACTED]"]


def test_the_store_of_plans_is_bounded(file: Path) -> None:
    for number in range(tracing._MOST_PLANS + 20):
        dg.sql("a", f"SELECT {number} AS n")
    assert len(tracing._plans) <= tracing._MOST_PLANS
