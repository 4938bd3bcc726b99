"""What gate and lineage cost together, beside sqlglot's own ``parse_one`` and ``qualify`` of the same text.

``measure()`` returns the numbers; `make bench` prints them beside their goals.
"""

from __future__ import annotations

from typing import get_args

import sqlglot
from interleave import interleaved
from sqlglot.optimizer.qualify import qualify

from dbgraph_nb import gate, redact
from dbgraph_nb.errors import GateRefused
from dbgraph_nb.explore import querying, tracing
from dbgraph_nb.explore.knowledge import Knowledge
from dbgraph_nb.model import Dialect, SensitivePolicy, Sensitivity

GOALS = {
    "gate and lineage / parse_one and qualify": ("<=", 3.0),
    "the worst statement": ("<=", 5.0),
    "one line, ms": ("<=", 5.0),
    "seen before, ms": ("<=", 0.2),
    "10 times the text / the text": ("<=", 16.0),
    "depth 1,000 refused, ms": ("<=", 50.0),
}
ROUNDS = 9
SCHEMA = {
    "users": {"id": "INT", "name": "TEXT", "password": "TEXT", "phone": "TEXT", "city": "TEXT", "created_at": "DATE"},
    "orders": {"id": "INT", "user_id": "INT", "amount": "DECIMAL", "status": "TEXT", "created_at": "DATE"},
    "items": {"id": "INT", "order_id": "INT", "product_id": "INT", "count": "INT", "price": "DECIMAL"},
    "products": {"id": "INT", "title": "TEXT", "category": "TEXT", "price": "DECIMAL"},
}
SENSITIVE = {("users", "password"): Sensitivity("credential", "name: password")}
ONE_LINE = "SELECT city, count(*) AS n FROM users WHERE created_at >= '2024-01-01' GROUP BY city ORDER BY 2 DESC"
STATEMENTS = (
    "SELECT id, name, city FROM users WHERE id = 5",
    ONE_LINE,
    "SELECT * FROM users LIMIT 10",
    "SELECT u.name, o.amount FROM users AS u JOIN orders AS o ON o.user_id = u.id WHERE o.status = 'paid'",
    "SELECT status, sum(amount) AS total, avg(amount) AS mean FROM orders GROUP BY status HAVING sum(amount) > 100",
    "SELECT name, upper(password) AS p, coalesce(phone, '-') AS phone FROM users",
    """WITH spent AS (SELECT user_id, sum(amount) AS total FROM orders GROUP BY user_id),
       ranked AS (SELECT s.*, rank() OVER (ORDER BY total DESC) AS place FROM spent AS s)
       SELECT u.city, r.place, r.total FROM ranked AS r JOIN users AS u ON u.id = r.user_id WHERE r.place <= 10""",
    """SELECT p.category, o.status, sum(i.count * i.price) AS revenue, count(DISTINCT o.user_id) AS buyers
       FROM items AS i JOIN orders AS o ON o.id = i.order_id JOIN products AS p ON p.id = i.product_id
       WHERE o.created_at BETWEEN '2024-01-01' AND '2024-12-31' AND p.category IN ('a', 'b', 'c')
       GROUP BY p.category, o.status ORDER BY revenue DESC LIMIT 20""",
    """SELECT CASE WHEN amount < 10 THEN 'small' WHEN amount < 100 THEN 'middle' ELSE 'large' END AS size,
       count(*) AS n, min(created_at) AS first, max(created_at) AS last FROM orders GROUP BY 1""",
    "SELECT city FROM users UNION SELECT category FROM products UNION ALL SELECT status FROM orders",
    "SELECT name FROM users WHERE id IN (SELECT user_id FROM orders WHERE amount > (SELECT avg(amount) FROM orders))",
    """SELECT o.user_id, o.created_at, sum(o.amount) OVER (PARTITION BY o.user_id ORDER BY o.created_at) AS run,
       lag(o.amount) OVER (PARTITION BY o.user_id ORDER BY o.created_at) AS before FROM orders AS o""",
)


def ours(sql: str, dialect: Dialect) -> None:
    allowed = gate.check(sql, dialect=dialect)
    redact.plan_tree(allowed.tree, sql=sql, dialect=dialect, schema=SCHEMA, sensitive=SENSITIVE)


def theirs(sql: str, dialect: Dialect) -> None:
    parser = dialect.replace("mariadb", "mysql")
    qualify(sqlglot.parse_one(sql, dialect=parser), schema=SCHEMA, dialect=parser)


