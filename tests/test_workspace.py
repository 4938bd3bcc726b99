"""The jail: what lies inside is opened, nothing else is, and what was proven is what is read."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from soak import scale

from dbgraph_nb.errors import DbgraphError, PathRefused
from dbgraph_nb.workspace import is_pattern, new_file, prove, prove_all

KINDS = frozenset({".csv", ".csv.gz", ".json"})
SECRET = b"secret-7f3a"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace beside a folder with a secret, with links, devices and odd names in it."""
    outside, inside = tmp_path / "outside", tmp_path / "work"
    (inside / "data" / "deep").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.csv").write_bytes(SECRET)
    (tmp_path / "work2").mkdir()
    (tmp_path / "work2" / "secret.csv").write_bytes(SECRET)
    for name in ("a.csv", "data/b.csv", "data/deep/c.csv", "data/x.csv.gz", "订单.csv", "odd name's.csv", "A.json"):
        (inside / name).write_bytes(name.encode())
    (inside / ".hidden.csv").write_bytes(b"hidden")
    links = {
        "link.csv": "a.csv",
        "data/up.csv": "../a.csv",
        "absolute.csv": str(inside / "a.csv"),
        "folder": "data",
        "chain.csv": "link.csv",
        "out.csv": str(outside / "secret.csv"),
        "out2.csv": "../outside/secret.csv",
        "out_folder": str(outside),
        "out_folder2": "../outside",
        "chain_out.csv": "out.csv",
        "proc": "/proc",
        "root": "/",
        "loop.csv": "loop.csv",
        "loop1.csv": "loop2.csv",
        "loop2.csv": "loop1.csv",
        "dangling.csv": "nowhere.csv",
        "null.csv": "/dev/null",
        "up_and_back.csv": "../work/a.csv",
        "environ.csv": "/proc/self/environ",
    }
    for name, target in links.items():
        (inside / name).symlink_to(target)
    os.link(outside / "secret.csv", inside / "hard.csv")
    os.mkfifo(inside / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(inside)
        server.bind("socket.csv")
        os.chdir(before)
    return inside


def read(root: Path, name: str | os.PathLike[str], **more: bool) -> bytes:
    with prove(root, name, suffixes=KINDS, **more) as file:
        return Path(file.engine_path).read_bytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"a.csv"),
        ("./data/../a.csv", b"a.csv"),
        ("data//b.csv", b"data/b.csv"),
        ("data/deep/c.csv", b"data/deep/c.csv"),
        ("link.csv", b"a.csv"),
        ("data/up.csv", b"a.csv"),
        ("absolute.csv", b"a.csv"),
        ("folder/b.csv", b"data/b.csv"),
        ("folder/../a.csv", b"a.csv"),
        ("chain.csv", b"a.csv"),
        ("订单.csv", "订单.csv".encode()),
        ("odd name's.csv", b"odd name's.csv"),
        ("data/x.csv.gz", b"data/x.csv.gz"),
        ("A.json", b"A.json"),
    ],
)
def test_what_lies_inside_is_opened(root: Path, name: str, content: bytes) -> None:
    assert read(root, name) == content
    assert read(root, root / name) == content


