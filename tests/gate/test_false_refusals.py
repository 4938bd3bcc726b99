"""What the gate refuses of statements that analysts write: at most one in a hundred, and each of those is listed."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import MariaDatabase, PostgresDatabase
from gate import corpus
from gate.gate_cases import FOLDER, refusal

LISTED = FOLDER / "corpus_refused.txt"


def everything() -> list[corpus.Said]:
    return [*corpus.own(), *corpus.blind(), *benchmarks(), *corpus.questions()]


def benchmarks() -> list[corpus.Said]:
    return [*corpus.benchmark("tpch"), *corpus.benchmark("tpcds")]


def test_at_most_one_in_a_hundred_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = everything()
    refused = [(one, found) for one in said if (found := refusal(one.sql, one.dialect))]
    total = Counter(one.source for one in said)
    lost = Counter(one.source for one, _ in refused)
    with capsys.disabled():
        print("\nfalse refusals:", ", ".join(f"{source} {lost[source]} of {total[source]}" for source in total))
        for one, found in refused:
            print(f"  {one.dialect}: {one.sql[:110]!r}: {found.rule}")
    assert sum(total.values()) >= 500
    assert len(refused) <= sum(total.values()) / 100
    listed = {line for line in LISTED.read_text("utf-8").splitlines() if not line.startswith("#")}
    assert {f"{one.dialect}\t{found.rule}\t{' '.join(one.sql.split())}" for one, found in refused} <= listed


def test_the_benchmarks_are_there() -> None:
    found = Counter(one.source for one in benchmarks())
    if not found:
        message = "duckdb-extension-tpch and duckdb-extension-tpcds are not installed (make install does it)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    assert found["tpch"] == 44
    assert found["tpcds"] >= 2 * 97  # those of the 99 whose text is whole in the file


def wrong(said: list[corpus.Said], run: Any) -> list[str]:
    """The statements that the engine itself does not run."""
    failed = []
    for one in said:
        try:
            run(one.sql)
        except Exception as error:  # noqa: BLE001 - of any driver
            failed.append(f"{one.sql}: {error}")
    return failed


def own(dialect: str) -> list[tuple[list[str], list[corpus.Said]]]:
    """Tables and statements of our own files and of the blind one."""
    return [
        (corpus.tables(name)[dialect], [one for one in said if one.dialect == dialect])  # type: ignore[index]
        for name, said in (("corpus_tables.json", corpus.own()), ("corpus_blind_ddl.json", corpus.blind()))
    ]


def test_sqlite_runs_them(tmp_path: Path) -> None:
    for number, (ddl, said) in enumerate(own("sqlite")):
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as connection:
            connection.executescript(";".join(ddl))
            assert wrong(said, lambda sql, c=connection: c.execute(sql).fetchall()) == []
            assert len(said) > 20


def test_duckdb_runs_them() -> None:
    import duckdb

    for ddl, said in own("duckdb"):
        with duckdb.connect() as connection:
            for statement in ddl:
                connection.execute(statement)
            assert wrong(said, lambda sql, c=connection: c.execute(sql).fetchall()) == []
            assert len(said) > 40


def test_mariadb_runs_them(maria: MariaDatabase) -> None:
    for ddl, said in own("mariadb"):
        for table in maria.execute("SHOW TABLES"):
            maria.execute(f"DROP TABLE `{table[0]}`")
        maria.execute(*ddl)
        assert wrong(said, maria.execute) == []
        assert len(said) > 20


def test_postgres_runs_them(postgres: PostgresDatabase) -> None:
    for ddl, said in own("postgres"):
        postgres.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", *ddl)
        assert wrong(said, postgres.execute) == []
        assert len(said) > 30
