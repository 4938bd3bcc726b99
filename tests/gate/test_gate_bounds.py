"""Whatever the text, the gate answers: with a statement, or with one refusal."""

import random
import sys

import pytest
import soak
from gate.gate_cases import cases, refusal

from dbgraph_nb import gate
from dbgraph_nb.errors import BadArgument, GateRefused
from dbgraph_nb.gate.refusal import RULE_NAMES
from dbgraph_nb.gate.scan import MAX_DEPTH, MAX_LENGTH
from dbgraph_nb.model import Dialect

DIALECTS: list[Dialect] = ["sqlite", "mysql", "mariadb", "postgres", "duckdb"]

NESTINGS = {
    "parentheses": ("(", "1", ")"),
    "functions": ("lower(", "1", ")"),
    "subqueries": ("(SELECT ", "1", ")"),
    "cases": ("CASE WHEN ", "1", " THEN 1 END"),
    "nots": ("NOT ", "1", ""),
    "signs": ("- ", "1", ""),
    "casts": ("CAST(", "1", " AS int)"),
    "brackets": ("[", "1", "]"),
    "braces": ("{'a': ", "1", "}"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", sorted(NESTINGS))
def test_depth_is_bounded(dialect: Dialect, name: str) -> None:
    left, middle, right = NESTINGS[name]
    refused = refusal("SELECT " + left * 1000 + middle + right * 1000, dialect)
    assert refused is not None
    if left.strip()[-1] in "([{" and not (dialect == "sqlite" and name == "brackets"):
        assert refused.rule == "too-deep"
        assert refused.column == len("SELECT ") + len(left) * MAX_DEPTH + 1 + max(left.find(sign) for sign in "([{")
    else:
        assert refused.rule in ("too-deep", "unbalanced", "not-understood")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_usual_depth_passes_from_deep_inside_a_program(dialect: Dialect) -> None:
    """A notebook's own stack is about 100 frames deep."""

    def deeper(frames: int) -> GateRefused | None:
        return (
            deeper(frames - 1) if frames else refusal("SELECT " + "lower(" * 20 + "a" + ")" * 20 + " FROM t", dialect)
        )

    assert deeper(100) is None


def test_the_parser_running_out_of_stack_is_a_refusal() -> None:
    def deeper(frames: int) -> GateRefused | None:
        return deeper(frames - 1) if frames else refusal("SELECT " + "lower(" * 50 + "a" + ")" * 50, "sqlite")

    refused = deeper(sys.getrecursionlimit() - 300)
    assert refused is not None
    assert refused.rule == "too-deep"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_length_is_bounded(dialect: Dialect) -> None:
    long = "SELECT '" + "x" * MAX_LENGTH + "'"
    refused = refusal(long, dialect)
    assert refused is not None
    assert refused.rule == "too-long"
    assert refusal("SELECT '" + "x" * (MAX_LENGTH - 100) + "'", dialect) is None
    assert refusal("SELECT 1 IN (" + ", ".join(["1"] * 5_000) + ")", dialect) is None


def test_arguments_are_checked_before_anything_else() -> None:
    with pytest.raises(BadArgument) as unknown:
        gate.check("SELECT 1", dialect="oracle")  # type: ignore[arg-type]
    assert unknown.value.code == "unknown-dialect"
    with pytest.raises(BadArgument) as none:
        gate.check(None, dialect="sqlite")  # type: ignore[arg-type]
    assert none.value.code == "sql-not-text"


def mutated(sql: str, source: random.Random, others: list[str]) -> str:
    """``sql`` with a few characters lost, doubled, exchanged or put in, or with a piece of another statement."""
    text = list(sql)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(text) + 1)
        kind = source.randint(0, 4)
        if kind == 0 and text:
            del text[at % len(text)]
        elif kind == 1:
            text.insert(at, source.choice("'\"`;()[]{}$-/*#\\\n\r\t\0:,.@?!%é中 ") or " ")
        elif kind == 2 and text:
            text[at % len(text)] = chr(source.choice([source.randint(1, 0x7F), source.randint(0x80, 0x2FFF)]))
        elif kind == 3:
            other = source.choice(others)
            cut = source.randrange(len(other) + 1)
            text[at:at] = list(other[cut : cut + source.randint(1, 12)])
        else:
            text[at:] = text[at:][::-1] if source.random() < 0.1 else text[at:]
    return "".join(text)


def test_mutated_texts_never_crash_it() -> None:
    source = random.Random(20261130)
    known = [(dialect, case["sql"]) for name in ("allow", "deny", "analytics") for dialect, case in cases(name)]
    others = [sql for _, sql in known if sql]
    for _ in range(soak.scale(100_000)):
        dialect, sql = source.choice(known)
        refused = refusal(mutated(sql, source, others), dialect)
        assert refused is None or refused.rule in RULE_NAMES


def test_any_characters_never_crash_it() -> None:
    source = random.Random(7)
    for _ in range(soak.scale(40_000)):
        text = "".join(
            chr(source.choice([source.randint(0, 0x7F), source.randint(0, 0xFFFF)]))
            for _ in range(source.randint(0, 30))
        )
        refused = refusal(text, source.choice(DIALECTS))
        assert refused is None or refused.rule in RULE_NAMES
