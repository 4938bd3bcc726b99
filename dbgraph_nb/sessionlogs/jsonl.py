"""What the readers of simple logs share: one JSON object a line, numbered by its place.

In: a log, a cursor. Out: a reading. Never: a rule of one format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypedDict

from dbgraph_nb.sessionlogs.events import Event, Other, SessionHeader
from dbgraph_nb.sessionlogs.lines import Lines
from dbgraph_nb.sessionlogs.reading import Cursor, Limits, Reading, SessionFile, Tally
from dbgraph_nb.sessionlogs.records import Record, opened, records

_MOST_TYPES: Final = 200


class Envelope(TypedDict):
    """What the events of a line have in common."""

    seq: int
    time: int | None
    turn: int | None
    cut: int
    session: str


def described(file: SessionFile, read: Callable[[Path], Reading]) -> SessionFile:
    """``file`` with what the header of its log says."""
    header = next((event for event in read(file.path) if isinstance(event, SessionHeader)), None)
    if header is None:
        return file
    return replace(
        file,
        project=header.cwd or file.project,
        parent=header.parent or file.parent,
        subagent=header.subagent or file.subagent,
        created=header.created,
    )


class JsonLines(ABC):
    """A log while it is read; a format says what a line means."""

    def __init__(self, path: Path, at: Cursor, limits: Limits) -> None:
        self.path, self.at, self.tally = path, at, Tally()
        self.turn = at.turn
        self._limits = limits
        self._lines: Lines | None = None
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Sets what the format must remember, from ``at`` where it goes on."""

    @abstractmethod
    def meaning(self, record: Record, seq: int) -> Iterator[Event]:
        """The events that a line says."""

    def seen(self) -> tuple[str, ...]:
        """What the format must know to go on."""
        return ()

    def reading(self) -> Reading:
        """The log as a reader gives it."""
        return Reading(self._events(), self.tally, self._cursor)

    def other(self, kind: str, *, known: bool, envelope: Envelope) -> Other:
        """An event without words, counted if its type is not known."""
        unknown = self.tally.unknown
        if not known:
            name = kind if kind in unknown or len(unknown) < _MOST_TYPES else "..."
            unknown[name] = unknown.get(name, 0) + 1
        return Other(type=kind, known=known, **envelope)

    def _events(self) -> Iterator[Event]:
        with opened(self.path, self.tally) as file:
            if file is None:
                return
            self._lines = Lines(self.path, file, self.at, self._limits, self.tally)
            for record in records(self._lines, self.path, self.tally):
                if record.data:
                    self.tally.events += 1
                    yield from self.meaning(record, self._count() - 1)

    def _count(self) -> int:
        return self.at.records + self.tally.records

    def _cursor(self) -> Cursor:
        if self._lines is None:
            return self.at
        lines, count = self._lines, self._count()
        return Cursor(lines.offset, lines.skip, lines.check, count, count - 1, self.turn, seen=self.seen())
