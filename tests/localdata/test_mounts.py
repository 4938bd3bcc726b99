"""Names and files of mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbgraph_nb.errors import BadArgument, PathRefused
from dbgraph_nb.localdata.formats import FORMATS, reader
from dbgraph_nb.localdata.mounts import MOST, mounted


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.csv", "b=c.csv", "d.parquet", "e.json"):
        (tmp_path / name).touch()
    return tmp_path


def names(root: Path, *files: str) -> list[tuple[tuple[str, ...], str]]:
    with mounted(root, files) as mounts:
        return [(mount.names, mount.shown) for mount in mounts]


def test_names_in_order(root: Path) -> None:
    assert names(root, "a.csv", "sales=d.parquet", "f2=e.json", "销售=a.csv", "./b=c.csv") == [
        (("f0",), "a.csv"),
        (("f1", "sales"), "d.parquet"),
        (("f2", "f2"), "e.json"),
        (("f3", "销售"), "a.csv"),
        (("f4",), "b=c.csv"),
    ]


def test_a_pattern_is_one_relation(root: Path) -> None:
    assert names(root, "all=*.csv") == [(("f0", "all"), "a.csv and 1 more")]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["x y=a.csv"], "bad-mount-name"),
        (["1x=a.csv"], "bad-mount-name"),
        (["=a.csv"], "bad-mount-name"),
        (["f7=a.csv"], "bad-mount-name"),
        (["x;drop=a.csv"], "bad-mount-name"),
        (["s=a.csv", "S=d.parquet"], "mount-name-taken"),
        (["a.csv"] * (MOST + 1), "too-many-mounts"),
        ("a.csv", "bad-files"),
        ([5], "bad-files"),
    ],
)
def test_names_that_cannot_be(root: Path, files: list[str], code: str) -> None:
    with pytest.raises(BadArgument) as caught, mounted(root, files):
        pass
    assert caught.value.code == code


def test_files_are_closed_at_the_end_also_of_a_failure(root: Path) -> None:
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir())) if descriptors.is_dir() else 0
    with mounted(root, ["a.csv", "*.csv"]):
        pass
    with pytest.raises(PathRefused), mounted(root, ["a.csv", "nowhere.csv"]):
        pass
    assert not descriptors.is_dir() or len(list(descriptors.iterdir())) == before


def test_every_format_has_a_reader() -> None:
    for suffix, form in FORMATS.items():
        if form.kind not in ("database", "sheet"):
            assert reader(suffix, ["it's"]).startswith("read_")
