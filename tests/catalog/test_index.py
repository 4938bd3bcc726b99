"""Building an index: both writers, what is reported, and that a failed build changes nothing."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import sys
import warnings
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from bench.generate import catalog
from catalog.index_snapshots import FIXTURES, NOW, PASSWORD_DEFAULT, SNAPSHOTS, classify, shop, tables_of
from catalog.make_expected import expected
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dbgraph_nb import text
from dbgraph_nb.catalog import index, write_numba, write_python
from dbgraph_nb.catalog.index import build
from dbgraph_nb.catalog.rows import index_rows
from dbgraph_nb.errors import BadArgument, Cancelled, IndexUnavailable, QueryTimeout
from dbgraph_nb.model import Column, DbObject, Snapshot

needs_numba = pytest.mark.skipif(text.backend() != "numba", reason="numba is not installed, or is switched off")


def without_writer(tables: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    return tables | {"meta": [row for row in tables["meta"] if row[0] != "writer"]}


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_the_stored_expectations_hold(name: str) -> None:
    stored = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8")
    assert expected(name) == stored, "the index changed; if that is meant: python tests/catalog/make_expected.py"


@needs_numba
@pytest.mark.parametrize("name", [*SNAPSHOTS, "generated"])
def test_both_writers_write_the_same(name: str, tmp_path: Path) -> None:
    snapshot = catalog(40, 12) if name == "generated" else SNAPSHOTS[name]()
    reports = [
        build(snapshot, tmp_path / writer, now=NOW, name="x", writer=writer, classify=classify)
        for writer in ("python", "numba")
    ]
    python, numba = (tables_of(tmp_path / writer) for writer in ("python", "numba"))
    assert without_writer(numba) == without_writer(python)
    assert (dict(python["meta"])["writer"], dict(numba["meta"])["writer"]) == ("python", "numba")
    assert replace(reports[1], seconds=0, writer="", path="") == replace(reports[0], seconds=0, writer="", path="")


def test_the_writers_cut_chunks_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = index_rows(catalog(9, 11))
    whole = list(write_python.term_rows(rows))
    monkeypatch.setattr(write_python, "_TEXTS", 3)
    assert list(write_python.term_rows(rows)) == whole
    for targets, terms in ((1, 1), (7, 64), (10**6, 10**6)):
        monkeypatch.setattr(write_numba, "_TARGETS", targets)
        monkeypatch.setattr(write_numba, "_TERMS", terms)
        assert list(write_numba.search_rows(rows)) == list(write_python.search_rows(rows))
        assert list(write_numba.term_rows(rows)) == whole


texts = st.text(st.characters(), max_size=12) | st.sampled_from(["userID", "用户表", "廣告ID", "\ud83d", "a\x00b"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(texts, texts, st.lists(texts, max_size=3)), max_size=5))
def test_both_writers_derive_the_same_from_any_text(given_texts: list[tuple[str, str, list[str]]]) -> None:
    columns = tuple(
        Column(name, place, "", "other", comment=comment, enum_values=tuple(values))
        for place, (name, comment, values) in enumerate(given_texts)
    )
    rows = index_rows(Snapshot("sqlite", "", (DbObject("t", "table", columns),)))
    made = list(write_python.term_rows(rows))
    assert list(write_numba.term_rows(rows)) == made
    assert list(write_numba.search_rows(rows)) == list(write_python.search_rows(rows))
    keys = [(term.encode(), *rest[:3]) for term, *rest in made]
    assert keys == sorted(set(keys))  # the order of the primary key, so rows are appended


def test_the_report_and_the_meta_say_what_was_done(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    report = build(shop(), path, now=NOW, writer="python", l1_at="2026-11-30T07:59:00Z")
    assert (report.name, report.level, report.writer, report.path) == ("shop", "l2", "python", str(path))
    tables = tables_of(path)
    counts = (report.objects, report.columns, report.edges, report.terms)
    assert counts == tuple(len(tables[name]) for name in ("objects", "columns", "edges", "terms"))
    assert report.warnings == ("row counts are estimates",)
    assert len(report.dangling) == 3
    assert dict(tables["meta"]) == {
        "engine": "mariadb",
        "engineVersion": "10.11.19",
        "database": "shop",
        "schemaVersion": "1",
        "l1IndexedAt": "2026-11-30T07:59:00Z",
        "l2IndexedAt": NOW,
        "writer": "python",
        "tokenizer": "r1-r8",
        "catalogVersion": "",
    }
    build(replace(shop(), level="l1"), path, now=NOW, writer="python")
    assert dict(tables_of(path)["meta"])["l2IndexedAt"] == ""


def test_the_file_is_sound_private_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "索引 50%?#.sqlite"
    build(shop(), path, now=NOW, writer="python", classify=classify)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
    for secret in (PASSWORD_DEFAULT, "female"):
        assert secret.encode() not in path.read_bytes()


def test_search_finds_chinese_words_and_parts_of_names(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(shop(), path, now=NOW, writer="python")
    with closing(sqlite3.connect(path)) as connection:

        def match(word: str) -> set[int]:
            return {row[0] for row in connection.execute("SELECT rowid FROM search WHERE search MATCH ?", (word,))}

        assert match('"用户"') == {3, 12, 18}
        assert match('"username"') == {12}
        assert match('enum_values : "停用"') == {15}
        assert connection.execute("SELECT object_id, column_id FROM search WHERE rowid = 12").fetchone() == (3, 12)


def test_the_same_snapshot_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        build(shop(), tmp_path / name, now=NOW, writer="python")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_progress_grows_to_one_and_names_the_steps(tmp_path: Path) -> None:
    told: list[tuple[float | None, str]] = []
    report = lambda fraction, message: told.append((fraction, message))  # noqa: E731
    build(catalog(30, 10), tmp_path / "index", now=NOW, writer="python", progress=report)
    shares = [share for share, _ in told if share is not None]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert {"writing terms", "writing search"} <= {message for _, message in told}


@pytest.mark.parametrize("kind", [Cancelled, QueryTimeout, KeyboardInterrupt])
def test_what_progress_raises_stops_the_build_and_the_old_index_stays(
    kind: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "index.sqlite"
    build(shop(), path, now=NOW, writer="python")
    before = path.read_bytes()
    for step in ("preparing rows", "writing terms", "writing search", "storing", "replacing the old index"):

        def stop(fraction: float | None, message: str, step: str = step) -> None:
            if message == step:
                raise kind("stop")

        with pytest.raises(kind, match="stop"):
            build(catalog(5, 8), path, now=NOW, writer="python", progress=stop)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="rights of folders are another matter there")
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(IndexUnavailable, match="could not be written") as caught:
            build(shop(), tmp_path / "index.sqlite", now=NOW, writer="python")
        assert caught.value.code == "index-write-failed"
    finally:
        tmp_path.chmod(0o700)


def test_a_path_that_is_a_folder_fails_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").mkdir()
    with pytest.raises(IndexUnavailable) as caught:
        build(shop(), tmp_path / "index.sqlite", now=NOW, writer="python")
    assert caught.value.code == "index-write-failed"
    assert [entry.name for entry in tmp_path.iterdir()] == ["index.sqlite"]


def test_a_full_disk_fails_and_the_old_index_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "index.sqlite"
    build(shop(), path, now=NOW, writer="python")
    before = path.read_bytes()
    monkeypatch.setattr(index, "SCHEMA", "PRAGMA max_page_count = 30;" + index.SCHEMA)  # SQLite says: disk is full
    with pytest.raises(IndexUnavailable, match=r"full.*unchanged"):
        build(catalog(40, 20), path, now=NOW, writer="python")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_writer_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(BadArgument) as caught:
        build(shop(), tmp_path / "index.sqlite", now=NOW, writer="rust")  # type: ignore[arg-type]
    assert caught.value.code == "bad-writer"
    assert not list(tmp_path.iterdir())


@pytest.fixture
def no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "backend", lambda: "python")
    monkeypatch.setattr(index, "_warned", False)
    monkeypatch.delenv("DBGRAPH_NB_NUMBA", raising=False)


@pytest.mark.usefixtures("no_numba")
def test_the_numba_writer_fails_rather_than_being_slow_in_silence(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match=re.escape('writer="python"')) as caught:
        build(shop(), tmp_path / "index.sqlite", now=NOW, writer="numba")
    assert caught.value.code == "writer-unavailable"
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("no_numba")
def test_auto_warns_once_and_takes_the_python_writer(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="python writer") as caught:
        report = build(shop(), tmp_path / "index.sqlite", now=NOW)
    assert report.writer == "python"
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(shop(), tmp_path / "index.sqlite", now=NOW)


@pytest.mark.usefixtures("no_numba")
def test_auto_does_not_warn_whoever_switched_numba_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBGRAPH_NB_NUMBA", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert build(shop(), tmp_path / "index.sqlite", now=NOW).writer == "python"


def test_a_kernel_that_fails_makes_auto_fall_back_and_numba_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(texts: object, key_docs: object = None) -> None:
        raise TypeError("no matching signature")

    monkeypatch.setattr(text, "backend", lambda: "numba")
    monkeypatch.setattr(text, "term_batch", broken)
    monkeypatch.setattr(index, "_warned", False)
    path = tmp_path / "index.sqlite"
    with pytest.raises(IndexUnavailable, match="TypeError") as caught:
        build(shop(), path, now=NOW, writer="numba")
    assert caught.value.code == "writer-unavailable"
    assert not list(tmp_path.iterdir())
    with pytest.warns(RuntimeWarning, match="python writer") as warned:
        assert build(shop(), path, now=NOW).writer == "python"
    assert warned[0].filename == __file__
    assert dict(tables_of(path)["meta"])["writer"] == "python"
    assert build(shop(), path, now=NOW).writer == "python"
