"""Which files are logs of DSH, and which of several is the session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from sessionlogs import made_logs as made

from dbgraph_nb.sessionlogs.conversation import fold
from dbgraph_nb.sessionlogs.readers import dsh
from dbgraph_nb.sessionlogs.readers.dsh_files import decoded_id
from dbgraph_nb.sessionlogs.reading import Problem, SessionFile


def found(root: Path, *, headers: bool = False) -> tuple[list[SessionFile], list[Problem]]:
    every = list(dsh.discover(root, headers=headers))
    return [one for one in every if isinstance(one, SessionFile)], [one for one in every if isinstance(one, Problem)]


def log(root: Path, generation: int, id_: str = "session-1", suffix: str = ".jsonl.zstd", **more: Any) -> Path:
    return made.dsh_log(root, made.dsh_records((), generation, id=id_, **more), generation=generation, suffix=suffix)


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
@pytest.mark.parametrize("generation", range(5))
def test_logs_of_every_generation_are_seen(tmp_path: Path, generation: int, suffix: str) -> None:
    path = log(tmp_path, generation, suffix=suffix)
    (file,), problems = found(tmp_path)
    assert problems == []
    assert (file.path, file.id, file.generation, file.format) == (path, "session-1", generation, "dsh")
    stat = path.stat()
    assert (file.size, file.mtime_ns, file.inode, file.device) == (
        stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev,
    )  # fmt: skip


def test_the_highest_generation_is_the_session_and_older_ones_are_named(tmp_path: Path) -> None:
    older = log(tmp_path, 0)
    newest = log(tmp_path, 3)
    os.utime(older, (2e9, 2e9))
    (file,), problems = found(tmp_path)
    assert (file.path, file.older, file.generation, problems) == (newest, (older,), 3, [])


def test_ten_is_more_than_nine(tmp_path: Path) -> None:
    log(tmp_path, 9)
    newest = log(tmp_path, 10)
    assert found(tmp_path)[0][0].path == newest


def test_of_both_encodings_the_one_written_last_is_the_session(tmp_path: Path) -> None:
    plain, packed = log(tmp_path, 4, suffix=".jsonl"), log(tmp_path, 4)
    for first, second in ((plain, packed), (packed, plain)):
        os.utime(first, (1e9, 1e9))
        os.utime(second, (1e9 + 9, 1e9 + 9))
        (file,), _ = found(tmp_path)
        assert (file.path, file.older) == (second, (first,))


@pytest.mark.parametrize(
    "name",
    [
        *("session.lock", "session.migration.abc.jsonl.zstd.tmp", "session.v4.jsonl.zst", "session.vx.jsonl"),
        *("session.v0.jsonl", "session.v.jsonl", "xsession.jsonl", "session.jsonl.bak", "session.v4.jsonl.zstd~"),
        *("workspace.json", "session"),
    ],
)
def test_other_files_are_none(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "--p--" / "s"
    folder.mkdir(parents=True)
    (folder / name).write_text("{}")
    assert found(tmp_path) == ([], [])


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("session-0b", "session-0b"),
        ("a~002Fb", "a/b"),
        ("~002E~002E", ".."),
        ("~D83D~DE00x", "😀x"),
        ("~D83Dx", "\ufffdx"),
        ("~4E2D~6587", "中文"),
        ("~12", "~12"),
        ("~007E0041", "~0041"),
    ],
)
def test_ids_are_decoded_from_names(name: str, id_: str) -> None:
    assert decoded_id(name) == id_


def test_headers_tell_the_folder_and_the_parent(tmp_path: Path) -> None:
    log(tmp_path, 4, id_="s-child", parentSession="s-parent", origin="subagent")
    log(tmp_path, 0, id_="s-plain")
    named, _ = found(tmp_path)
    assert [(file.project, file.parent) for file in named] == [("--data-shop--", "")] * 2
    told, _ = found(tmp_path, headers=True)
    assert [(file.id, file.project, file.parent, file.subagent) for file in told] == [
        ("s-child", "/data/shop", "s-parent", True),
        ("s-plain", "/data/shop", "", False),
    ]
    assert told[0].created == made.START


def test_the_same_id_twice_is_read_once_and_named(tmp_path: Path) -> None:
    first, second = log(tmp_path / "a", 4), log(tmp_path / "b", 4)
    os.utime(first, (1e9, 1e9))
    files, problems = found(tmp_path)
    assert [file.path for file in files] == [second]
    assert [(problem.code, problem.path) for problem in problems] == [("duplicate-id", first)]
    assert str(second.parent) in problems[0].hint


def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    log(tmp_path / "real", 4)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "real")
    (root / "loop").symlink_to(root)
    files, problems = found(root)
    assert files == []
    assert [(problem.code, problem.count) for problem in problems] == [("links", 2)]


def test_what_lies_too_deep_is_named(tmp_path: Path) -> None:
    log(tmp_path.joinpath(*"abcdefgh"), 4)
    files, problems = found(tmp_path)
    assert (files, [problem.code for problem in problems]) == ([], ["too-deep"])


def test_no_folder_an_empty_one_and_one_without_rights_do_not_look_alike(tmp_path: Path) -> None:
    assert [problem.code for problem in found(tmp_path / "none")[1]] == ["missing"]
    assert found(tmp_path) == ([], [])
    (tmp_path / "file").write_text("")
    assert [problem.code for problem in found(tmp_path / "file")[1]] == ["unreadable"]


def test_sessions_come_in_the_order_of_ids(tmp_path: Path) -> None:
    for id_ in ("c", "a", "b"):
        log(tmp_path, 4, id_=id_)
    assert [file.id for file in found(tmp_path)[0]] == ["a", "b", "c"]


def test_numbers_of_a_new_generation_are_its_own(tmp_path: Path) -> None:
    """The older log stays beside the newer one, whose events are numbered otherwise: only one of them is read."""
    made.dsh_log(tmp_path, made.dsh_records(made.STORY, 0), generation=0)
    made.dsh_log(tmp_path, made.dsh_records(made.STORY, 3), generation=3)
    (file,), _ = found(tmp_path)
    assert fold(dsh.read(file.path)).coverage.messages == 10
