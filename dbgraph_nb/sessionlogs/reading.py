"""What a reader is: how it is asked, where it stands, what it could not read.

In: a file, a place in it. Out: events, the place to go on from, problems in words. Never: an exception for what a log
holds; a problem is a value, so that the other sessions stay complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dbgraph_nb.sessionlogs.events import Event


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is held at once, in bytes.

    Attributes:
        line: a record longer than this is shortened while it is read: blobs go first, then the ends of long texts.
        text: of such a record, each text keeps this much.
        blob: in such a record, a text of base64 characters only that is longer than this is a blob.
        copy: a locked database larger than this is not copied.
    """

    line: int = 16 << 20
    text: int = 4 << 20
    blob: int = 4 << 10
    copy: int = 512 << 20


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place behind the last whole record, and what a reader must know to go on from there.

    Attributes:
        offset: byte of the file; of a packed log, the start of a frame; of a database, the last row.
        skip: unpacked bytes behind ``offset`` that are read already.
        check: CRC-32 of those bytes; if they are others now, the file was changed.
        records: lines so far, the header included.
        seq: the number of the last event, -1 for none.
        turn: the turn that runs, or None.
        cut: how many of the first events are a parent's.
        seen: of what has been said in this turn, where a format says everything twice.
    """

    offset: int = 0
    skip: int = 0
    check: int = 0
    records: int = 0
    seq: int = -1
    turn: int | None = None
    cut: int = 0
    seen: tuple[str, ...] = ()


START = Cursor()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was not read as it should be.

    Attributes:
        code: short stable name.
        path: the file or folder.
        message: one sentence without a text of the log.
        count: how often, or how many bytes.
        hint: what to do, or "".
    """

    code: str
    path: Path
    message: str
    count: int = 1
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One session, as it lies on disk.

    Attributes:
        path: the file to read.
        format: the name of the reader.
        id: the session.
        part: which session of the file, where it holds several.
        project: the folder of the work; a short form of it where only that is known.
        parent: see ``SessionHeader``; from the names alone it may be "".
        subagent: likewise.
        generation: of the log, or None.
        older: logs of the same session that this one follows; they are not read.
        size, mtime_ns, device, inode: of the file.
        created: milliseconds since 1970, or None.
        stamp: of a session in a database, what changes whenever it does; else "", and the file's own values tell.
    """

    path: Path
    format: str
    id: str
    part: str = ""
    project: str = ""
    parent: str = ""
    subagent: bool = False
    generation: int | None = None
    older: tuple[Path, ...] = ()
    size: int = 0
    mtime_ns: int = 0
    device: int = 0
    inode: int = 0
    created: int | None = None
    stamp: str = ""


@dataclass(slots=True)
class Tally:
    """What a reading came across; grows while it is read.

    Attributes:
        records: lines, without blank ones.
        events: events of the log; a packed row counts as many as it holds.
        bytes_read: of the file.
        blobs, blob_bytes: images and the like that are no text.
        cut_records, cut_bytes: records with texts too long to hold, and how much of them is missing.
        inherited: events of a parent.
        unknown: types of newer writers, with how many events.
        problems: by code.
    """

    records: int = 0
    events: int = 0
    bytes_read: int = 0
    blobs: int = 0
    blob_bytes: int = 0
    cut_records: int = 0
    cut_bytes: int = 0
    inherited: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    problems: dict[str, Problem] = field(default_factory=dict)

    def problem(self, code: str, path: Path, message: str, *, count: int = 1, hint: str = "") -> None:
        """Adds to the problem of that code; the first message stays."""
        before = self.problems.get(code)
        if before is not None:
            message, hint, count = before.message, before.hint, before.count + count
        self.problems[code] = Problem(code, path, message, count, hint)


class Reading:
    """The events of one log. ``tally`` grows with them; ``cursor`` is right when the last event was taken."""

    def __init__(self, events: Iterator[Event], tally: Tally, cursor: Callable[[], Cursor]) -> None:
        self._events = events
        self._cursor = cursor
        self.tally = tally

    def __iter__(self) -> Iterator[Event]:
        return self._events

    @property
    def cursor(self) -> Cursor:
        """The place to go on from."""
        return self._cursor()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read so far, in the order found."""
        return tuple(self.tally.problems.values())


class Reader(Protocol):
    """What each module of ``readers`` offers.

    Attributes:
        NAME: of the format.
        APPENDS: a file only grows, so that a reading may go on at a cursor; else it always starts anew.
    """

    NAME: str
    APPENDS: bool

    def discover(self, root: Path, *, headers: bool = False) -> Iterator[SessionFile | Problem]:
        """The sessions below ``root`` by the names of files; with ``headers`` also what their first lines say."""

    def read(self, path: Path, at: Cursor = START, *, part: str = "", limits: Limits = LIMITS) -> Reading:
        """The events behind ``at``."""
