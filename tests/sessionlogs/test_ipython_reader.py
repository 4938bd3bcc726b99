"""The history of IPython: read beside its owner, who must not notice."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from sessionlogs import made_logs as made

from dbgraph_nb.sessionlogs.events import Event, Message, SessionHeader, ToolResult
from dbgraph_nb.sessionlogs.readers import ipython
from dbgraph_nb.sessionlogs.reading import START, Cursor, Limits, Problem, Reading, SessionFile

CELLS = [("%matplotlib inline", None), ("x = 1\nx", "1"), ("数 = 2", None)]


def read(path: Path, part: str = "1", at: Cursor = START, limits: Limits | None = None) -> tuple[list[Event], Reading]:
    reading = ipython.read(path, at, part=part, limits=limits or Limits())
    return list(reading), reading


def codes(reading: Reading) -> list[str]:
    return [problem.code for problem in reading.problems]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_cells_as_they_were_typed_and_outputs_where_they_are_kept(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS, [("y", None)]])
    events, reading = read(path)
    header, *rest = events
    assert isinstance(header, SessionHeader)
    assert header.id == "ipython-default-1"
    assert header.created == datetime.fromisoformat("2026-01-01 10:00:00").timestamp() * 1000
    assert [(event.seq, event.part, event.text) for event in rest if isinstance(event, Message | ToolResult)] == [
        (1, 0, "%matplotlib inline"),
        (2, 0, "x = 1\nx"),
        (2, 1, "1"),
        (3, 0, "数 = 2"),
    ]
    assert [event.kind for event in rest if isinstance(event, Message)] == ["code"] * 3
    assert codes(reading) == []


def test_each_session_of_each_profile_is_found(tmp_path: Path) -> None:
    made.ipython_history(tmp_path, [CELLS, CELLS])
    made.ipython_history(tmp_path, [[], CELLS], profile="work")
    found = list(ipython.discover(tmp_path))
    assert [(file.id, file.part) for file in found if isinstance(file, SessionFile)] == [
        ("ipython-default-1", "1"),
        ("ipython-default-2", "2"),
        ("ipython-work-2", "2"),
    ]
    for file in found:
        assert isinstance(file, SessionFile)
        header = next(iter(ipython.read(file.path, part=file.part)))
        assert isinstance(header, SessionHeader)
        assert (header.id, header.created) == (file.id, file.created)


def test_the_stamp_of_a_session_changes_with_it_alone(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS, CELLS])

    def stamps() -> list[str]:
        return [file.stamp for file in ipython.discover(tmp_path) if isinstance(file, SessionFile)]

    seen = [stamps()]
    for sql in ("INSERT INTO output_history VALUES (2, 3, 'late')", "INSERT INTO history VALUES (2, 4, 'z', 'z')"):
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(sql)
        seen.append(stamps())
    assert [one[0] for one in seen] == ["3/1"] * 3
    assert [one[1] for one in seen] == ["3/1", "3/2", "4/2"]


def test_only_new_cells_are_read_and_an_output_that_came_later(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS])
    cursor = read(path)[1].cursor
    assert read(path, at=cursor)[0] == []
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO output_history VALUES (1, 3, 'late')")
        database.execute("INSERT INTO history VALUES (1, 4, 'z', 'z')")
    events, reading = read(path, at=cursor)
    assert [(event.seq, event.part) for event in events] == [(3, 1), (4, 0)]
    assert read(path, at=reading.cursor)[0] == []


def test_a_locked_history_is_read_from_a_copy_and_stays_as_it_was(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS])
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("BEGIN EXCLUSIVE")
        before, started = contents(path.parent), time.perf_counter()
        events, reading = read(path)
        assert time.perf_counter() - started < 5
        owner.execute("ROLLBACK")
    assert len(events) == 5
    assert codes(reading) == []
    assert contents(path.parent) == before


def test_a_locked_history_that_is_too_large_to_copy_is_named(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS])
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("BEGIN EXCLUSIVE")
        events, reading = read(path, limits=Limits(copy=10))
    assert (events, codes(reading)) == ([], ["unreadable"])


@pytest.mark.parametrize("data", [b"", b"no database", bytes(5000), b"SQLite format 3\0" + bytes(4000)])
def test_what_is_no_history_is_named_and_not_touched(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "profile_default" / "history.sqlite"
    path.parent.mkdir()
    path.write_bytes(data)
    events, reading = read(path)
    assert (events, codes(reading)) == ([], ["unreadable"])
    assert [problem.code for problem in ipython.discover(tmp_path) if isinstance(problem, Problem)] == ["unreadable"]
    assert contents(path.parent) == {"history.sqlite": data}


def test_the_journal_of_an_owner_that_died_is_left_to_the_next_one(tmp_path: Path) -> None:
    """What it had not finished is undone in a copy, and the files stay as they are."""
    source = made.ipython_history(tmp_path / "live", [CELLS])
    path = tmp_path / "dead" / "profile_default" / "history.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(source, isolation_level=None)) as owner:
        owner.execute("PRAGMA cache_size = 1")
        owner.execute("BEGIN")
        owner.execute("UPDATE history SET source_raw = 'half done'")
        for line in range(10, 400):
            owner.execute("INSERT INTO history VALUES (1, ?, ?, ?)", (line, "w" * 400, "w" * 400))
        for name in ("history.sqlite", "history.sqlite-journal"):
            path.with_name(name).write_bytes(source.with_name(name).read_bytes())
        owner.execute("ROLLBACK")
    before = contents(path.parent)
    assert len(before) == 2
    events, reading = read(path)
    assert [event.text for event in events if isinstance(event, Message)] == [source for source, _ in CELLS]
    assert codes(reading) == []
    assert contents(path.parent) == before


def test_a_missing_folder_and_file_are_named(tmp_path: Path) -> None:
    assert [one.code for one in ipython.discover(tmp_path / "no") if isinstance(one, Problem)] == ["missing"]
    assert list(ipython.discover(tmp_path)) == []
    assert codes(read(tmp_path / "history.sqlite")[1]) == ["unreadable"]
    assert list(tmp_path.iterdir()) == []


def test_reading_leaves_nothing_beside_the_history(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS])
    os.utime(path, ns=(10**18, 10**18))
    before = contents(path.parent)
    read(path)
    list(ipython.discover(tmp_path))
    assert contents(path.parent) == before
    assert path.stat().st_mtime_ns == 10**18


def test_a_file_that_was_put_aside_is_read_when_asked_for(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS])
    path.rename(path.with_name("history-corrupt-2026-01-01.sqlite"))
    made.ipython_history(tmp_path, [[("new", None)]])
    ids = [file.id for file in ipython.discover(tmp_path, renamed=True) if isinstance(file, SessionFile)]
    assert ids == ["ipython-default-corrupt-2026-01-01-1", "ipython-default-1"]
    assert len(list(ipython.discover(tmp_path))) == 1


def test_odd_values_and_long_cells(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [[("a\0b", None), ("é" * 100, None), ("q", "w" * 90)]])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO history VALUES (1, 4, 'only source', NULL)")
        database.execute("INSERT INTO history VALUES (1, 5, 7, CAST(x'61ff62' AS TEXT))")
        database.execute("UPDATE sessions SET start = 'no date'")
    events, reading = read(path, limits=Limits(text=80))
    assert [event.text for event in events if isinstance(event, Message | ToolResult)] == [
        "a\0b", "é" * 40, "q", "w" * 80, "only source", "a\ufffdb",
    ]  # fmt: skip
    assert [(problem.code, problem.count) for problem in reading.problems] == [("text-cut", 120 + 10)]
    assert isinstance(events[0], SessionHeader)
    assert events[0].created is None


def test_which_session_must_be_said(tmp_path: Path) -> None:
    path = made.ipython_history(tmp_path, [CELLS])
    for part in ("", "x", "1; DROP TABLE history"):
        events, reading = read(path, part)
        assert (events, codes(reading)) == ([], ["no-part"])
