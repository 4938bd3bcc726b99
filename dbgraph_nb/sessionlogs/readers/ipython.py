"""The history of IPython: ``profile_*/history.sqlite``, shared by all terminals and kernels of a user.

In: an IPython folder, a database, the number of a session. Out: the code that was run, and its outputs where they are
kept. Never: IPython's own accessor (it renames a file that it cannot open), a write, a lock that is waited for.
"""

from __future__ import annotations

import codecs
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from dbgraph_nb.sessionlogs.events import Event, Message, SessionHeader, ToolResult
from dbgraph_nb.sessionlogs.reading import LIMITS, START, Cursor, Limits, Problem, Reading, SessionFile, Tally
from dbgraph_nb.sessionlogs.records import as_number

NAME: Final = "ipython"
APPENDS: Final = True
_WAIT: Final = 1.0  # seconds for another's lock; then a copy is read
_SESSIONS: Final = """
    SELECT h.session, s.start, h.last || '/' || coalesce(o.outputs, 0)
    FROM (SELECT session, max(line) AS last FROM history GROUP BY session) h
    LEFT JOIN (SELECT session, count(*) AS outputs FROM output_history GROUP BY session) o ON o.session = h.session
    LEFT JOIN sessions s ON s.session = h.session ORDER BY h.session
"""
_CELLS: Final = """
    SELECT h.line, substr(CAST(coalesce(nullif(h.source_raw, ''), h.source) AS BLOB), 1, :most),
           length(CAST(coalesce(nullif(h.source_raw, ''), h.source) AS BLOB)),
           substr(CAST(o.output AS BLOB), 1, :most), length(CAST(o.output AS BLOB))
    FROM history h LEFT JOIN output_history o ON o.session = h.session AND o.line = h.line
    WHERE h.session = :session AND h.line >= :line ORDER BY h.line
"""
_CUT = "Cells of the history are longer than is held at once; their ends are missing."
_NOT_READABLE = "The history could not be read: it is locked, damaged, or no history of IPython."


def discover(root: Path, *, headers: bool = False, renamed: bool = False) -> Iterator[SessionFile | Problem]:
    """The sessions of every profile below ``root``; with ``renamed`` also those that IPython put aside as corrupt."""
    names = ["history.sqlite", *(["history-corrupt-*.sqlite"] if renamed else [])]
    paths = sorted(path for name in names for path in root.glob(f"profile_*/{name}"))
    if not root.is_dir():
        yield Problem("missing", root, "There is no such folder of IPython.", hint="Give the folder of its profiles.")
    for path in paths:
        tally = Tally()
        with _database(path, LIMITS, tally) as database:
            rows = _rows(database, _SESSIONS, {}, path, tally)
            yield from (_session_file(path, *row) for row in rows)
        yield from tally.problems.values()


def read(path: Path, at: Cursor = START, *, part: str = "", limits: Limits = LIMITS) -> Reading:
    """The cells of the session ``part`` behind ``at``, whose offset is the line of the last one."""
    history = _History(path, at, part, limits)
    return Reading(history.events(), history.tally, history.cursor)


