"""Every case of the fixtures and of the development cases gets its verdict."""

from collections import Counter

import pytest
from gate.gate_cases import DEVELOPMENT, cases, lines, refusal


@pytest.mark.parametrize("name", ["allow", "analytics"])
def test_reads_pass(name: str) -> None:
    wrong = []
    for dialect, case in cases(name):
        refused = refusal(case["sql"], dialect)
        if refused:
            wrong.append(f"{dialect}: {case['sql']} ({case['why']}): {refused}")
    assert wrong == []


def test_everything_else_is_refused_by_its_rule() -> None:
    wrong = []
    for dialect, case in cases("deny"):
        refused = refusal(case["sql"], dialect)
        rule = refused.rule if refused else "allowed"
        if rule != case["rule"]:
            wrong.append(f"{dialect}: {case['sql']!r} ({case['why']}): {rule}")
    assert wrong == []


def test_only_listed_relations_are_read() -> None:
    wrong = []
    for dialect, case in cases("relations"):
        refused = refusal(case["sql"], dialect, relations=case["relations"])
        if ("deny" if refused else "allow") != case["verdict"]:
            wrong.append(f"{dialect}: {case['sql']}: {refused}")
    assert wrong == []


def test_writes_are_allowed_on_plain_names_only() -> None:
    wrong = []
    for dialect, case in cases("writes"):
        refused = refusal(case["sql"], dialect, writes=True)
        if ("deny" if refused else "allow") != case["verdict"]:
            wrong.append(f"{dialect}: {case['sql']}: {refused}")
        if refusal(case["sql"], dialect) is None:
            wrong.append(f"{dialect}: {case['sql']}: allowed without writes")
    assert wrong == []


def test_there_are_enough_cases(capsys: pytest.CaptureFixture[str]) -> None:
    counted = {name: Counter(dialect for dialect, _ in cases(name)) for name in ("allow", "deny", "analytics")}
    with capsys.disabled():
        for name, by_dialect in counted.items():
            print(f"\ngate, own cases, {name}:", ", ".join(f"{key} {by_dialect[key]}" for key in sorted(by_dialect)))
    for name, least in (("allow", 60), ("deny", 150), ("analytics", 8)):
        assert min(counted[name].values()) >= least, counted[name]
    assert sum(counted["analytics"].values()) >= 40


def test_the_development_cases(capsys: pytest.CaptureFixture[str]) -> None:
    path = DEVELOPMENT / "gate.jsonl"
    if not path.exists():
        pytest.skip("the development cases are not beside this checkout")
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong = []
    for case in lines(path):
        dialect = case["dialect"]
        for relations in [None, ["f0", "f1"]] if dialect == "duckdb" else [None]:
            refused = refusal(case["sql"], dialect, relations=relations)
            good = ("deny" if refused else "allow") == case["verdict"]
            total[dialect] += 1
            right[dialect] += good
            if not good:
                wrong.append(f"{dialect}: {case['sql']}: {refused}")
    with capsys.disabled():
        print("\ngate, development cases:", ", ".join(f"{name} {right[name]}/{total[name]}" for name in total))
    assert wrong == []


def test_real_analytical_questions_pass() -> None:
    """The gold statements of the linking questions; those of SQL Server (TOP, DAY()) are another language."""
    path = DEVELOPMENT / "linking" / "spider_dev.jsonl"
    if not path.exists():
        pytest.skip("the development cases are not beside this checkout")
    statements = sorted({case["sql"] for case in lines(path) if case.get("sql")})
    assert len(statements) > 500
    wrong = [
        f"{dialect}: {sql}: {refused}"
        for dialect in ("sqlite", "mysql", "mariadb", "postgres", "duckdb")
        for sql in statements
        if (refused := refusal(sql, dialect))
    ]
    assert wrong == []
