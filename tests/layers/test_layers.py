"""Gate and engine lock, each alone: which statements of which class it stops, and what a statement that ran has done.

The table that this prints stands in docs/threat-model.md; the test compares both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from layers.worlds import World, duckdb_world, mariadb_world, postgres_world, sqlite_world

from dbgraph_nb import gate
from dbgraph_nb.engines import Engine
from dbgraph_nb.errors import DbgraphError, GateRefused
from dbgraph_nb.model import AllowedQuery

FILE = Path(__file__).resolve().parents[1] / "fixtures" / "gate" / "classes.txt"
GATE_ALONE = FILE.with_name("gate_alone.txt")
DOCS = Path(__file__).resolve().parents[2] / "docs" / "threat-model.md"
MEASURED: dict[str, dict[str, Counter[str]]] = {}
WORLDS = ("sqlite", "duckdb", "mariadb reader", "mariadb root", "postgres reader", "postgres superuser")


@dataclass(frozen=True)
class Attack:
    kind: str
    dialects: tuple[str, ...]
    sql: str


def attacks() -> Iterator[Attack]:
    kind = ""
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("== "):
            kind = line[3:]
        elif line and not line.startswith("# "):
            dialects, _, sql = line.partition("\t")
            every = ("sqlite", "duckdb", "mariadb", "postgres")
            yield Attack(kind, every if dialects == "all" else tuple(dialects.split()), sql)


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    name, _, role = request.param.partition(" ")
    if name == "sqlite":
        return sqlite_world(tmp_path_factory.mktemp("layers"))
    if name == "duckdb":
        return duckdb_world(tmp_path_factory.mktemp("layers"))
    server = request.getfixturevalue("mariadb" if name == "mariadb" else "postgres_server")
    if name == "mariadb":
        return mariadb_world(server, privileged=role == "root")
    return postgres_world(server, privileged=role == "superuser")


def outcome(world: World, engine: Engine, sql: str, before: list[object], session: list[object]) -> str:
    """``stopped`` with an error, ``ran`` without a trace, or ``effect``."""
    rows, stopped = [], False
    try:
        rows = engine.run(AllowedQuery(sql, world.dialect, None), timeout=1.0).rows
    except DbgraphError:
        stopped = True
    try:
        same = world.session_state(engine) == session
    except DbgraphError:
        same = False
    if world.shows_secret(rows) or world.was_called() or world.state() != before or not same:
        return "effect"
    return "stopped" if stopped else "ran"


def test_gate_alone_stops_everything() -> None:
    passed = []
    for attack in attacks():
        for dialect in attack.dialects:
            sql = attack.sql.replace("\\n", "\n")
            try:
                gate.check(sql, dialect=dialect)  # type: ignore[arg-type]
            except GateRefused:
                continue
            passed.append((dialect, sql))
    assert passed == []


def test_lock_alone(world: World) -> None:
    """Only the listed statements have an effect when the gate is off, and each of those still has one."""
    world.reset()
    before = world.state()
    engine = world.open()
    session = world.session_state(engine)
    counts: dict[str, Counter[str]] = {}
    effects = []
    for attack in attacks():
        if world.dialect not in attack.dialects:
            continue
        found = outcome(world, engine, world.filled(attack.sql), before, session)
        counts.setdefault(attack.kind, Counter())[found] += 1
        if found == "effect":
            effects.append(attack.sql)
            engine.close()
            world.reset()
            before, engine = world.state(), world.open()
            session = world.session_state(engine)
    engine.close()
    world.listener.close()
    MEASURED[str(world)] = counts
    assert effects == gate_alone(str(world))


def gate_alone(world: str) -> list[str]:
    """The statements that only the gate stops, from the committed list."""
    lines = (line.partition("\t") for line in GATE_ALONE.read_text("utf-8").splitlines() if line[:1] != "#")
    return [sql for name, _, sql in lines if name == world]


def test_the_table_of_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    """Class × layer, as measured a moment ago."""
    if set(MEASURED) != set(WORLDS):
        pytest.skip("not every engine was measured in this run")
    table = "\n".join(rows())
    with capsys.disabled():
        print(f"\ngate and lock, each alone:\n{table}")
    assert table in DOCS.read_text("utf-8"), f"docs/threat-model.md needs this table:\n{table}"


def rows() -> Iterator[str]:
    """A Markdown table: what the gate refuses, then for each engine and role what the lock alone does."""
    yield f"| class | gate alone | {' | '.join(f'lock alone: {name}' for name in WORLDS)} |"
    yield "|---" * (len(WORLDS) + 2) + "|"
    totals = Counter(attack.kind for attack in attacks() for _ in attack.dialects)
    for kind, total in totals.items():
        cells = (cell(MEASURED[name].get(kind, Counter())) for name in WORLDS)
        yield f"| {kind} | {total} of {total} refused | {' | '.join(cells)} |"


def cell(count: Counter[str]) -> str:
    """Such as ``3 stopped, 1 ran``; an effect stands out."""
    words = {"stopped": "stopped", "ran": "ran", "effect": "**effect**"}
    return ", ".join(f"{count[key]} {word}" for key, word in words.items() if count[key]) or "–"
