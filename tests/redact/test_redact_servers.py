"""Every case of PostgreSQL and MariaDB on the real server, with two secrets: nothing of them gets out."""

import contextlib
from collections.abc import Callable, Iterator

import dbservers
import pytest
from redact.leakcheck import FIXTURES, SECRETS, Answer, Case, leak, load, plan_case

from dbgraph_nb.model import RedactionPlan

Run = Callable[[str, str], Answer]  # of a schema's name and a statement
# What such a server cannot run: forms of newer versions, of extensions, or of a user who may do less.
MOST_ERRORS = 0.25


def cases(*dialects: str) -> list[Case]:
    found = [case for case in load(FIXTURES) if case["dialect"] in dialects and case["policy"] != "block"]
    return [case for case in found if "xmin" not in case["sql"]]  # numbers of transactions are never the same


@contextlib.contextmanager
def by_postgres() -> Iterator[Run]:
    psycopg = pytest.importorskip("psycopg")
    with dbservers.postgres() as server, psycopg.connect(server.dsn, autocommit=True) as connection:

        def run(schema: str, sql: str) -> Answer:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            connection.execute(f"SET search_path = {schema}")
            cursor = connection.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            return names, cursor.fetchall() if cursor.description else []

        yield run


@contextlib.contextmanager
def by_mariadb() -> Iterator[Run]:
    with dbservers.mariadb() as server, server.connect() as connection, connection.cursor() as cursor:

        def run(schema: str, sql: str) -> Answer:
            cursor.execute(f"CREATE DATABASE IF NOT EXISTS {schema}")
            cursor.execute(f"USE {schema}")
            cursor.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            return names, list(cursor.fetchall()) if cursor.description else []

        yield run


def answers(run: Run, made: dict[tuple[str, ...], str], case: Case) -> list[Answer]:
    """The answers for both secrets; tables are made once for each set of statements."""
    ddl = tuple(case["ddl"])
    if ddl not in made:
        made[ddl] = f"s{len(made)}"
        for number, secret in enumerate(SECRETS):
            for statement in ddl:
                run(f"{made[ddl]}_{number}", statement.replace("S3CR3T", secret))
    return [run(f"{made[ddl]}_{number}", case["sql"]) for number in range(len(SECRETS))]


def check(run: Run, chosen: list[Case]) -> None:
    made: dict[tuple[str, ...], str] = {}
    failed, wrong, unmasked, with_secret = [], [], 0, 0
    for case in chosen:
        plan = plan_case(case)
        try:
            found = answers(run, made, case)
        except Exception as error:  # noqa: BLE001 - any engine's error
            failed.append((case["sql"], error.__class__.__name__))
            continue
        if plan.refused is not None:
            continue
        told = leak(found, plan)
        if told:
            wrong.append((case["id"], case["sql"], told))
        if plan.columns:
            with_secret += 1
            unmasked += bool(leak(found, RedactionPlan()))
    assert not wrong
    assert len(failed) <= MOST_ERRORS * len(chosen), failed
    assert unmasked > 0.8 * with_secret > 10  # without the plan they do tell


def test_nothing_leaks_on_postgres() -> None:
    with by_postgres() as run:
        check(run, cases("postgres"))


def test_nothing_leaks_on_mariadb() -> None:
    with by_mariadb() as run:
        check(run, cases("mariadb", "mysql"))