ATTACKS = {
    "../outside/secret.csv": "path-parent",
    "data/../../outside/secret.csv": "path-parent",
    "..": "path-is-folder",
    "../work2/secret.csv": "path-parent",
    "data/deep/../../../outside/secret.csv": "path-parent",
    "folder/../../outside/secret.csv": "path-parent",
    "./../work/a.csv": "path-parent",
    "{outside}/secret.csv": "path-outside",
    "{root}2/secret.csv": "path-outside",
    "{root}/../outside/secret.csv": "path-parent",
    "/etc/passwd.csv": "path-outside",
    "/etc/passwd": "unknown-file-type",
    "/proc/self/environ.csv": "path-outside",
    "out.csv": "link-outside",
    "out2.csv": "link-outside",
    "out_folder/secret.csv": "link-outside",
    "out_folder2/secret.csv": "link-outside",
    "chain_out.csv": "link-outside",
    "proc/self/root{outside}/secret.csv": "link-outside",
    "proc/self/cwd/x.csv": "link-outside",
    "root{outside}/secret.csv": "link-outside",
    "environ.csv": "link-outside",
    "null.csv": "link-outside",
    "up_and_back.csv": "link-outside",
    "out_folder/../a.csv": "link-outside",
    "hard.csv": "hard-linked-file",
    "pipe.csv": "special-file",
    "socket.csv": "special-file",
    "loop.csv": "bad-path",
    "loop1.csv": "bad-path",
    "dangling.csv": "path-missing",
    "nowhere.csv": "path-missing",
    "a.csv/b.csv": "path-missing",
    "a.csv/": "path-is-folder",
    "data/": "path-is-folder",
    "data": "unknown-file-type",
    "": "bad-path",
    "  ": "bad-path",
    ".": "path-is-folder",
    "a.csv\0.txt": "bad-path",
    "\0": "bad-path",
    "file:///etc/passwd.csv": "path-is-url",
    "file:{outside}/secret.csv": "path-is-url",
    "http://127.0.0.1/x.csv": "path-is-url",
    "s3://bucket/x.csv": "path-is-url",
    "https://example.com/x.csv": "path-is-url",
    "data:text/csv,secret.csv": "path-is-url",
    "hf://datasets/x.csv": "path-is-url",
    "~/x.csv": "bad-path",
    "~root/x.csv": "bad-path",
    "C:\\x.csv": "bad-path",
    "\\\\server\\share\\x.csv": "bad-path",
    "//server/share/x.csv": "bad-path",
    "a.csv:stream": "bad-path",
    "con.csv": "bad-path",
    "data/NUL.csv": "bad-path",
    "a.CSV": "path-missing",
    "ａ.csv": "path-missing",
    "a.csv\u200b": "unknown-file-type",
    "a.exe": "unknown-file-type",
    "x" * 5000 + ".csv": "bad-path",
    "x" * 300 + ".csv": "bad-path",
    "\ud800.csv": "bad-path",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_outside_is_read(root: Path, attack: str) -> None:
    name = attack.replace("{outside}", str(root.parent / "outside")).replace("{root}", str(root))
    with pytest.raises(PathRefused) as caught:
        read(root, name)
    assert caught.value.code == ATTACKS[attack], str(caught.value)
    assert "\n" not in str(caught.value)
    assert SECRET.decode() not in str(caught.value)


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 60


@pytest.mark.parametrize("wrong", [5, None, b"a.csv", ["a.csv"]])
def test_what_is_no_path(root: Path, wrong: object) -> None:
    with pytest.raises(PathRefused) as caught:
        prove(root, wrong, suffixes=KINDS)  # type: ignore[arg-type]
    assert caught.value.code == "bad-path"


def test_a_hard_link_may_be_allowed(root: Path) -> None:
    assert read(root, "hard.csv", hard_links=True) == SECRET


def test_what_is_known_of_a_file(root: Path) -> None:
    with prove(root, "folder/x.csv.gz", suffixes=KINDS) as file:
        assert (file.shown, file.suffix, file.size) == ("folder/x.csv.gz", ".csv.gz", 13)
        assert file.path == root / "data" / "x.csv.gz"
        assert file.is_unchanged()
        (root / "data" / "x.csv.gz").write_bytes(b"other")
        assert not file.is_unchanged()
    file.close()


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else False, reason="root may read anything")
def test_a_file_that_may_not_be_read(root: Path) -> None:
    (root / "a.csv").chmod(0)
    with pytest.raises(PathRefused) as caught:
        read(root, "a.csv")
    assert caught.value.code == "path-not-readable"


def test_a_workspace_that_is_none(root: Path) -> None:
    for wrong in (root / "nowhere", root / "a.csv", root / "\0"):
        with pytest.raises(PathRefused) as caught:
            prove(wrong, "a.csv", suffixes=KINDS)
        assert caught.value.code == "workspace-missing"


def test_a_workspace_that_is_a_link(root: Path) -> None:
    link = root.parent / "way"
    link.symlink_to(root)
    assert read(link, "a.csv") == b"a.csv"
    assert read(link, link / "data" / "b.csv") == b"data/b.csv"
    assert read(link, root / "a.csv") == b"a.csv"


