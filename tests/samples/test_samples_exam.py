"""The exam on the sample shop is about tables, columns and foreign keys that exist, and can be decided."""

import json
from pathlib import Path

import pytest

from dbgraph_nb.samples.shop_rows import rows
from dbgraph_nb.samples.shop_tables import TABLES, VIEWS

FOLDER = Path(__file__).parents[1] / "fixtures" / "find_exam"
COLUMNS = {f"{t.name}.{c.name}": c for t in TABLES for c in t.columns}
NAMES = {t.name for t in TABLES} | {v.name for v in VIEWS}
NEIGHBOURS = {frozenset((t.name, r.target)) for t in TABLES for r in t.references}


def read(name: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


FIND = read("shop_schema_author.jsonl")
RESOLVE = read("shop_schema_author.resolve.jsonl")


def test_the_exam_is_as_long_as_it_says():
    assert (len(FIND), len(RESOLVE)) == (40, 25)
    assert len({json.dumps([c["entity"], c["fields"], c["where"]]) for c in FIND}) == 40
    assert {c["status"] for c in FIND} == {"ok", "ambiguous", "missing_predicate", "not_found"}


@pytest.mark.parametrize("case", FIND, ids=lambda c: f"{c['entity']}-{'-'.join(c['fields'])}")
def test_find_case_names_what_exists(case):
    columns = [*case["columns"], *case["where_columns"]]
    assert case["table"] is None or case["table"] in NAMES
    assert set(columns) <= set(COLUMNS)
    assert set(case["candidates"]) <= set(COLUMNS) | NAMES
    if case["status"] == "ok":
        assert len(case["columns"]) == len(case["fields"])
        assert len(case["where_columns"]) == len(case["where"])
    elsewhere = {c.split(".")[0] for c in columns} - {case["table"]}
    assert elsewhere == set(case["join_tables"])
    assert all(frozenset((case["table"], table)) in NEIGHBOURS for table in case["join_tables"])
    assert (case["where"] is None) == (case["status"] == "missing_predicate")


def test_find_cases_that_are_ok_have_rows():
    data = rows()
    stored = {t.name: t.stored for t in TABLES}
    for case in FIND:
        if case["status"] != "ok":
            continue
        for column, wanted in zip(case["where_columns"], case["where"].values(), strict=True):
            table, name = column.split(".")
            values = {row[stored[table].index(name)] for row in data[table]}
            if isinstance(wanted, dict):
                continue
            for value in wanted if isinstance(wanted, list) else [wanted]:
                assert value in values or str(value).lower() in values, (case["entity"], column, value)


@pytest.mark.parametrize("case", RESOLVE, ids=lambda c: c["words"])
def test_resolve_case_names_what_exists(case):
    assert set(case["tables_any"]) <= NAMES
    assert set(case["columns_any"]) <= set(COLUMNS)
    assert case["tables_any"] or case["columns_any"]
