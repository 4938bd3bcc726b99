"""What the gate costs beside the parser that it uses, and what it costs to refuse a hopeless text.

``measure()`` returns the numbers; `make bench` prints them beside their goals.
"""

from __future__ import annotations

import json
from pathlib import Path

import sqlglot
from interleave import interleaved

from dbgraph_nb import gate
from dbgraph_nb.errors import GateRefused
from dbgraph_nb.model import Dialect

GOALS = {
    "gate / parse_one": ("<=", 3.0),
    "one line, ms": ("<=", 5.0),
    "1,000 brackets, ms": ("<=", 50.0),
    "hardest nesting, ms": ("<=", 500.0),
    "10 times the text / the text": ("<=", 14.0),
}
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "gate"
ROUNDS = 9
ONE_LINE = (
    "SELECT city, sum(amount) AS total FROM orders WHERE created_at >= '2024-01-01' GROUP BY city ORDER BY 2 DESC"
)


def statements() -> list[tuple[Dialect, str]]:
    lines = (FIXTURES / "analytics.jsonl").read_text(encoding="utf-8").split("\n")
    cases = [json.loads(line) for line in lines if line]
    return [(case["dialects"][0], case["sql"]) for case in cases if parses(case["sql"], case["dialects"][0])]


def parses(sql: str, dialect: Dialect) -> bool:
    """Whether sqlglot alone parses it; the gate knows a few forms more."""
    try:
        sqlglot.parse_one(sql, dialect=dialect.replace("mariadb", "mysql"))
    except sqlglot.ParseError:
        return False
    return True


def refused(sql: str) -> None:
    try:
        gate.check(sql, dialect="duckdb")
    except GateRefused:
        return
    raise AssertionError(sql[:50])


def measure() -> dict[str, float]:
    """Ratios and milliseconds by name."""
    known = statements()
    long = "SELECT " + ", ".join(f"lower(a{number})" for number in range(400)) + " FROM t"
    longer = "SELECT " + ", ".join(f"lower(a{number})" for number in range(4000)) + " FROM t"
    fresh = iter(range(10_000_000))

    def check(sql: str, dialect: Dialect) -> None:
        gate.check(f"{sql} -- {next(fresh)}", dialect=dialect)  # a new text each time: the gate remembers those it saw

    times = interleaved(
        {
            "gate": lambda: [check(sql, dialect) for dialect, sql in known],
            "parse": lambda: [
                sqlglot.parse_one(sql, dialect=dialect.replace("mariadb", "mysql")) for dialect, sql in known
            ],
            "line": lambda: check(ONE_LINE, "postgres"),
            "deep": lambda: refused("SELECT " + "(" * 1000 + "1" + ")" * 1000),
            "hard": lambda: refused("SELECT " + "ARRAY[" * 50 + "1" + "]" * 50),
            "long": lambda: check(long, "mysql"),
            "longer": lambda: check(longer, "mysql"),
        },
        ROUNDS,
    )
    return {
        "gate / parse_one": times["gate"] / times["parse"],
        "one line, ms": times["line"],
        "1,000 brackets, ms": times["deep"],
        "hardest nesting, ms": times["hard"],
        "10 times the text / the text": times["longer"] / times["long"],
    }