# --- patterns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("data/*.csv", ["data/b.csv", "data/up.csv"]),
        ("data/deep/*", ["data/deep/c.csv"]),
        ("folder/b*.csv", ["folder/b.csv"]),
        ("[ab].csv", ["a.csv"]),
        ("data/**/c.csv", ["data/deep/c.csv"]),
        ("**/c.csv", ["data/deep/c.csv"]),
        (".hid*.csv", [".hidden.csv"]),
        ("d*/deep/*.csv", ["data/deep/c.csv"]),
        ("?.csv", ["a.csv"]),
    ],
)
def test_patterns(root: Path, pattern: str, names: list[str]) -> None:
    assert is_pattern(pattern)
    found = prove_all(root, pattern, suffixes=KINDS)
    assert [file.shown for file in found] == names
    for file in found:
        file.close()


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("*.parquet", "no-match"),
        ("data/*x*", "no-match"),
        ("../*/secret.csv", "path-parent"),
        ("../outside/*.csv", "path-parent"),
        ("out_folder/*.csv", "link-outside"),
        ("{outside}/*.csv", "path-outside"),
        ("out*.csv", "link-outside"),
        ("[p]ipe.csv", "special-file"),
        ("proc/self/*.csv", "link-outside"),
        ("http://x/*.csv", "path-is-url"),
        ("[aA].*", "mixed-formats"),
        ("hard*.csv", "hard-linked-file"),
        ("nowhere/*.csv", "path-missing"),
        ("*/../../outside/*.csv", "path-parent"),
    ],
)
def test_patterns_that_leave_or_find_nothing(root: Path, pattern: str, code: str) -> None:
    if pattern == "data/*x*":
        (root / "data" / "x.csv.gz").unlink()
    with pytest.raises(PathRefused) as caught:
        prove_all(root, pattern.replace("{outside}", str(root.parent / "outside")), suffixes=KINDS)
    assert caught.value.code == code, str(caught.value)


def test_too_many_files(root: Path) -> None:
    for number in range(5):
        (root / "data" / f"n{number}.csv").touch()
    with pytest.raises(PathRefused) as caught:
        prove_all(root, "data/n*.csv", suffixes=KINDS, limit=4)
    assert caught.value.code == "too-many-files"


# --- somebody changes the names meanwhile -----------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="only there a descriptor has a path of its own")
def test_the_file_that_was_proven_is_the_one_that_is_read(root: Path) -> None:
    """A thread swaps the file, a folder on the way, and a link, for ones that lead outside."""
    stop = threading.Event()
    outside = root.parent / "outside"

    def swap() -> None:
        dice = random.Random(1)
        while not stop.is_set():
            for name, target in (("a.csv", outside / "secret.csv"), ("data", outside)):
                here, away = root / name, root / f"{name}.away"
                here.rename(away)
                here.symlink_to(target)
                if dice.random() < 0.5:
                    os.sched_yield()
                here.unlink()
                away.rename(here)

    thread = threading.Thread(target=swap)
    thread.start()
    seen: dict[str, int] = {}
    try:
        for number in range(scale(40_000)):
            name, content = (("a.csv", b"a.csv"), ("data/b.csv", b"data/b.csv"))[number % 2]
            try:
                got = read(root, name)
            except (PathRefused, OSError) as error:
                code = error.code if isinstance(error, DbgraphError) else "gone"
                seen[code] = seen.get(code, 0) + 1
                continue
            assert got == content
            seen["read"] = seen.get("read", 0) + 1
    finally:
        stop.set()
        thread.join()
    assert seen.get("read", 0) > 10
    assert seen.keys() <= {
        "read",
        "link-outside",
        "path-missing",
        "path-changed",
        "path-is-folder",
        "path-not-readable",
    }, seen


