"""Every statement of the grammar that the gate lets pass runs on the real engine, and nothing in it changes.

The engine has no lock here and the user is its most powerful one, so only the gate stands before the data.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import soak
from gate.fingerprint import CANARY, DuckdbWorld, Fingerprint, SqliteWorld, World
from gate.fingerprint_servers import MariaWorld, PostgresWorld
from gate.gate_cases import refusal
from gate.grammar import Grammar, Made, templates

from dbgraph_nb.model import Dialect

ENGINES: tuple[Dialect, ...] = ("sqlite", "duckdb", "mariadb", "postgres")
COUNT = 20_000
BATCH = 250
SEED = 20261201
MIXED = ("catalogue", "splices")  # nobody promises how many of them are reads


def statements(dialect: Dialect, count: int, world: World | None = None) -> Iterator[tuple[Made, bool]]:
    """Each statement of the grammar, and whether the gate lets it pass."""
    grammar = Grammar(dialect, SEED, world.catalogue() if world else ())
    relations = world.relations if world else DuckdbWorld.relations if dialect == "duckdb" else None
    for made in grammar.statements(count):
        yield made, refusal(made.sql, dialect, relations=relations) is None


def shares(counts: Counter[tuple[str, bool]]) -> str:
    kinds = sorted({kind for kind, _ in counts})
    allowed = sum(counts[kind, True] for kind in kinds)
    each = (f"{kind} {counts[kind, True]}/{counts[kind, True] + counts[kind, False]}" for kind in kinds)
    return f"{allowed}/{sum(counts.values())} allowed ({', '.join(each)})"


def changed(before: Fingerprint, after: Fingerprint) -> list[str]:
    return [name for name in before if before[name] != after.get(name)]


def culprits(world: World, batch: list[str]) -> list[str]:
    """Which statements of ``batch``, one by one in a fresh world, change something."""
    world.reset()
    found = []
    for sql in batch:
        world.begin()
        before = world.fingerprint()
        world.run(sql)
        if sections := changed(before, world.fingerprint()):
            found.append(f"{sql!r} changes {', '.join(sections)}")
    world.reset()
    return found


def with_effect(world: World, batch: list[str]) -> tuple[list[str], int]:
    """The statements of ``batch`` that show the canary or change something, and how many the engine could run."""
    world.begin()
    before = world.fingerprint()
    ran, found = 0, []
    for sql in batch:
        rows = world.run(sql)
        ran += bool(rows)
        if CANARY in rows and world.dialect == "duckdb":
            found.append(f"{sql!r} shows the canary")
    if sections := changed(before, world.fingerprint()):
        found += culprits(world, batch) or [f"{', '.join(sections)} changed by several of {batch!r}"]
    return found, ran


@pytest.fixture(scope="module", params=ENGINES)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder, place = tmp_path_factory.mktemp("world"), Path.cwd()
    made: World
    if request.param == "sqlite":
        made = SqliteWorld(folder)
    elif request.param == "duckdb":
        pytest.importorskip("duckdb")
        made = DuckdbWorld(folder)
    elif request.param == "mariadb":
        made = MariaWorld(request.getfixturevalue("mariadb"))
    else:
        made = PostgresWorld(request.getfixturevalue("postgres_server"))
    try:
        yield made
    finally:
        os.chdir(place)  # DuckDB's and SQLite's world work in a folder of their own
        made.close()


def test_nothing_that_passes_has_an_effect(world: World) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    wrong: list[str] = []
    found: list[str] = []
    batch: list[str] = []
    ran = 0
    for made, allowed in statements(world.dialect, soak.scale(COUNT), world):
        counts[made.kind, allowed] += 1
        if made.label == "-" and allowed:
            wrong.append(f"{made.kind}: {made.sql!r}")
        if allowed:
            batch.append(made.sql)
        if len(batch) == BATCH:
            effects, good = with_effect(world, batch)
            found, ran, batch = found + effects, ran + good, []
    effects, good = with_effect(world, batch)
    found, ran = found + effects, ran + good
    print(f"\nsoak: {world.dialect} {shares(counts)}; {ran} ran without an error, {len(found)} effects")
    assert found == [], "\n".join(found)
    assert wrong == [], "the class says that these must be refused"
    assert ran > sum(counts[kind, True] for kind in templates(world.dialect)) // 2


@pytest.mark.parametrize("dialect", [*ENGINES, "mysql"])
def test_every_class_has_reads_and_refusals(dialect: Dialect) -> None:
    """Neither half of a class may be empty, or the test above says nothing."""
    counts: Counter[tuple[str, bool]] = Counter()
    wrong = []
    for made, allowed in statements(dialect, 2_000):
        counts[made.kind, allowed] += 1
        if allowed and made.label == "-":
            wrong.append(f"{made.kind}: {made.sql!r}")
    assert wrong == []
    kinds = {kind for kind, _ in counts}
    assert kinds == {*templates(dialect), "splices"}
    for kind in kinds:
        total = counts[kind, True] + counts[kind, False]
        low = 0.03 if kind in MIXED else 0.3
        assert counts[kind, True] > low * total, (kind, counts)
        assert counts[kind, False] > low * total, (kind, counts)
    allowed_share = sum(counts[kind, True] for kind in kinds) / counts.total()
    assert 0.35 < allowed_share < 0.65


EFFECTS = {
    "sqlite": """
        INSERT INTO t (id) VALUES (50)
        CREATE TABLE planted (a)
        CREATE TEMP TABLE planted2 (a)
        PRAGMA user_version = 7
        PRAGMA cache_size = 77
        PRAGMA case_sensitive_like = 1
        PRAGMA recursive_triggers = 1
        ATTACH 'planted.db' AS planted
        VACUUM INTO 'planted2.db'
        BEGIN
    """,
    "duckdb": """
        UPDATE t SET name = 'x'
        CREATE TEMP MACRO planted() AS 1
        CREATE OR REPLACE TEMP VIEW v AS SELECT 1
        SELECT nextval('s')
        SET VARIABLE planted = 1
        SET threads = 1
        PREPARE planted AS SELECT 1
        ATTACH ':memory:' AS planted
        COPY t TO 'planted.csv'
        COPY (SELECT 1) TO 'canary.csv'
        WITH x AS (COPY t TO 'planted2.csv') SELECT * FROM x
        EXPORT DATABASE 'planted'
        CREATE TYPE planted AS ENUM ('a')
        COMMENT ON TABLE t IS 'planted'
        CREATE SECRET planted (TYPE http)
        BEGIN
    """,
    "mariadb": """
        UPDATE t SET name = 'x'
        SELECT * FROM t FOR UPDATE
        SELECT * FROM t LOCK IN SHARE MODE
        SELECT nextval(s)
        SELECT DEFAULT(c) FROM td
        SELECT @planted := 1
        SET @other = 1
        SET SESSION sort_buffer_size = 99999
        SET GLOBAL max_connections = 99
        SELECT get_lock('planted', 0)
        PREPARE planted FROM 'SELECT 1'
        SELECT name FROM t INTO OUTFILE '../planted'
        COMMIT
        CREATE TABLE planted (a INT)
        CREATE TEMPORARY TABLE planted2 (a INT)
        CREATE FUNCTION planted() RETURNS int RETURN 1
        CREATE USER planted
        USE mysql
        ANALYZE TABLE t
        SELECT last_insert_id(77)
    """,
    "postgres": """
        UPDATE t SET name = 'x'
        SELECT * FROM t FOR SHARE
        SELECT nextval('s')
        SELECT ('s'::regclass).nextval
        SELECT x.nextval FROM to_regclass('s') AS x
        SELECT set_config('work_mem', '5MB', false)
        SELECT set_config('planted.x', 'a', false)
        SELECT pg_advisory_lock(7)
        SELECT pg_notify('planted', 'x')
        LISTEN planted
        PREPARE planted AS SELECT 1
        DECLARE planted CURSOR WITH HOLD FOR SELECT 1
        CREATE TEMP TABLE planted (a int)
        CREATE FUNCTION planted() RETURNS int LANGUAGE sql AS 'SELECT 1'
        SELECT lo_create(0)
        SELECT txid_current()
        COPY t TO PROGRAM 'cat > planted'
        SELECT pg_switch_wal()
        SELECT pg_stat_reset()
        SELECT pg_reload_conf()
        SELECT pg_create_physical_replication_slot('planted')
        ALTER SYSTEM SET work_mem = '5MB'
        SET ROLE pg_monitor
    """,
}


def test_the_fingerprint_sees_effects(world: World) -> None:
    """What each of these does is found, so a fingerprint that stays the same means something."""
    unseen = []
    world.reset()
    world.begin()
    assert changed(world.fingerprint(), world.fingerprint()) == [], "the fingerprint changes by itself"
    for sql in EFFECTS[world.dialect].strip().split("\n"):
        world.begin()
        before = world.fingerprint()
        world.run(sql.strip())
        if not changed(before, world.fingerprint()):
            unseen.append(sql.strip())
    world.reset()
    assert unseen == []
    if world.dialect == "duckdb":
        assert CANARY in world.run("FROM 'canary.csv'")
        assert CANARY in world.run("FROM not_mounted")
