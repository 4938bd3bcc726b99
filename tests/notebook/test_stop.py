"""The stop button ends a running cross join within a second on every engine, and the next query works.

The second is the promise itself, so this is the one place where a test measures time: from the interrupt until the
kernel has answered the cell.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import dbservers
import pytest
import soak
from conftest import MariaDatabase
from kernel_cells import LONG, Cells, kernel
from planted import ENGINES, plant

TIMES = max(3, soak.scale(50))
SERVERS = ("mariadb", "postgres")
PROMISE = 1.0  # seconds
LATEST = 0.6  # seconds into the statement
ROWS = 200  # to the power of six: a statement that would run for hours
FILLED = {
    "sqlite": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 200) SELECT n FROM r",
    "mariadb": "SELECT seq FROM seq_1_to_200",
    "postgres": "SELECT generate_series(1, 200)",
    "duckdb": "SELECT range FROM range(1, 201)",
}
CROSS = "SELECT max(a.n + b.n * c.n + d.n * e.n - f.n) FROM filler a, filler b, filler c, filler d, filler e, filler f"
BEGIN = """
import os
import dbgraph_nb as dg
made = dg.connect("planted", os.environ["PLANTED_URL"], credential=os.environ.get("PLANTED_CREDENTIAL"))
done = dg.index("planted", writer="python")
%load_ext dbgraph_nb
opened = get_ipython().run_line_magic("dbgraph", "use planted")
"""


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An engine whose database has one table with the numbers 1 to 200."""
    engine = str(request.param)
    plant(
        engine, request, tmp_path, ["CREATE TABLE filler (n INT PRIMARY KEY)", f"INSERT INTO filler {FILLED[engine]}"]
    )
    return engine


@pytest.fixture
def cells(engine: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cells]:
    """A kernel with the extension and the indexed connection in use."""
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    with kernel(tmp_path) as made:
        reply, shown, _ = made.run(BEGIN)
        assert reply["status"] == "ok", (reply, shown)
        yield made


def running(engine: str, request: pytest.FixtureRequest) -> int:
    """How many cross joins the server itself says are running."""
    if engine == "mariadb":
        maria: MariaDatabase = request.getfixturevalue("maria")
        rows = maria.execute(
            f"SELECT count(*) FROM information_schema.processlist WHERE user = '{maria.user}' AND info LIKE '%filler%'"
        )
        return int(str(rows[0][0]))
    if engine == "postgres":
        import psycopg

        server: dbservers.PostgresServer = request.getfixturevalue("postgres_server")
        with psycopg.connect(server.dsn) as connection:
            active = "state = 'active' AND usename <> user"
            found = connection.execute(
                f"SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%filler f%' AND {active}"
            ).fetchone()
            return int(found[0]) if found else -1
    return 0  # the engine is inside the kernel: an idle kernel is checked by the next query


def _goes_on_without_an_interrupt(engine: str, cells: Cells, request: pytest.FixtureRequest) -> None:
    """Else the tries before it would prove nothing."""
    asked = cells.client.execute(f"%%dbgraph sql --timeout 600\n{CROSS}")
    with pytest.raises(Empty):
        cells.client.get_shell_msg(timeout=LATEST + PROMISE)
    assert running(engine, request) == (1 if engine in SERVERS else 0)
    cells.manager.interrupt_kernel()
    assert cells.client.get_shell_msg(timeout=LONG)["parent_header"].get("msg_id") == asked


def test_the_stop_button_ends_a_cross_join_within_a_second(
    engine: str, cells: Cells, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = random.Random(engine)
    seconds: list[float] = []
    for number in range(TIMES):
        after = dice.uniform(0, LATEST)
        reply, shown, took = cells.run(f"%%dbgraph sql --timeout 600\n{CROSS}", stop_after=after)
        told = f"try {number}, stopped after {after:.3f} s: {took:.3f} s, {reply.get('ename')}, {shown[:200]}"
        assert reply["status"] == "error", told
        assert reply["ename"] == "KeyboardInterrupt", told
        assert took <= PROMISE, told
        seconds.append(took)
        assert running(engine, request) == 0, told
        reply, shown, _ = cells.run(f"%%dbgraph sql\nSELECT count(*) AS rows_there, {number} AS again FROM filler")
        assert reply["status"] == "ok", (told, reply)
        assert f"{ROWS}" in shown, (told, shown)
        assert f" {number}\n" in shown, (told, shown)
    _goes_on_without_an_interrupt(engine, cells, request)
    with capsys.disabled():
        print(f"\nsoak: stop on {engine}: {len(seconds)} of {TIMES}, slowest {max(seconds):.2f} s", end="")