def test_a_file_that_is_replaced_while_it_is_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = os.open

    def late(path: object, flags: int, *more: object, **named: object) -> int:
        if path == "a.csv":
            (root / "a.csv").unlink()
            (root / "a.csv").write_bytes(b"another")
        return original(path, flags, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", late)
    monkeypatch.setattr(os, "supports_dir_fd", {late, os.link, os.stat})
    keep = (root / "a.csv").open("rb")  # so that its number is not given to the new one
    with keep, pytest.raises(PathRefused) as caught:
        prove(root, "a.csv", suffixes=KINDS)
    assert caught.value.code == "path-changed"


# --- against the system's own answer ----------------------------------------------------------------------------

_PARTS = st.sampled_from(["a", "b", "c.csv", "d.csv", "..", ".", "l1", "l2", "l3.csv"])


@settings(max_examples=scale(4_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    links=st.lists(st.tuples(_PARTS, st.lists(_PARTS, min_size=1, max_size=4), st.booleans()), max_size=5),
    path=st.lists(_PARTS, min_size=1, max_size=6),
)
def test_it_agrees_with_realpath(
    links: list[tuple[str, list[str], bool]], path: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever links there are: what is read lies inside, and what the system finds inside on the same way is read."""
    base = tmp_path_factory.mktemp("tree")
    root = base / "root"
    for folder in ("a/b", "b", "a/a"):
        (root / folder).mkdir(parents=True)
    for name in ("c.csv", "a/c.csv", "a/b/d.csv", "b/c.csv"):
        (root / name).write_text(name)
    (base / "c.csv").write_text("outside")
    (base / "d.csv").write_text("outside")
    for name, target, absolute in links:
        link = root / name
        if not link.exists() and not link.is_symlink() and name not in (".", ".."):
            link.symlink_to((str(root) + "/" if absolute else "") + "/".join(target))
    given_path = "/".join(path)
    try:
        with prove(root, given_path, suffixes=KINDS) as file:
            got = Path(file.engine_path).read_text()
    except PathRefused as error:
        real = os.path.realpath(root / given_path)
        if Path(real).is_file() and error.code in ("path-missing", "path-is-folder"):
            # a way through ".." of a file or of nothing, which the system does not go either
            assert not os.path.exists(str(root) + "/" + given_path)  # noqa: PTH110 - Path would drop the dots
        return
    assert got != "outside"
    assert got == Path(os.path.realpath(root / given_path)).read_text()


# --- new files --------------------------------------------------------------------------------------------------


def write(root: Path, name: str, content: bytes = b"new") -> None:
    with new_file(root, name, suffixes=KINDS) as draft:
        draft.write_bytes(content)


def test_a_new_file_gets_its_name_at_the_end(root: Path) -> None:
    with new_file(root, "data/new.csv", suffixes=KINDS) as draft:
        draft.write_bytes(b"new")
        assert not (root / "data" / "new.csv").exists()
    assert (root / "data" / "new.csv").read_bytes() == b"new"
    assert (root / "data" / "new.csv").stat().st_nlink == 1
    assert not draft.exists()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.csv", "file-exists"),
        ("out.csv", "file-exists"),
        ("dangling.csv", "file-exists"),
        ("../new.csv", "path-parent"),
        ("out_folder/new.csv", "link-outside"),
        ("nowhere/new.csv", "path-missing"),
        ("a.csv/new.csv", "path-missing"),
        ("{outside}/new.csv", "path-outside"),
        ("new.exe", "unknown-file-type"),
        ("data/", "path-is-folder"),
        ("http://x/new.csv", "path-is-url"),
        ("y" * 300 + ".csv", "folder-not-writable"),
    ],
)
def test_a_new_file_stays_inside_and_replaces_nothing(root: Path, name: str, code: str) -> None:
    before = {path: path.read_bytes() for path in root.parent.rglob("*.csv") if path.is_file()}
    with pytest.raises(PathRefused) as caught:
        write(root, name.replace("{outside}", str(root.parent / "outside")))
    assert caught.value.code == code, str(caught.value)
    assert {path: path.read_bytes() for path in root.parent.rglob("*.csv") if path.is_file()} == before


def test_a_name_that_is_taken_meanwhile_is_not_replaced(root: Path) -> None:
    drafts: list[Path] = []

    def be_late() -> None:
        with new_file(root, "new.csv", suffixes=KINDS) as draft:
            drafts.append(draft)
            draft.write_bytes(b"ours")
            (root / "new.csv").write_bytes(b"theirs")

    with pytest.raises(PathRefused) as caught:
        be_late()
    assert caught.value.code == "file-exists"
    assert (root / "new.csv").read_bytes() == b"theirs"
    assert not drafts[0].exists()


def test_nothing_stays_of_a_file_that_failed(root: Path) -> None:
    def fail() -> None:
        with new_file(root, "new.csv", suffixes=KINDS) as draft:
            draft.write_bytes(b"half")
            raise RuntimeError("stopped")

    names = sorted(root.iterdir())
    with pytest.raises(RuntimeError):
        fail()
    assert sorted(root.iterdir()) == names


def test_no_descriptor_stays_open(root: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("the system does not list its descriptors")

    def attempts() -> Iterator[Callable[[], object]]:
        for name in ("a.csv", "folder/b.csv", *ATTACKS):
            yield lambda name=name: read(root, name)
        for pattern in ("**/*.csv", "data/*.csv", "out_folder/*.csv"):
            yield lambda pattern=pattern: [f.close() for f in prove_all(root, pattern, suffixes=KINDS)]
        for name in ("data/n1.csv", "a.csv", "out_folder/x.csv"):
            yield lambda name=name: write(root, name)

    before = len(list(descriptors.iterdir()))
    for attempt in attempts():
        with contextlib.suppress(PathRefused):
            attempt()
    assert len(list(descriptors.iterdir())) == before
