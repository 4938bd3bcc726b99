"""The sample shop as a SQLite file.

In: a path. Out: the file, written whole beside it and then renamed, and its URL. Never: another file than an
earlier sample shop overwritten, nor a half-written one left at the path.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Target
from dbgraph_nb.samples.load import shop_statements

APPLICATION_ID = 0x64625368  # "dbSh" in the header of the file marks it as a sample shop


def shop(path: str | os.PathLike[str]) -> str:
    """Write the sample shop, 13 tables and 4 views of a bilingual online shop, as a SQLite file.

    The content is the same on every run. An earlier sample shop at ``path`` is replaced; any other file is left
    alone. All persons, numbers and addresses are made up.

    Args:
        path: the file to write; its folder must exist, ``~`` is the home folder.

    Returns:
        The URL of the file, for ``connect``.

    Raises:
        BadArgument: the path is not usable, or leads to something that is not an earlier sample shop.
    """
    target = _target(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f"{target.name}.{os.getpid()}-", suffix=".tmp", dir=target.parent)
    except OSError as problem:
        raise _unwritable(target, problem) from None
    os.close(handle)
    part = Path(name)
    try:
        _write(part)
        part.replace(target)
    except (OSError, sqlite3.OperationalError) as problem:
        raise _unwritable(target, problem) from None
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)
    return Target(dialect="sqlite", database=target.as_posix()).url


def _target(path: str | os.PathLike[str]) -> Path:
    """The absolute path to write to, links followed, once it is proven that nothing of the user's is lost."""
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    if not isinstance(text, str) or not text.strip() or text == ":memory:":
        raise BadArgument(
            "The sample shop needs the path of a file.", code="sample-path", hint='For example samples.shop("shop.db").'
        )
    try:
        target = Path(text).expanduser().resolve()
        there = target.exists()
        folder = target.parent.is_dir()
    except (OSError, RuntimeError, ValueError):  # too long, a loop of links, no such home, a NUL character
        raise BadArgument("The path of the sample shop is not usable.", code="sample-path", token=text) from None
    if not folder:
        raise BadArgument(
            f"The folder {target.parent} does not exist.",
            code="sample-folder-missing",
            hint="Create it first.",
            token=text,
        )
    if there and not _is_sample_shop(target):
        raise BadArgument(
            f"{target} is there already and is not a sample shop, so it was left alone.",
            code="sample-not-ours",
            hint="Choose another path.",
            token=text,
        )
    # SQLite would play a journal that is left of the old file into the new one
    left = [f"{target.name}{end}" for end in ("-journal", "-wal") if target.with_name(target.name + end).exists()]
    if left:
        raise BadArgument(
            f"{target} is in use: {left[0]} is beside it.",
            code="sample-in-use",
            hint="Close what has the file open, or choose another path.",
            token=text,
        )
    return target


def _is_sample_shop(path: Path) -> bool:
    """Whether the header says so: SQLite's magic, and our application id at byte 68 (SQLite file format, 1.3)."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION_ID.to_bytes(4, "big")


def _write(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        # nobody else sees this file before it is whole, so it needs no journal beside it
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for sql, data in shop_statements("sqlite"):
            if data:
                connection.executemany(sql, data)
            else:
                connection.execute(sql)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the rename last a power cut, where the system can (Windows cannot open a folder)."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritable(target: Path, problem: Exception) -> BadArgument:
    why = problem.strerror if isinstance(problem, OSError) else str(problem)
    return BadArgument(
        f"The sample shop cannot be written to {target}: {why}.",
        code="sample-not-writable",
        hint="Choose another folder.",
    )