class _History:
    def __init__(self, path: Path, at: Cursor, part: str, limits: Limits) -> None:
        self._path, self._at, self._part, self._limits = path, at, part, limits
        self._line, self._output = at.offset, bool(at.seen)
        self.tally = Tally()

    def cursor(self) -> Cursor:
        seen = ("output",) if self._output else ()
        return Cursor(
            self._line, records=self._at.records + self.tally.records, seq=max(self._line, self._at.seq), seen=seen
        )

    def events(self) -> Iterator[Event]:
        if not self._part.isdecimal():
            self.tally.problem("no-part", self._path, "A history holds many sessions; which one is not said.")
            return
        session = int(self._part)
        with _database(self._path, self._limits, self.tally) as database:
            if database is None:
                return
            if self._at == START:
                sql = "SELECT start, remark FROM sessions WHERE session = :session"
                found = list(_rows(database, sql, {"session": session}, self._path, self.tally))
                yield _header(self._path, self._part, found[0][0] if found else None)
            values = {"session": session, "line": self._line, "most": self._limits.text}
            for row in _rows(database, _CELLS, values, self._path, self.tally):
                yield from self._cell(*row)

    def _cell(self, line: int, source: bytes, size: int, output: bytes | None, output_size: int) -> Iterator[Event]:
        """A cell; of the one that was read last only an output that has come since."""
        known = line == self._at.offset and self._at.records > 0
        if not known:
            self.tally.records += 1
            self.tally.events += 1
            self._line, self._output = line, False
            text, cut = self._text(source, size)
            yield Message(seq=line, turn=line, role="user", kind="code", text=text, cut=cut)
        if output is not None and not self._output:
            self._output = True
            text, cut = self._text(output, output_size)
            yield ToolResult(seq=line, part=1, turn=line, call_id=str(line), text=text, cut=cut)

    def _text(self, data: bytes | None, size: int | None) -> tuple[str, int]:
        """The text, and how many bytes of it are missing; as bytes, for SQLite ends a text at its first NUL."""
        if data is None or size is None:
            return "", 0
        cut = size - len(data)
        if cut:
            self.tally.cut_records += 1
            self.tally.cut_bytes += cut
            self.tally.problem("text-cut", self._path, _CUT, count=cut, hint="Raise the limit of text.")
        return codecs.getincrementaldecoder("utf-8")("replace").decode(data, final=not cut), cut


def _header(path: Path, session: str, start: object) -> SessionHeader:
    created = _local_time(start)
    return SessionHeader(seq=-1, id=_id(path, session), format=NAME, created=created, time=created)


def _session_file(path: Path, session: object, start: object, stamp: str) -> SessionFile:
    stat, part = path.stat(), str(session)
    return SessionFile(
        path=path,
        format=NAME,
        id=_id(path, part),
        part=part,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        device=stat.st_dev,
        inode=stat.st_ino,
        created=_local_time(start),
        stamp=stamp,
    )


def _id(path: Path, session: str) -> str:
    """Sessions of a file that was put aside are others than those of the file that came after it."""
    aside = path.stem.removeprefix("history")
    return f"ipython-{path.parent.name.removeprefix('profile_')}{aside}-{session}"


def _local_time(value: object) -> int | None:
    """Milliseconds since 1970; IPython writes local time without a zone."""
    if not isinstance(value, str):
        return as_number(value)
    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


@contextmanager
def _database(path: Path, limits: Limits, tally: Tally) -> Iterator[sqlite3.Connection | None]:
    """The database, read-only; a private copy if somebody locks it; None with a problem if neither can be read."""
    try:
        database = _opened(path, write=False)
    except sqlite3.Error:
        database = None
    except OSError as error:
        tally.problem("unreadable", path, f"The history could not be read: {error.strerror}.")
        yield None
        return
    if database is not None:
        with closing(database):
            yield database
        return
    with tempfile.TemporaryDirectory(prefix="dbgraph_nb-") as folder:
        try:
            database = _opened(_copied(path, Path(folder), limits), write=True)
        except (sqlite3.Error, OSError):
            hint = "Try again later; a damaged file can be put back from a copy."
            tally.problem("unreadable", path, _NOT_READABLE, hint=hint)
            yield None
            return
        with closing(database):
            yield database


def _opened(path: Path, *, write: bool) -> sqlite3.Connection:
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file", str(path))
    mode = "rw" if write else "ro"
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_WAIT)
    try:
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        database.execute("SELECT 1 FROM history LIMIT 1").fetchall()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _copied(path: Path, folder: Path, limits: Limits) -> Path:
    """A copy with what a writer has not put into the file yet, so that SQLite brings the copy to a whole state."""
    if path.stat().st_size > limits.copy:
        raise OSError(27, "too large to copy")
    for suffix in ("", "-journal", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.is_file():
            shutil.copyfile(source, folder / source.name)
    return folder / path.name


def _rows(
    database: sqlite3.Connection | None, sql: str, values: dict[str, Any], path: Path, tally: Tally
) -> Iterator[tuple[Any, ...]]:
    if database is None:
        return
    try:
        yield from database.execute(sql, values)
    except sqlite3.Error:
        tally.problem("damaged", path, "A part of the history is damaged; what it held is missing.")
