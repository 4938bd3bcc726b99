"""The jail of SQL over local files, examined: attack paths × ways to name a file, writes, and files that are swapped.

A secret lies beside the workspace in every format. What is asked for: no text of it in a result or an error, and on
Linux that nothing opened it, which inotify tells for each pair, and strace for some. Plain DuckDB fails each of these.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import random
import re
import select
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
from localdata.jail_attacks import NAMES, NO_PATH, PATHS, TAKES_PATH, VIEWS, WAYS, WRITES, WRITES_FILE
from soak import FULL, scale

import dbgraph_nb as dg
from dbgraph_nb import gate, redact, workspace
from dbgraph_nb.engines import duckdb_spare
from dbgraph_nb.engines.duckdb_files import DuckdbFiles
from dbgraph_nb.engines.duckdb_lock import Locked, lock, only_read, prepared
from dbgraph_nb.errors import DbgraphError, QueryFailed
from dbgraph_nb.localdata import kept

CANARY = "geheim-7f3a-kanari"
ROOTS_LINE = "root:x:0"  # of /etc/passwd
KINDS = ("csv", "parquet", "json", "txt", "xlsx", "duckdb", "dump")
MOUNTED = ("sales.parquet",)
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
PER_WAY = 3  # paths for each way in the plain run
pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


# --- a workspace, and a secret beside it ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class World:
    """The folders, what is open of the secret, and a port on which nobody should call."""

    base: Path
    fds: dict[str, int]
    port: int

    @property
    def work(self) -> Path:
        return self.base / "work"

    @property
    def out(self) -> Path:
        return self.base / "outside"

    def filled(self, template: str, kind: str) -> str:
        """A template of a path, or what is left of one of a statement."""
        words = {
            "out": str(self.out),
            "work": str(self.work),
            "home": str(self.base / "home"),
            "temp": str(self.base / "temp"),
            "k": kind,
            "K": kind.upper(),
            "fd": str(self.fds[kind]),
            "pid": str(os.getpid()),
            "port": str(self.port),
            "up": "../" * 60 + str(self.base)[1:] + "/",
            "dots": "./" * 1500,
            "long": "a" * 5000,
        }
        return re.sub(r"<(\w+)>", lambda found: words.get(found[1], found[0]), template)


def build(base: Path, ready: Path | None = None) -> None:
    """The files; ``link.csv`` and the like lead outside. ``ready`` is another world, from which they are copied."""
    for name in ("work/data/deep", "work2", "outside", "home", "temp"):
        (base / name).mkdir(parents=True)
    work, out = base / "work", base / "outside"
    if ready is None:
        secret(out)
        mounts(work)
    else:
        shutil.copytree(ready / "outside", out, dirs_exist_ok=True)
        for mount in MOUNTS:
            shutil.copy(ready / "work" / mount, work / mount)
    for kind in KINDS:
        source = out / f"secret.{kind}"
        names = [folder / source.name for folder in (base / "work2", base / "home")]
        names += [out / f"{name}.{kind}" for name in ("g\u00e9heim", "it's", '"q"', "new\nline", "a=b", CANARY)]
        for other in names:
            if not other.exists():
                (shutil.copytree if source.is_dir() else shutil.copy)(source, other)
        if source.is_file():
            os.link(source, work / f"hard.{kind}")
            os.link(source, work / "data" / f"hard.{kind}")
        make_links(work, source, kind)
    make_links(work, out)


def make_links(work: Path, target: Path, kind: str = "") -> None:
    """Links of the workspace to one secret, or to folders."""
    links = {
        f"link.{kind}": str(target),
        f"relative.{kind}": f"../outside/secret.{kind}",
        f"chain.{kind}": f"link.{kind}",
        f"data/chain.{kind}": f"../relative.{kind}",
        f"loop.{kind}": f"loop.{kind}",
        f"to_cwd.{kind}": f"/proc/self/cwd/../outside/secret.{kind}",
    }
    if not kind:
        links = {
            "outside_link": str(target),
            "outside_up": "../outside",
            "root_link": "/",
            "proc_link": "/proc",
            "data/to_top": "..",
        }
    for link, where in links.items():
        (work / link).symlink_to(where)


MOUNTS = ("in.csv", "race.csv", "gbk.csv", "race.json", "own.duckdb", "race.duckdb", "sales.parquet", "race.parquet")


def mounts(work: Path) -> None:
    """What may be read: two rows, in each format."""
    for name in ("in.csv", "race.csv"):
        (work / name).write_text("id,x\n1,a\n2,b\n", "utf-8")
    (work / "gbk.csv").write_text("id,x\n1,订单\n2,b\n", "gbk")
    (work / "race.json").write_text('[{"id": 1, "x": "a"}, {"id": 2, "x": "b"}]', "utf-8")
    for name in ("own", "race"):
        with duckdb.connect(str(work / f"{name}.duckdb")) as connection:
            connection.execute("CREATE TABLE t AS SELECT 1 AS id, 'a' AS x UNION ALL SELECT 2, 'b'")
            connection.execute(f"COPY t TO '{work}/{'sales' if name == 'own' else name}.parquet'")


def secret(out: Path) -> None:
    """The secret as text, table, document, database and dump; also in its columns' names."""
    for name in ("secret.txt", "secret.xlsx"):
        (out / name).write_text(f"{CANARY}\n", "utf-8")
    (out / "secret.csv").write_text(f"x,{CANARY}\n{CANARY},{CANARY}\n", "utf-8")
    (out / "secret.json").write_text(f'[{{"x": "{CANARY}", "{CANARY}": 1}}]', "utf-8")
    with duckdb.connect(str(out / "secret.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT '{CANARY}' AS x, 1 AS \"{CANARY}\"")
        connection.execute(f"COPY t TO '{out}/secret.parquet' (KV_METADATA {{k: '{CANARY}'}})")
        connection.execute(f"EXPORT DATABASE '{out}/secret.dump'")


def open_secrets(base: Path) -> dict[str, int]:
    """A descriptor of each secret file, and links of the workspace that lead through it."""
    fds = {kind: os.open(base / "outside" / f"secret.{kind}", os.O_RDONLY) for kind in KINDS}
    for kind, fd in fds.items():
        link = base / "work" / f"to_fd.{kind}"
        link.unlink(missing_ok=True)
        link.symlink_to(f"/proc/self/fd/{fd}")
    return fds


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("jail").resolve()
    build(base)
    return base


@pytest.fixture
def world(built: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The process stands in the workspace, its home and temporary files are private, its input is the secret."""
    base = built
    monkeypatch.chdir(base / "work")
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("TMPDIR", str(base / "temp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("JAIL_CANARY", CANARY)
    monkeypatch.delenv("DBGRAPH_NB_WORKSPACE", raising=False)
    fds, stdin = open_secrets(base), os.dup(0)
    os.dup2(fds["csv"], 0)
    try:
        yield World(base, fds, listener.getsockname()[1])
    finally:
        os.dup2(stdin, 0)
        for fd in (stdin, *fds.values()):
            os.close(fd)


@pytest.fixture
def fresh(tmp_path: Path, built: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world that a test may change."""
    base = tmp_path.resolve() / "jail"
    build(base, built)
    monkeypatch.chdir(base / "work")
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("TMPDIR", str(base / "temp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return World(base, world.fds, world.port)


class Watch:
    """Who opened, read or changed something outside: inotify, by this process or any other. Elsewhere: nothing."""

    _OPEN = 0x20
    _MASK = 0x1 | 0x2 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200  # read, write, open, moved from and to, made, removed

    def __init__(self, base: Path) -> None:
        self.fd, self._parent = -1, -1
        if sys.platform != "linux":
            return
        system = ctypes.CDLL(None, use_errno=True)
        self.fd = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        for folder in ("outside", "home", "work2"):
            for path in (base / folder, *(base / folder).rglob("*")):
                assert system.inotify_add_watch(self.fd, os.fsencode(path), self._MASK) >= 0
        # of the folder above only that it is listed: what it holds is opened all the time
        self._parent = system.inotify_add_watch(self.fd, os.fsencode(base), self._OPEN)

    def events(self, *, opening: bool = True) -> list[str]:
        """What happened since the last call; without ``opening`` only what was read or changed."""
        found: list[str] = []
        if self.fd < 0:
            return found
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.fd, 1 << 16):
                while data:
                    number, mask, _, length = (int.from_bytes(data[i : i + 4], sys.byteorder) for i in (0, 4, 8, 12))
                    name = data[16 : 16 + length].rstrip(b"\0").decode(errors="replace")
                    data = data[16 + length :]
                    if (number != self._parent or not name) and (opening or mask & self._MASK & ~self._OPEN):
                        found.append(f"{mask:#x} {name}".strip())
        return found

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        if self.fd >= 0:
            os.close(self.fd)


# --- one attempt ------------------------------------------------------------------------------------------------


def shown(frame: Any) -> str:
    """All that a result tells."""
    return repr((list(frame.columns), list(frame.itertuples(index=False, name=None)), frame.meta))


def attempt(
    sql: str,
    files: Sequence[str] = MOUNTED,
    params: dict[str, Any] | None = None,
    ask: Callable[..., Any] | None = None,
    **more: Any,
) -> str:
    """The code of the refusal, or "rows"; neither tells anything of the secret."""
    try:
        if ask is not None:
            return answered(repr(ask()))
        frame = dg.duckdb_query(sql, files, params=params, timeout=20, **more)
    except DbgraphError as error:
        refusal = error
    else:
        return answered(shown(frame))
    parts = (refusal.message, refusal.hint, refusal.token, refusal.args)
    told = "".join(traceback.format_exception(refusal)) + repr(parts)
    assert CANARY not in told
    assert ROOTS_LINE not in told
    assert len(str(refusal).splitlines()) == 1, str(refusal)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", refusal.code), refusal.code
    assert refusal.code not in ("error", "query-timeout", "engine-error"), str(refusal)
    return refusal.code


def answered(told: str) -> str:
    assert CANARY not in told
    assert ROOTS_LINE not in told
    return "rows"


@dataclass(frozen=True, slots=True)
class Way:
    """A statement, or several calls, with a place for a path of one kind."""

    kind: str
    sql: str
    calls: list[str] = field(default_factory=list, compare=False)

    def filled(self, world: World, path: str) -> tuple[list[str], dict[str, Any] | None]:
        query = f"FROM {literal(path)}"
        words = {
            "p": literal(path),
            "i": '"' + path.replace('"', '""') + '"',
            "parts": ".".join('"' + part.replace('"', '""') + '"' for part in path.rpartition(".")[::2]),
            "chr": " || ".join(f"chr({ord(letter)})" for letter in path),
            "d": f"$jail${path}$jail$",
            "q": literal(query),
            "qq": literal(f"FROM query({literal(query)})"),
            "nl": "\n",
            "tree": literal(tree(query)) if "<tree>" in self.sql else "",
        }
        sql = world.filled(self.sql, self.kind)
        sql = re.sub(r"<(p|i|parts|chr|d|q|qq|tree|nl)>", lambda found: words[found[1]], sql)
        return sql.split(" ;; "), ({"p": path} if re.search(r":p[)\]]", self.sql) else None)


def literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def tree(query: str) -> str:
    """The statement as DuckDB keeps it."""
    with contextlib.suppress(duckdb.Error, UnicodeError), duckdb.connect(config=OFFLINE) as connection:
        return str(connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()[0][0])
    return "{}"


def ways() -> list[Way]:
    lines = [line.partition(" | ") for line in WAYS.strip().split("\n")]
    return [Way(kind.strip(), sql) for kind, _, sql in lines]


def paths_for(number: int) -> list[str]:
    """All paths in a soak run, else a few, so that all ways together try each of them several times."""
    if FULL:
        return list(PATHS)
    mixed = random.Random(7).sample(PATHS, len(PATHS))
    return [mixed[(number * PER_WAY + step) % len(mixed)] for step in range(PER_WAY)]


ALL_WAYS = ways()


# --- paths × ways -----------------------------------------------------------------------------------------------


def test_there_are_enough_of_each() -> None:
    assert len(set(PATHS)) == len(PATHS) >= 150
    assert len(set(ALL_WAYS)) == len(ALL_WAYS) >= 150
    assert len(set(writes())) == len(writes()) >= 90
    assert len(ALL_WAYS) * PER_WAY >= 600
    assert {path for number in range(len(ALL_WAYS)) for path in paths_for(number)} == set(PATHS)


def test_what_is_mounted_is_read(world: World) -> None:
    """Else the exam would pass because nothing works."""
    assert attempt("SELECT * FROM f0 ORDER BY id") == "rows"
    for file in ("sales.parquet", "in.csv", "race.json", "own.duckdb", f"{world.work}/in.csv", "data/to_top/in.csv"):
        frame = dg.duckdb_query("SELECT id, x FROM f0 ORDER BY id", [file])
        assert list(frame.itertuples(index=False, name=None)) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("number", range(len(ALL_WAYS)), ids=lambda number: ALL_WAYS[number].sql[:60])
def test_no_way_reads_a_path_outside(world: World, listener: socket.socket, number: int) -> None:
    way = ALL_WAYS[number]
    with Watch(world.base) as watch:
        for turn, template in enumerate(paths_for(number)):
            calls, params = way.filled(world, world.filled(template, way.kind))
            if turn and not FULL:  # what follows the call with the path is the same each time
                calls = calls[:1]
            joined = "; ".join(calls)
            codes = [attempt(call, MOUNTED, params) for call in dict.fromkeys((*calls, joined))]
            assert watch.events() == [], (template, codes)
            assert codes[0] != "rows" or "<p>" not in way.sql or way.sql.endswith("*/"), (template, codes)
    assert select.select([listener], [], [], 0)[0] == []


@pytest.mark.parametrize("form", ["<p>", "x=<p>", "x= <p>", "<p>#Sheet1"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "txt", "xlsx", "duckdb"])
def test_no_path_outside_is_mounted(world: World, listener: socket.socket, kind: str, form: str) -> None:
    with Watch(world.base) as watch:
        for template in PATHS:
            path = form.replace("<p>", world.filled(template, kind))
            codes = [attempt("SELECT * FROM f0", [path])]
            if form == "<p>":
                codes.append(attempt("SELECT * FROM f0", ["sales.parquet", path]))
                codes.append(attempt("", ask=lambda path=path: dg.duckdb_schema(path)))
            assert "rows" not in codes, template
            # a file with two names is opened to learn that it has, and not read
            assert watch.events(opening="ard." not in template) == [], (template, codes)
    assert select.select([listener], [], [], 0)[0] == []


@pytest.mark.parametrize("kind", ["csv", "parquet", "json"] if FULL else ["csv"])
def test_no_path_outside_is_written(fresh: World, kind: str) -> None:
    """The file that a whole result goes to; a name that is odd and inside is made."""
    before = state(fresh)
    with Watch(fresh.base) as watch:
        for template in PATHS:
            path = fresh.filled(template, kind)
            code = attempt("SELECT * FROM f0", to=path)
            assert watch.events() == [], (template, code)
            made = changed(before, state(fresh))
            watch.events()  # that look was ours
            assert made in ([], sorted([str(fresh.work), str(fresh.work / path)])), (template, code)
            assert bool(made) == (code == "rows"), (template, code)
            if made:
                (fresh.work / path).unlink()
                before = state(fresh)
                watch.events()


@pytest.mark.parametrize("kind", ["csv", "duckdb", "xlsx"])
def test_nobody_learns_whether_a_file_outside_exists(world: World, kind: str) -> None:
    for template in PATHS:
        there = world.filled(template, kind)
        if "secret." in there:
            assert attempt("FROM f0", [there]) == attempt("FROM f0", [there.replace("secret.", "no_such.")]), template


@pytest.mark.parametrize("name", ["wo'rk", "w[or]k", "w*", "w?rk", 'w"k', "w k", "{work}", "w\nk", "wörk", "%77ork"])
def test_a_workspace_with_an_odd_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The name of the folder is on the engine's list; it must not be read as a pattern or end the list."""
    root = tmp_path / name
    for folder in (root, tmp_path / "work", tmp_path / "wok"):
        folder.mkdir(exist_ok=True)
        (folder / "a.csv").write_text("x\nmine\n" if folder == root else f"x\n{CANARY}\n", "utf-8")
    monkeypatch.chdir(root)
    assert dg.duckdb_query("FROM f0", ["a.csv"])["x"].tolist() == ["mine"]
    assert dg.duckdb_query("FROM f0", ["*.csv"])["x"].tolist() == ["mine"]
    locked = locked_on(str(root / "a.csv"), "read_csv")
    try:
        told = run(locked.connection, ["FROM f0", f"FROM read_csv('{tmp_path}/w?*k/a.csv')",
                                       f"FROM '{tmp_path}/work/a.csv'", f"FROM '{tmp_path}/wok/a.csv'"])  # fmt: skip
    finally:
        locked.close()
    assert CANARY not in told


# --- what files of the workspace may hold ------------------------------------------------------------------------

READINGS = ("SELECT * FROM f0", "SELECT * FROM f0.v", "SUMMARIZE f0")


def harmless(world: World, file: str) -> list[str]:
    """The outcomes of reading a file that wants more than to be read."""
    before, codes = state(world), []
    with Watch(world.base) as watch:
        for sql in READINGS:
            codes.append(attempt(sql, [file]))
            assert watch.events() == [], (sql, codes)
    assert changed(before, state(world)) == []
    return codes


@pytest.mark.parametrize("template", VIEWS.strip().splitlines())
def test_a_view_of_a_mounted_database_reads_nothing_outside(fresh: World, template: str) -> None:
    *before, select = fresh.filled(template, "txt").split(" ;; ")
    with duckdb.connect("evil.duckdb") as connection:
        for statement in before:
            connection.execute(statement)
        connection.execute(f"CREATE VIEW v AS {select}")
        told = run(connection, ["FROM v"])
    assert CANARY in told or "EXISTS" in select, "plain DuckDB reads it"
    codes = harmless(fresh, "evil.duckdb")
    assert codes[0] != "rows", codes


@pytest.mark.parametrize("name", NAMES)
def test_names_in_files_are_only_names(fresh: World, name: str) -> None:
    name = fresh.filled(name.replace("<file>", str(fresh.work / "evil.csv")), "csv")
    quoted = '"' + name.replace('"', '""') + '"'
    with duckdb.connect("evil.duckdb") as connection:
        connection.execute(f"CREATE SCHEMA {quoted}")
        connection.execute(f"CREATE TABLE {quoted}.{quoted} ({quoted} VARCHAR, zip VARCHAR)")
        connection.execute(f"INSERT INTO {quoted}.{quoted} VALUES ('0123', '0123')")
        connection.execute(f"COPY {quoted}.{quoted} TO 'evil.parquet'")
        connection.execute(f"CREATE TABLE copied AS FROM {quoted}.{quoted}")
        connection.execute("COPY copied TO 'evil.json'")
    header = '"' + name.replace('"', '""') + '"'
    Path("evil.csv").write_text(f'{header};"zip {header[1:]}\n"1,5";"0123"\n"2,5";"0456"\n', "utf-8")
    for file in ("evil.csv", "evil.parquet", "evil.json", "evil.duckdb"):
        codes = harmless(fresh, file)
        assert codes[0] == "rows" or file == "evil.duckdb", (file, codes)


@pytest.mark.parametrize("option", ["encoding", "delim", "quote", "decimal", "ragged", "text", "header", "skip"])
def test_options_are_only_options(fresh: World, option: str) -> None:
    before = state(fresh)
    with Watch(fresh.base) as watch:
        for value in ("'", '"', "\\", "')--", "'],", *NAMES):
            attempt("SELECT * FROM f0", ["in.csv"], csv={option: value})
            assert watch.events() == [], value
    assert changed(before, state(fresh)) == []


def test_a_sheet_reads_nothing_outside(fresh: World) -> None:
    """External entities, and parts that are named by a path."""
    pytest.importorskip("python_calamine")
    text = fresh.out / "secret.txt"
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{text}">]>'
    here = "worksheets/sheet1.xml"
    for head, value, target in (
        ("", "plain", here),
        (entity, "&e;", here),
        ("", "plain", f"../../../../..{text}"),
        ("", "plain", f"file://{text}"),
    ):
        with zipfile.ZipFile("evil.xlsx", "w") as book:
            for part, content in sheet_parts(head, value, target).items():
                book.writestr(part, content)
        codes = harmless(fresh, "evil.xlsx")
        assert codes[0] == "rows" or (head, target) != ("", here), codes


def sheet_parts(entity: str, value: str, target: str) -> dict[str, str]:
    """The least spreadsheet there is: one column with one value."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    head = f'<?xml version="1.0"?>{entity}'
    cells = "".join(
        f'<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for row, text in ((1, "x"), (2, value))
    )
    return {
        "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<?xml version="1.0"?><Relationships xmlns="{package}"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<?xml version="1.0"?><workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<?xml version="1.0"?><Relationships xmlns="{package}"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="{target}"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'{head}<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }


def test_a_log_that_appears_late_is_not_opened(fresh: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to the outside, named as the log of a database that was found to have none."""
    original = duckdb_spare.take

    def late() -> Locked:
        (fresh.work / "own.duckdb.wal").symlink_to(fresh.out / "secret.txt")
        return original()

    monkeypatch.setattr(duckdb_spare, "take", late)
    with Watch(fresh.base) as watch:
        code = attempt("SELECT * FROM f0", ["own.duckdb"])
        assert (fresh.work / "own.duckdb.wal").is_symlink()
        assert watch.events() == [], code


def test_a_log_beside_a_database_tells_nothing_of_outside(fresh: World) -> None:
    """A link named as the log of a database; whether what it leads to exists is not told."""
    log = fresh.work / "own.duckdb.wal"
    log.symlink_to(fresh.out / "secret.txt")
    there = harmless(fresh, "own.duckdb")
    log.unlink()
    log.symlink_to(fresh.out / "no_such.txt")
    assert harmless(fresh, "own.duckdb") == there


# --- the same without the gate: the engine's own lock ------------------------------------------------------------


def locked_on(real: str, reader: str) -> Locked:
    """What ``duckdb_query`` runs statements on, with one file mounted."""
    locked = prepared()
    lock(locked.connection, [real])
    with contextlib.suppress(duckdb.Error):  # a name with a pattern in it is none of a file for the engine
        locked.connection.execute(f"CREATE VIEW f0 AS SELECT * FROM {reader}({literal(real)})")
    return locked


def run(connection: duckdb.DuckDBPyConnection, calls: Sequence[str], params: dict[str, Any] | None = None) -> str:
    """All rows, names and errors of statements on one connection."""
    told = ""
    for call in calls:
        try:
            sql = re.sub(r":p(?=[)\]])", "$p", call)
            cursor = connection.execute(sql, params) if params else connection.execute(sql)
            told += repr((cursor.description, cursor.fetchall() if cursor.description else []))
        except (duckdb.Error, UnicodeError, ValueError, RuntimeError) as error:
            told += f"{type(error).__name__}: {error}"
    return told


@pytest.mark.parametrize("part", range(8))
def test_the_lock_alone_reads_nothing_outside(world: World, listener: socket.socket, part: int) -> None:
    """Should the gate ever let one through."""
    locked: Locked | None = None
    with Watch(world.base) as watch, contextlib.ExitStack() as stack:
        for number in range(part, len(ALL_WAYS), 8):
            way, locked = ALL_WAYS[number], None
            for template in paths_for(number)[: None if FULL else 2]:
                calls, params = way.filled(world, world.filled(template, way.kind))
                if locked is None or len(calls) > 1:  # several calls leave something in their connection
                    stack.close()
                    locked = locked_on(str(world.work / "sales.parquet"), "read_parquet")
                    stack.callback(locked.close)
                told = run(locked.connection, calls, params)
                assert CANARY not in told, (way.sql, template)
                assert ROOTS_LINE not in told, (way.sql, template)
                assert watch.events() == [], (way.sql, template)
    assert select.select([listener], [], [], 0)[0] == []


# --- the exam can fail: plain DuckDB does -----------------------------------------------------------------------


def plain(calls: Sequence[str], params: dict[str, Any] | None = None) -> str:
    with duckdb.connect(config=OFFLINE) as connection:
        connection.execute("CREATE VIEW f0 AS FROM (VALUES (1, 'a'), (2, 'b')) AS s(id, x)")
        return run(connection, calls, params)


def test_plain_duckdb_leaks_in_most_ways(world: World) -> None:
    leaking, opening = set(), set()
    with Watch(world.base) as watch:
        for way in ALL_WAYS:
            if "INSTALL" in way.sql:  # that would ask the network
                continue
            calls, params = way.filled(world, world.filled("../outside/secret.<k>", way.kind))
            told = plain(calls, params)
            leaking |= {way} if CANARY in told else set()
            opening |= {way} if watch.events() else set()
    assert len(leaking) >= 20, sorted(way.sql for way in leaking)
    assert sys.platform != "linux" or len(opening) >= 40, sorted(way.sql for way in opening)


def test_plain_duckdb_follows_many_paths(world: World) -> None:
    leaking = set()
    with duckdb.connect(config=OFFLINE) as connection:
        for template in PATHS:
            if "**" in template or template.startswith("/dev/stdin"):  # the first go through all folders, or wait
                continue
            path = literal(world.filled(template, "txt"))
            told = run(connection, [f"SELECT content FROM read_text({path})"])
            leaking |= {template} if CANARY in told or ROOTS_LINE in told else set()
    assert len(leaking) >= 40, sorted(leaking)


# --- every function of the engine is in a list ------------------------------------------------------------------


def test_every_table_function_is_in_a_list() -> None:
    rows = duckdb.connect().execute(
        "SELECT lower(function_name), list(lower(parameters::VARCHAR)) FROM duckdb_functions() "
        "WHERE function_type IN ('table', 'table_macro', 'pragma') GROUP BY 1"
    )
    installed = {name: " ".join(parameters) for name, parameters in rows.fetchall()}
    takes, writing, none = (set(names.split()) for names in (TAKES_PATH, WRITES_FILE, NO_PATH))
    assert len(takes | writing | none) == len(takes) + len(writing) + len(none), "a name is in two lists"
    assert sorted(installed.keys() - takes - writing - none) == [], "put each into TAKES_PATH, WRITES_FILE or NO_PATH"
    suspicious = re.compile(r"\b(?:paths?|files?|pattern|uri|url|location|storage_path|sql|query|source|directory)\b")
    named = {name for name in installed if suspicious.search(installed[name])}
    assert sorted(named & none - {"json_each", "json_tree"}) == [], "there it is a path in a document"
    for name in takes:
        assert re.search(rf"\b{name}\b", WAYS, re.IGNORECASE), f"no way calls {name}"
    for name in writing:
        assert re.search(rf"\b{name}\b", WRITES, re.IGNORECASE), f"no write calls {name}"


# --- nothing is written -----------------------------------------------------------------------------------------


def writes() -> list[str]:
    return [str(line) for line in WRITES.strip().splitlines()]


def state(world: World) -> dict[str, tuple[Any, ...]]:
    """Every file, folder and link, with its content and times; of the temporary folder itself only the content."""
    found: dict[str, tuple[Any, ...]] = {}
    for top in ("work", "outside", "home", "temp", "work2"):
        for folder, folders, files in os.walk(world.base / top):
            for path in (Path(folder), *(Path(folder, name) for name in (*folders, *files))):
                if path == world.base / "temp" or "dbgraph_nb-" in str(path):
                    continue  # a private folder lives as long as its connection
                at = path.lstat()
                content = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(at.st_mode) else ""
                target = str(path.readlink()) if stat.S_ISLNK(at.st_mode) else ""
                found[str(path)] = (at.st_mode, at.st_size, at.st_mtime_ns, at.st_nlink, at.st_ino, content, target)
    return found


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def write_calls(world: World, template: str) -> list[str]:
    return world.filled(template.replace("<file>", str(world.work / "sales.parquet")), "csv").split(" ;; ")


def test_no_write_changes_anything(world: World) -> None:
    before = state(world)
    for template in writes():
        calls = write_calls(world, template)
        for call in dict.fromkeys((*calls, "; ".join(calls))):
            code = attempt(call)
            assert changed(before, state(world)) == [], (call, code)
            reads = call.startswith(("SELECT", "FROM")) and "COPY" not in call
            assert code != "rows" or reads, call
    for file in ("gbk.csv", "own.duckdb", "in.csv", "race.json"):  # some need a private copy, or a log
        assert attempt("SELECT * FROM f0", [file]) == "rows"
        assert attempt("SELECT 1 FROM f0 WHERE error('x')", [file]) != "rows"
    assert changed(before, state(world)) == []
    kept.drop()
    duckdb_spare.settle()
    assert list((world.base / "temp").iterdir()) == []


def test_no_write_changes_anything_without_the_gate(world: World) -> None:
    """The engine's second look and its lock, with statements that the gate would not let through."""
    before, otherwise = state(world), []
    for template in writes():
        locked = locked_on(str(world.work / "sales.parquet"), "read_parquet")
        try:
            for call in write_calls(world, template):
                with contextlib.suppress(duckdb.Error, QueryFailed):
                    locked.connection.execute(only_read(locked.connection, call)).fetchall()
        except Exception as error:  # noqa: BLE001 - told at the end, so that it hides nothing else
            otherwise.append((template, repr(error)))
        finally:
            locked.close()
        assert changed(before, state(world)) == [], template
    assert otherwise == [], "not an error that only_read may raise"


@pytest.mark.parametrize("how", ["link", "hard link", "descriptor", "folder", "deleted"])
@pytest.mark.parametrize("name", ["race.csv", "race.parquet", "race.json"])
def test_the_lock_alone_follows_no_link_in_the_place_of_a_file(world: World, name: str, how: str) -> None:
    """The engine's list has the real name; what lies there later may be something else."""
    reader = {"csv": "read_csv", "parquet": "read_parquet", "json": "read_json"}[name.partition(".")[2]]
    with put_back(world, name):
        locked = locked_on(str(world.work / name), reader)
        try:
            assert "'a'" in run(locked.connection, ["FROM f0"])
            swap(world, name, how)
            told = run(locked.connection, ["FROM f0", f"FROM {reader}('{world.work / name}')", f"FROM '{name}'"])
        finally:
            locked.close()
    if how != "hard link":  # which only the proof sees; it is a file of the workspace otherwise
        assert CANARY not in told


def test_the_lock_alone_does_not_stop_writes(fresh: World) -> None:
    """So the second look is needed, and the exam above can fail."""
    before, real = state(fresh), str(fresh.work / "sales.parquet")
    locked = locked_on(str(fresh.work / "in.csv"), "read_csv")
    run(locked.connection, [f"COPY f0 TO '{fresh.work / 'in.csv'}' (USE_TMP_FILE false)", f"COPY f0 TO '{real}'"])
    locked.close()
    assert changed(before, state(fresh)) == [str(fresh.work / "in.csv")]


def test_plain_duckdb_writes(fresh: World) -> None:
    """The same statements do change files when nobody stops them."""
    before, changing = state(fresh), []
    for template in writes():
        if re.match(r"(?:FORCE )?INSTALL|UPDATE EXT|LOAD|COPY f0 TO '/dev/|SELECT \* FROM range|SET memory", template):
            continue  # these ask the network, or write where the test's own output goes
        plain(write_calls(fresh, template))
        after = state(fresh)
        if changed(before, after):
            changing.append(template)
        before = after
    assert len(changing) >= 25, changing


# --- files that are swapped -------------------------------------------------------------------------------------


def swap(world: World, name: str, how: str) -> None:
    """Puts something outside in the place of a file of the workspace."""
    target = world.work / name
    source = world.out / f"secret.{target.suffix[1:]}"
    if how == "deleted":  # Linux calls a removed file so, and an engine may look for it by that name
        shutil.copy2(target, world.work / f"{name}.away")
        target.unlink()
        (world.work / f"{name} (deleted)").symlink_to(source)
    else:
        target.rename(world.work / f"{name}.away")
    if how in ("link", "deleted"):
        target.symlink_to(source)
    elif how == "hard link":
        os.link(source, target)
    elif how == "descriptor":
        target.symlink_to(f"/proc/self/fd/{world.fds[target.suffix[1:]]}")
    else:
        target.mkdir()


@contextlib.contextmanager
def put_back(world: World, name: str) -> Iterator[None]:
    """Undoes ``swap`` at the end; nothing that is kept of the file crosses either end."""
    target, away = world.work / name, world.work / f"{name}.away"
    kept.drop()
    try:
        yield
    finally:
        kept.drop()
        if away.exists():
            (target.rmdir if target.is_dir() and not target.is_symlink() else target.unlink)()
            away.rename(target)
        (world.work / f"{name} (deleted)").unlink(missing_ok=True)


MOMENTS = {
    "before it is looked at": (os, "stat"),
    "when it was proven": (workspace, "prove"),
    "when it has a connection": (duckdb_spare, "take"),
    "when the engine knows it": (DuckdbFiles, "define"),
    "when the statement was checked": (gate, "check"),
    "when the columns are known": (redact, "plan_tree"),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("how", ["link", "hard link", "descriptor", "folder", "deleted"])
@pytest.mark.parametrize("name", ["race.csv", "race.parquet", "race.json", "race.duckdb"])
def test_a_file_swapped_at_a_moment(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, how: str, moment: str
) -> None:
    module, function = MOMENTS[moment]
    original: Callable[..., Any] = getattr(module, function)
    swapped: list[str] = []

    def late(*given: Any, **named: Any) -> Any:
        if function == "stat" and name not in map(str, given):
            return original(*given, **named)
        done = original(*given, **named)
        if not swapped:
            swapped.append(name)
            swap(world, name, how)
            watch.events()  # a second name is a change of the file outside, made here
        return done

    with Watch(world.base) as watch, put_back(world, name):
        with monkeypatch.context() as patch:
            patch.setattr(module, function, late)
            code = attempt("SELECT * FROM f0", [name])
        assert watch.events(opening=code != "hard-linked-file") == [], code  # that is learned from the open file
    assert swapped
    assert function != "stat" or code != "rows"


@pytest.mark.parametrize("how", ["link", "hard link", "descriptor", "folder", "deleted"])
@pytest.mark.parametrize("name", ["race.csv", "race.parquet", "race.json", "race.duckdb"])
def test_a_file_swapped_between_two_statements(world: World, name: str, how: str) -> None:
    """An engine may be kept for the next statement over the same file; it is none any more."""
    with put_back(world, name):
        assert attempt("SELECT * FROM f0", [name]) == "rows"
        swap(world, name, how)
        with Watch(world.base) as watch:
            code = attempt("SELECT * FROM f0", [name])
            assert watch.events(opening=code != "hard-linked-file") == [], code
    assert code != "rows"


@contextlib.contextmanager
def swapping(world: World, names: Sequence[str], longest: float) -> Iterator[None]:
    """A thread that puts links to the secret in the place of files, and back, at odd moments."""
    stop, dice = threading.Event(), random.Random(3)

    def swap_all() -> None:
        while not stop.is_set():
            for name in names:
                here, away = world.work / name, world.work / f"{name}.away"
                here.rename(away)
                here.symlink_to(world.out / f"secret.{here.suffix[1:]}")
                time.sleep(dice.random() * longest)
                here.unlink()
                away.rename(here)
            time.sleep(dice.random() * 4 * longest)

    thread = threading.Thread(target=swap_all)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_file_swapped_all_the_time(fresh: World) -> None:
    seen: dict[str, int] = {}
    names = ("race.parquet", "race.json", "race.duckdb", "race.csv")
    with Watch(fresh.base) as watch, swapping(fresh, names, 0.02):
        for number in range(scale(4_000)):
            code = attempt("SELECT * FROM f0", [names[number % 4]])
            seen[code] = seen.get(code, 0) + 1
            assert watch.events() == [], code
    assert seen.pop("rows", 0) > 0, seen
    assert seen, "the thread was never in time"


def test_a_look_before_is_not_enough(fresh: World) -> None:
    """What the race above would find: a path that was looked at, and then opened by its name."""
    told = ""
    with swapping(fresh, ("race.csv",), 0.0):
        end = time.monotonic() + 20
        while CANARY not in told and time.monotonic() < end:
            path = fresh.work / "race.csv"
            with contextlib.suppress(OSError):
                if path.resolve(strict=True).parent == fresh.work:
                    told = plain([f"FROM '{path}'"])
    assert CANARY in told


# --- by the system's own account --------------------------------------------------------------------------------

_MARK = "/no-such-file-the-jail-begins"
_OPENED = re.compile(r"(?:open|openat|openat2)(?:\(| resumed).*= \d+<(?P<path>[^>]*)>")


def traced_pairs(base: Path) -> int:
    """The attempts of the run under strace."""
    world = World(base, open_secrets(base), 9)
    os.chdir(world.work)
    attempt("SELECT * FROM f0")  # imports what is imported at the first call
    with contextlib.suppress(OSError):
        os.stat(_MARK)  # noqa: PTH116 - so that the log shows where it begins
    done = 0
    for number in range(0, len(ALL_WAYS), 1 if FULL else 4):
        way = ALL_WAYS[number]
        calls, params = way.filled(world, world.filled(paths_for(number)[-1], way.kind))
        attempt("; ".join(calls), MOUNTED, params)
        done += 1
    for template in PATHS:
        if "ard." not in template:  # a file with two names is opened, to learn that it has
            assert attempt("SELECT * FROM f0", [world.filled(template, "csv")]) != "rows"
            done += 1
    return done


def test_the_system_saw_nothing_opened_outside(built: Path, world: World, tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None or subprocess.run([strace, "-o", os.devnull, "true"], check=False, timeout=30).returncode:
        pytest.skip("there is no strace that may trace")
    log = tmp_path / "log"
    here = Path(__file__).resolve()
    more = os.pathsep.join([str(here.parents[1]), str(here.parents[2])])
    with (world.out / "secret.csv").open("rb") as stdin:
        done = subprocess.run(
            [strace, "-f", "-y", "-qq", "-s", "300", "-e", "trace=open,openat,openat2,connect,newfstatat",
             "-o", str(log), sys.executable, str(here), str(built)],
            env={**os.environ, "PYTHONPATH": more}, stdin=stdin, capture_output=True, text=True, timeout=170,
            check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[-1]) >= 150
    before, mark, after = log.read_text(errors="replace").partition(_MARK)
    assert mark
    assert f"<{world.out}/secret.csv>" in before  # the attacks' own descriptor: the log does show such a thing
    opened = [found["path"] for found in map(_OPENED.search, after.splitlines()) if found]
    assert any(path == str(world.work / "sales.parquet") for path in opened)
    secrets = tuple(str(built / name) for name in ("outside", "home/", "work2"))
    assert [path for path in opened if path.startswith((*secrets, "/etc/passwd"))] == []
    assert [path for path in opened if path.endswith(("/environ", "/maps"))] == []
    assert "AF_INET" not in after


if __name__ == "__main__":
    print(traced_pairs(Path(sys.argv[1])))
