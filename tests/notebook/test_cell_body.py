"""The statement reaches the engine byte for byte, whatever stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dbgraph_nb.engines import sqlite as engine

if TYPE_CHECKING:
    from notebook.conftest import Notebook

BODIES = [
    "SELECT 1 AS a",
    "\n\n  SELECT 1 AS a\n",
    "\t SELECT 1 AS a",
    "SELECT 1 AS a;",
    "SELECT 1 AS a ;\n\n",
    "SELECT 1 AS a;\n-- LIMIT 5\n",
    "-- 第一 it's\nSELECT 1 AS a -- the last\n",
    "/* before; it's */ SELECT 1 AS a /* {x} after */;\n",
    "SELECT 1 AS a, -- a comment with 'one quote\n  2 AS b\n",
    "SELECT 'O''Neil' AS a, \"id\" FROM users LIMIT 1",
    'SELECT \'{"k":true,"b":{}}\' AS a',
    "SELECT '{x} $x {{x}} $$x ${x} %(x)s %s 50% %%' AS a",
    "SELECT name FROM users WHERE name LIKE '%三%' LIMIT 1",
    "SELECT '12:30 :x ::y [2:3]' AS a",
    "SELECT 1 AS a,\r\n  2 AS b\r\n",
    "SELECT '张三 👍 e\u0301 ｆｕｌｌ　ｗｉｄｔｈ' AS \"列 名\"",
    "SELECT 'a\tb\u00a0c\u2028d\u0085e' AS a",
    "SELECT 'two\n\n  lines  \n' AS a",
    "SELECT '\n%dbgraph find?\n%%dbgraph sql\n!ls\n?x\n' AS a",
    "SELECT '\n>>> a\n... b\nIn [1]: c\n' AS a",
    "SELECT '--no comment' AS a, '/* none */' AS b",
    "SELECT '\\' AS a, '\\n' AS b",
    "SELECT 'is it?' AS a -- is it?",
    "SELECT 'pragma; drop table users' AS a",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What the driver gets, statement by statement: its text and its values."""
    seen: list[tuple[str, Any]] = []
    bind = engine.bind_query

    def recorded(*args: Any, **kwargs: Any) -> tuple[str, Any]:
        made = bind(*args, **kwargs)
        seen.append((made[0], made[1]))
        return made

    monkeypatch.setattr(engine, "bind_query", recorded)
    return seen


@pytest.mark.parametrize("body", BODIES)
def test_the_body_is_sent_as_it_stands(shop: Notebook, sent: list[tuple[str, Any]], body: str) -> None:
    shop["x"] = "expanded"
    frame = shop.run(f"%%dbgraph sql\n{body}")
    # IPython ends the last line of a cell that does not end; nothing else may differ
    assert [text for text, _ in sent] == [body if body.endswith("\n") else f"{body}\n"]
    assert frame.meta.sql == sent[0][0]


def test_the_whole_cell_is_one_statement_for_every_option(shop: Notebook, sent: list[tuple[str, Any]]) -> None:
    body = "\nSELECT id -- :least it's\nFROM orders\nWHERE amount >= :least AND status <> ':least'\n"
    shop["least"] = 1
    shop.run(f"%%dbgraph sql shop -o v --max-rows 2 --count --timeout 9 --param least=100.5 --show-sensitive\n{body}")
    (text, values) = sent[0]
    assert text == body  # SQLite knows named values, so not even a parameter is rewritten
    assert float(values["least"]) == 100.5


def test_a_long_statement_is_not_cut(shop: Notebook, sent: list[tuple[str, Any]]) -> None:
    body = "SELECT " + "".join(f"{i} AS c{i}, -- {'注释' * 20}\n" for i in range(400)) + "0 AS z\n"
    frame = shop.run(f"%%dbgraph sql\n{body}")
    assert sent[0][0] == body
    assert frame.shape == (1, 401)