def grown(times: int) -> list[str]:
    """Texts of several shapes that grow with ``times``."""
    columns = ", ".join(f"coalesce(o.amount, {n}) + {n} AS c{n}" for n in range(20 * times))
    joins = " ".join(f"JOIN items AS i{n} ON i{n}.order_id = o.id" for n in range(3 * times))
    branches = " ".join(f"WHEN o.amount > {n} THEN '{n}'" for n in range(20 * times))
    parts = ", ".join(f"c{n} AS (SELECT id, amount FROM orders WHERE id = {n})" for n in range(3 * times))
    return [
        f"SELECT {columns} FROM orders AS o",
        f"SELECT o.id FROM orders AS o {joins}",
        f"SELECT CASE {branches} END AS size FROM orders AS o",
        f"WITH {parts} SELECT * FROM c0",
        " UNION ALL ".join(["SELECT id, amount FROM orders"] * 5 * times),
        f"SELECT id FROM orders WHERE id IN ({', '.join(map(str, range(50 * times)))})",
    ]


def deep() -> list[str]:
    """Texts that are nested a thousand deep."""
    many = 1000
    return [
        "SELECT " + "(" * many + "1" + ")" * many,
        "SELECT " + "abs(" * many + "1" + ")" * many,
        "SELECT " + "NOT " * many + "true",
        "SELECT " + "- " * many + "1",
        "SELECT " + "CASE WHEN true THEN " * many + "1" + " END" * many,
        "SELECT * FROM " + "(SELECT * FROM " * many + "users" + ") AS x" * many,
        "SELECT " + "CASE WHEN (SELECT 1 AS end) = 1 THEN " * many + "1" + " END" * many,
        "SELECT " + "ARRAY[" * many + "1" + "]" * many,
        "".join(f"WITH c{n} AS (" for n in range(many)) + "SELECT 1" + ") SELECT 1" * many,
    ]


def refused(sql: str) -> None:
    try:
        gate.check(sql, dialect="postgres")
    except GateRefused:
        return
    raise AssertionError(sql[:50])


def measure() -> dict[str, float]:
    """Ratios and milliseconds by name."""
    fresh = iter(range(10_000_000))  # each text is new, so that no cache answers

    def new(sql: str) -> str:
        return f"{sql} -- {next(fresh)}"

    pairs = [(sql, dialect) for sql in STATEMENTS for dialect in get_args(Dialect)]
    variants = {}
    for number, sql in enumerate(STATEMENTS):
        variants[f"ours {number}"] = lambda sql=sql: [ours(new(sql), dialect) for dialect in get_args(Dialect)]
        variants[f"theirs {number}"] = lambda sql=sql: [theirs(new(sql), dialect) for dialect in get_args(Dialect)]
    times = interleaved(variants, ROUNDS)
    mine = sum(times[f"ours {number}"] for number in range(len(STATEMENTS)))
    other = sum(times[f"theirs {number}"] for number in range(len(STATEMENTS)))
    worst = max(times[f"ours {number}"] / times[f"theirs {number}"] for number in range(len(STATEMENTS)))
    small, large = grown(1), grown(10)
    more = interleaved(
        {
            "line": lambda: ours(new(ONE_LINE), "postgres"),
            **{f"small {n}": lambda sql=sql: ours(new(sql), "duckdb") for n, sql in enumerate(small)},
            **{f"large {n}": lambda sql=sql: ours(new(sql), "duckdb") for n, sql in enumerate(large)},
            **{f"deep {n}": lambda sql=sql: refused(new(sql)) for n, sql in enumerate(deep())},
            "seen": seen_before,
        },
        ROUNDS,
    )
    assert len(pairs) >= 60
    return {
        "gate and lineage / parse_one and qualify": mine / other,
        "the worst statement": worst,
        "one line, ms": more["line"],
        "seen before, ms": more["seen"] / SEEN,
        "10 times the text / the text": max(more[f"large {n}"] / more[f"small {n}"] for n in range(len(small))),
        "depth 1,000 refused, ms": max(more[f"deep {n}"] for n in range(len(deep()))),
    }


SEEN = 50
_KNOWLEDGE = Knowledge("postgres", "shop", "", SCHEMA, {}, SENSITIVE)


def seen_before() -> None:
    """The gate and the plan of a statement, as a cell that is run again asks for them."""
    for _ in range(SEEN):
        allowed = querying.allow(STATEMENTS[6], "postgres", _KNOWLEDGE, "shop")
        tracing.planned(allowed, _KNOWLEDGE, SensitivePolicy(), "shop")


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}: {value:.3f} {GOALS[name][0]} {GOALS[name][1]}")
