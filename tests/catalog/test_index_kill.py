"""An index survives whatever happens to the process that replaces it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import soak
from bench.generate import catalog
from catalog.index_snapshots import NOW, tables_of

from dbgraph_nb import text
from dbgraph_nb.catalog.index import build
from dbgraph_nb.catalog.store import open_index

CHILD = Path(__file__).with_name("kill_child.py")
WRITERS = ["python", "numba"] if text.backend() == "numba" else ["python"]


def child(path: Path, writer: str, until: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), str(path), writer, *([until] if until else [])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def answers(path: Path) -> tuple[object, ...]:
    """What the index of the made catalog answers, whoever wrote it."""
    with open_index(path) as index:
        found = index.query("SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid", ('"用户" OR "amount"',))
        assert index.query("PRAGMA integrity_check") == [("ok",)]
        return index.objects(), index.columns(), index.edges(), found, index.query("SELECT count(*) FROM terms")


def leftovers(path: Path) -> list[Path]:
    return sorted(entry for entry in path.parent.iterdir() if entry != path)


@pytest.mark.soak
def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    draw = random.Random(50)
    started = time.monotonic()
    build(catalog(60, 12), path, now=NOW, writer="python")
    usual = time.monotonic() - started
    expected = answers(path)
    left = 0
    for turn in range(soak.scale(50)):
        process = child(path, WRITERS[turn % len(WRITERS)])
        assert process.stdout is not None
        for _ in range(draw.randint(1, 3)):
            assert process.stdout.readline().strip().isdigit()
        time.sleep(draw.uniform(0, usual))
        assert process.poll() is None
        kill(process)
        assert answers(path) == expected
        killed = leftovers(path)
        assert len(killed) <= 1
        assert all(entry.name.endswith(".tmp") for entry in killed)
        left += len(killed)
        if killed and turn % 2:  # every other time the next child cleans up
            build(catalog(60, 12), path, now=NOW, writer="python")
            assert leftovers(path) == []
            assert answers(path) == expected
    build(catalog(60, 12), path, now=NOW, writer="python")
    assert leftovers(path) == []
    assert left > 10 or not soak.FULL, "hardly a kill hit a build"


@pytest.mark.parametrize("step", ["writing terms", "storing", "replacing the old index"])
def test_kill_9_at_a_known_step_leaves_a_file_that_the_next_build_removes(step: str, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(catalog(60, 12), path, now=NOW, writer="python")
    expected = answers(path)
    process = child(path, "python", step)
    assert process.stdout is not None
    while process.stdout.readline().strip() != step:
        pass
    (temporary,) = leftovers(path)
    build(catalog(60, 12), path, now=NOW, writer="python")
    assert leftovers(path) == [temporary]  # its process lives
    kill(process)
    assert leftovers(path) == [temporary]
    assert answers(path) == expected
    build(catalog(60, 12), path, now=NOW, writer="python")
    assert leftovers(path) == []
    assert answers(path) == expected


def test_two_builders_and_a_reader_at_once(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(catalog(60, 12), path, now=NOW, writer="python")
    expected = answers(path)
    builders = [child(path, WRITERS[turn % len(WRITERS)], str(soak.scale(100))) for turn in range(2)]
    while any(builder.poll() is None for builder in builders):
        assert answers(path) == expected
    for builder in builders:
        assert builder.wait() == 0
        assert builder.stdout is not None
        builder.stdout.close()
    assert leftovers(path) == []
    assert tables_of(path)["objects"]


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced there")
def test_a_reader_keeps_the_index_that_it_opened(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(catalog(3, 8), path, now=NOW, writer="python")
    with open_index(path) as old:
        assert len(old.objects()) == 3
        build(catalog(5, 9), path, now=NOW, writer="python")
        assert len(old.columns()) == 24  # read only now
        with open_index(path) as new:
            assert len(new.columns()) == 45
    assert os.listdir(tmp_path) == ["index.sqlite"]  # noqa: PTH208
