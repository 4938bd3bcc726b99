"""Runs a statement on two databases that differ only in their secrets: what differs in the answers is a leak.

In: a case (or a generated statement) and its plan. Out: what is wrong with it, as text; "" if nothing. This is
stronger than a search for the secret itself: a length, a comparison or an order of rows tells on it too.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dbgraph_nb import redact
from dbgraph_nb.model import RawRows, RedactionPlan, Sensitivity

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "redact"
# The same database with other secrets: other letters, other order, other lengths.
SECRETS = ("S3CR3T", "zebra-Q77")

Case = dict[str, Any]
Answer = tuple[tuple[str, ...], list[tuple[Any, ...]]]


def load(folder: Path) -> list[Case]:
    cases: list[Case] = []
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        cases += [json.loads(line) for line in lines if line and not line.startswith("//")]
    return cases


def read_ddl(ddl: Iterable[str]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Schema and views of simple CREATE statements."""
    schema: dict[str, dict[str, str]] = {}
    views: dict[str, str] = {}
    for statement in ddl:
        table = re.match(r"CREATE TABLE (\"[^\"]+\"|[\w.]+)\s*\((.*)\)\s*$", statement, re.S)
        if table:
            columns = {}
            for part in _split(table[2]):
                name, kind = re.match(r"\s*(\"[^\"]+\"|\S+)\s*(.*)", part, re.S).groups()  # type: ignore[union-attr]
                columns[name.strip('"')] = re.sub(r"\b(PRIMARY KEY|NOT NULL|UNIQUE).*", "", kind).strip()
            schema[table[1].strip('"')] = columns
        view = re.match(r"CREATE VIEW (\w+)\s*(?:\([^)]*\))?\s*AS (.*)", statement, re.S)
        if view:
            views[view[1]] = statement if re.match(r"CREATE VIEW \w+\s*\(", statement) else view[2]
    return schema, views


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def pairs(case: Case) -> dict[tuple[str, str], Sensitivity]:
    tiers = case.get("tiers", {})
    return {
        (table, column): Sensitivity(tiers.get(f"{table}.{column}", case.get("tier", "credential")), f"name: {column}")
        for table, column in case["sensitive"]
    }


def plan_case(case: Case) -> RedactionPlan:
    schema, views = read_ddl(case["ddl"])
    if case.get("no_schema"):
        schema, views = {}, {}
    return redact.plan(case["sql"], dialect=case["dialect"], schema=schema, sensitive=pairs(case), views=views)


def refusal_wanted(case: Case) -> bool:
    return bool(case["inference"]) or case["policy"] == "block"


def answers(case: Case) -> list[Answer] | str:
    """The answers for both secrets, or the engine's error."""
    try:
        return [
            run(case["dialect"], [s.replace("S3CR3T", secret) for s in case["ddl"]], case["sql"]) for secret in SECRETS
        ]
    except Exception as error:  # noqa: BLE001 - any engine's error is an answer too
        return str(error)


def run(dialect: str, ddl: Sequence[str], sql: str) -> Answer:
    if dialect == "sqlite":
        with closing(sqlite3.connect(":memory:")) as connection:
            for statement in ddl:
                connection.execute(statement)
            cursor = connection.execute(sql)
            return tuple(d[0] for d in cursor.description), cursor.fetchall()
    import duckdb

    with closing(duckdb.connect()) as db:
        for statement in ddl:
            db.execute(statement)
        result = db.execute(sql)
        assert result.description is not None
        return tuple(d[0] for d in result.description), result.fetchall()


def leak(answer_pair: Sequence[Answer], plan: RedactionPlan) -> str:
    """What the cleaned answers tell about the secrets."""
    clean = [redact.apply(RawRows(columns, rows), plan) for columns, rows in answer_pair]
    if answer_pair[0][0] != answer_pair[1][0]:
        return "the headers differ"
    text = repr([c.rows for c in clean] + [a[0] for a in answer_pair]).lower()
    for secret in SECRETS:
        if secret.lower() in text:
            return f"{secret} is shown"
    first, second = (Counter(map(repr, c.rows)) for c in clean)
    return "" if first == second else f"the answers differ: {first - second} / {second - first}"
