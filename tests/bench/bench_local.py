"""SQL over local files beside DuckDB itself and beside other magics, on 1,000,000 rows of 20 columns.

Raw DuckDB opens a fresh connection for each statement, as the package does for the first one over a file ("new file":
its time of change is set before each round); later statements over the same file take the kept engine. CPU time is that
of the whole process, the background thread included. Peak memory is that of a child process (Linux).

``jupysql`` and ``magic_duckdb`` fetch all rows; they are compared where they are installed: ``make bench`` does it.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
from interleave import interleaved

import dbgraph_nb as dg
from dbgraph_nb.engines import duckdb_spare

ROUNDS = 9
AGGREGATE = "SELECT k, sum(b1) AS s, avg(d1) AS a, max(s1) AS m FROM {} GROUP BY k ORDER BY k"
GOALS = {
    "aggregate parquet / raw": ("<=", 1.10),
    "aggregate csv / raw": ("<=", 1.10),
    "aggregate csv, new file / raw": ("<=", 1.10),
    "preview parquet / raw drain": ("<=", 1.15),
    "preview csv / raw drain": ("<=", 1.15),
    "preview csv, new file / raw drain": ("<=", 1.15),
    "preview parquet / jupysql": ("<=", 1.0),
    "preview parquet / magic_duckdb": ("<=", 1.0),
    "small statement, ms p50": ("<=", 10.0),
    "small statement over a csv, ms p50": ("<=", 10.0),
    "peak of 100M rows above raw drain with pandas, MB": ("<=", 50.0),
}
PEAK = """
{code}
with open("/proc/self/status") as status:  # ru_maxrss would begin with that of the parent
    print("peak", next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""
LARGE = "SELECT i, i * 2 AS j, 'abc' || i AS s FROM range(100000000) AS t(i)"
RAW_PEAK = f"""
import duckdb
rows = 0
for batch in duckdb.connect().sql({LARGE!r}).to_arrow_reader():
    rows += batch.num_rows
assert rows == 100_000_000
"""
OWN_PEAK = f"""
import dbgraph_nb as dg
frame = dg.duckdb_query({LARGE!r}, timeout=300)
assert (len(frame), frame.meta.row_count, frame.meta.row_count_exact) == (200, 100_000_000, True)
"""


def measure() -> dict[str, float]:
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        os.environ["DBGRAPH_NB_WORKSPACE"] = name
        _make(Path(name))
        for ending in ("parquet", "csv"):
            found |= _ratios(f"wide.{ending}", ending)
        found |= _magics("wide.parquet")
        found["small statement, ms p50"] = _p50(lambda: dg.duckdb_query("SELECT 42 AS a"))
        found["small statement over a csv, ms p50"] = _p50(
            lambda: dg.duckdb_query("SELECT sum(a) AS s FROM f0", ["s.csv"])
        )
        numbers = iter(range(1_000_000))
        found["small statement over a new csv, ms p50"] = _p50(lambda: _over_new(next(numbers)))
        found["the same in raw duckdb, ms p50"] = _p50(lambda: _raw("SELECT sum(a) AS s FROM 's.csv'"))
    own = _peak(OWN_PEAK)
    found["peak of 100M rows above raw drain with pandas, MB"] = own - _peak(f"import pandas\n{RAW_PEAK}")
    found["peak of 100M rows above raw drain alone, MB"] = own - _peak(RAW_PEAK)
    return found


def _make(folder: Path) -> None:
    columns = [f"(hash(i * {k}) % 100000)::BIGINT AS b{k}" for k in range(7)]
    columns += [f"(i * {k + 1} % 1000) / 7.0::DOUBLE AS d{k}" for k in range(6)]
    columns += [f"'name ' || (hash(i + {k}) % 5000) AS s{k}" for k in range(5)]
    columns += ["DATE '2020-01-01' + (i % 1000)::INTEGER AS day", "i % 10 AS k"]
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {', '.join(columns)} FROM range(1000000) AS t(i)) TO '{folder}/wide.parquet'")
        connection.execute(f"COPY (FROM '{folder}/wide.parquet') TO '{folder}/wide.csv'")
    (folder / "s.csv").write_text("a,b\n1,x\n2,y\n")


def _ratios(file: str, ending: str) -> dict[str, float]:
    def new() -> None:
        os.utime(file)

    times = interleaved(
        {
            "raw aggregate": lambda: _raw(AGGREGATE.format(f"'{file}'")),
            "aggregate": lambda: _own(AGGREGATE.format("f0"), file),
            "aggregate new": lambda: (new(), _own(AGGREGATE.format("f0"), file)),
            "raw drain": lambda: _drain(file),
            "preview": lambda: _own("FROM f0", file),
            "preview new": lambda: (new(), _own("FROM f0", file)),
        },
        ROUNDS,
    )
    return {
        f"aggregate {ending} / raw": times["aggregate"] / times["raw aggregate"],
        f"aggregate {ending}, new file / raw": times["aggregate new"] / times["raw aggregate"],
        f"preview {ending} / raw drain": times["preview"] / times["raw drain"],
        f"preview {ending}, new file / raw drain": times["preview new"] / times["raw drain"],
    }


def _own(sql: str, file: str) -> object:
    frame = dg.duckdb_query(sql, [file])
    _settled()
    return frame


def _settled() -> None:
    """What the background thread does for the next statement belongs to the time of this one."""
    while duckdb_spare.is_busy():
        time.sleep(0.001)


def _raw(sql: str) -> object:
    with duckdb.connect() as connection:
        return connection.sql(sql).fetchall()


def _drain(file: str) -> int:
    with duckdb.connect() as connection:
        return sum(batch.num_rows for batch in connection.sql(f"FROM '{file}'").to_arrow_reader())


def _over_new(number: int) -> object:
    Path("n.csv").write_text(f"a,b\n{number},x\n")
    return dg.duckdb_query("SELECT sum(a) AS s FROM f0", ["n.csv"])


def _p50(run: Callable[[], object], times: int = 60) -> float:
    """Wall milliseconds, with a pause in between as between two cells."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append((time.perf_counter() - start) * 1000)
        time.sleep(0.05)
    return statistics.median(found)


def _magics(file: str) -> dict[str, float]:
    """Ratios to magics that fetch all rows, where they are installed."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    runs: dict[str, Callable[[], object]] = {"preview": lambda: _own("FROM f0", file)}
    with _silence():
        with contextlib.suppress(ImportError):
            shell.run_line_magic("load_ext", "magic_duckdb")
            runs["magic_duckdb"] = lambda: shell.run_cell_magic("dql", "", f"FROM '{file}'")
        with contextlib.suppress(ImportError):
            shell.run_line_magic("load_ext", "sql")
            shell.run_line_magic("sql", "duckdb://")
            shell.run_line_magic("config", "SqlMagic.autopandas = True")
            runs["jupysql"] = lambda: shell.run_cell_magic("sql", "", f"SELECT * FROM '{file}'")
        times = interleaved(runs, 5)
    return {f"preview parquet / {name}": times["preview"] / times[name] for name in runs if name != "preview"}


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _peak(code: str) -> float:
    program = PEAK.format(code=code)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout.rpartition("peak")[2])
