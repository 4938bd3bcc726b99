"""Every case of the fixtures: the plan is the expected one, and on the real engine nothing leaks."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from redact.leakcheck import FIXTURES, SECRETS, answers, leak, load, pairs, plan_case, read_ddl, refusal_wanted, run

from dbgraph_nb import redact
from dbgraph_nb.model import RawRows, RedactionPlan

CASES = load(FIXTURES)
# What is refused as no read is not tried: it would write.
RUN = [case for case in CASES if case["dialect"] in ("sqlite", "duckdb") and case["policy"] != "block"]
SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "redaction.jsonl"


def label(case: dict[str, Any]) -> str:
    return f"{case['dialect']}-{case['id']}"


def check(case: dict[str, Any]) -> RedactionPlan:
    plan = plan_case(case)
    if refusal_wanted(case):
        assert plan.refused, (case["sql"], plan)
    else:
        assert plan.refused is None, case["sql"]
        assert list(plan.columns) == case["expect_idx"], case["sql"]
    return plan


def test_there_are_many_cases_of_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    counted = Counter(case["dialect"] for case in CASES)
    with capsys.disabled():
        print("\nredaction, own cases:", ", ".join(f"{dialect} {n}" for dialect, n in sorted(counted.items())))
    assert len({case["id"] for case in CASES}) == len(CASES) > 350
    assert {case["dialect"] for case in CASES} == {"sqlite", "duckdb", "mysql", "mariadb", "postgres"}
    assert sum(refusal_wanted(case) for case in CASES) > 60


@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_plan_is_the_expected_one(case: dict[str, Any]) -> None:
    check(case)


@pytest.mark.parametrize("case", RUN, ids=label)
def test_nothing_leaks_on_the_engine(case: dict[str, Any]) -> None:
    plan = plan_case(case)
    found = answers(case)
    if isinstance(found, str):
        assert case.get("engine_error") or plan.refused, found
        if case["error_leak"]:
            assert not any(secret[:4] in redact.scrub(found, keep=["users", "password"]) for secret in SECRETS), found
        return
    if plan.refused is None:
        assert leak(found, plan) == ""


def test_the_check_itself_sees_leaks() -> None:
    """Without the plan most answers of cases with something to hide tell the secret."""
    hidden = [case for case in RUN if not refusal_wanted(case) and case["expect_idx"] and not case.get("engine_error")]
    seen = [case for case in hidden if leak(list(answers(case)), RedactionPlan())]  # type: ignore[arg-type]
    assert len(seen) > len(hidden) * 0.85


def test_the_shared_cases(capsys: pytest.CaptureFixture[str]) -> None:
    if not SHARED.exists():
        pytest.skip("the development cases are not beside this checkout")
    right: Counter[str] = Counter()
    for case in [case for case in load(SHARED.parent) if "classify_only" in case]:
        if case["classify_only"]:
            schema, _ = read_ddl(case["ddl"])
            (table,) = schema
            found = [i for i, (name, kind) in enumerate(schema[table].items()) if redact.classify(name, type=kind)]
            assert found == case["expect_idx"], case["id"]
        plan = check(case)
        if case["dialect"] in ("sqlite", "duckdb") and plan.refused is None:
            columns, rows = run(case["dialect"], case["ddl"], case["sql"])
            clean = redact.apply(RawRows(columns, rows), plan)
            assert "S3CR3T" not in repr(clean.rows), case["id"]
            assert [c.index for c in clean.redacted] == case["expect_idx"]
        right[case["dialect"]] += 1
    with capsys.disabled():
        print("\nredaction, development cases:", ", ".join(f"{dialect} {n}" for dialect, n in sorted(right.items())))


def test_a_case_has_no_pair_without_a_table() -> None:
    for case in CASES:
        schema, views = read_ddl(case["ddl"])
        for table, _ in pairs(case):
            assert table in schema or table in views, case["id"]
