"""The exams on the sample shop, written by people who had not read the code: words → table, columns, joins, status."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dbgraph_nb import connection_url, gate, redact, samples
from dbgraph_nb.catalog import index as index_module
from dbgraph_nb.catalog import source
from dbgraph_nb.catalog.plan_find import FindPlan, plan_find
from dbgraph_nb.catalog.resolve import resolve
from dbgraph_nb.catalog.store import CatalogIndex, open_index
from dbgraph_nb.engines import Engine, open_engine

FOLDER = Path(__file__).parents[1] / "fixtures" / "find_exam"
RIGHT = 0.9  # the share of each exam that must be right
FIND = sorted(path.name for path in FOLDER.glob("*.jsonl") if ".resolve." not in path.name)
RESOLVE = sorted(path.name for path in FOLDER.glob("*.resolve.jsonl"))


def classify(name: str, /, *, comment: str | None, type: str | None) -> Any:  # noqa: A002
    return redact.classify(name, comment=comment, type=type)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    target, _ = connection_url.parse(samples.shop(tmp_path_factory.mktemp("shop") / "shop.db"))
    with closing(open_engine(target, None)) as opened:
        yield opened


@pytest.fixture(scope="module")
def shop(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> CatalogIndex:
    snapshot = source.read(engine, "l2", is_sensitive=lambda *column: False)
    path = tmp_path_factory.mktemp("index") / "index.db"
    index_module.build(snapshot, path, now="2026-01-01T00:00:00Z", writer="python", classify=classify)
    return open_index(path)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def places(plan: FindPlan, role: str) -> list[str]:
    return [f"{one.table}.{one.column}" if one.column else one.table for one in plan.used if one.role == role]


def is_right(case: dict[str, Any], plan: FindPlan) -> bool:
    if plan.status != case["status"] or (plan.sql is None) == (case["status"] == "ok"):
        return False
    table = places(plan, "entity")
    if table != ([case["table"]] if case["table"] else []):
        return False
    if case["status"] != "ok":
        shown = {f"{hit.table}.{hit.column}" if hit.column else hit.table for hit in plan.candidates}
        return set(case.get("candidates", ())) <= shown and set(case["columns"]) <= set(places(plan, "field"))
    if "where_columns" in case and places(plan, "where") != case["where_columns"]:
        return False
    return (places(plan, "field"), set(places(plan, "join"))) == (case["columns"], set(case["join_tables"]))


@pytest.mark.parametrize("exam", FIND)
def test_find(shop, engine, exam):
    wrong = []
    asked = cases(exam)
    for case in asked:
        where = case["where"]
        if where:
            where = {word: (v["op"], v["value"]) if isinstance(v, dict) else v for word, v in where.items()}
        plan = plan_find(shop, case["entity"], case["fields"], where)
        right = is_right(case, plan)
        if plan.status == "ok":
            assert plan.sql is not None
            rows = engine.run(gate.check(plan.sql, dialect="sqlite"), plan.params).rows
            assert rows or not right, case  # every right answer has rows
        if not right:
            wrong.append((case["entity"], case["fields"], case["where"], plan.status, plan.message))
    assert len(wrong) <= (1 - RIGHT) * len(asked), wrong


@pytest.mark.parametrize("exam", RESOLVE)
def test_resolve(shop, exam):
    wrong = []
    asked = cases(exam)
    for case in asked:
        hits = resolve(shop, case["words"], k=3)
        tables = {hit.table for hit in hits}
        columns = {f"{hit.table}.{hit.column}" for hit in hits if hit.column}
        if (case["tables_any"] and not tables & set(case["tables_any"])) or (
            case["columns_any"] and not columns & set(case["columns_any"])
        ):
            wrong.append((case["words"], [f"{hit.table}.{hit.column}" for hit in hits]))
    assert len(wrong) <= (1 - RIGHT) * len(asked), wrong
