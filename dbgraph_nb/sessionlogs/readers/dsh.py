"""Logs of DeepSeek Harness (DSH), generations 0 to 4: plain, or packed in many small zstd frames.

In: a log, a cursor. Out: its events, numbered as the log numbers them. Never: a parent's event as the session's own, a
record that is left out for its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from dbgraph_nb.sessionlogs.blocks import count_blobs
from dbgraph_nb.sessionlogs.events import Event, Other, SessionHeader
from dbgraph_nb.sessionlogs.lines import Lines
from dbgraph_nb.sessionlogs.readers.dsh_files import NAME, decoded_id, described, discover, is_subagent
from dbgraph_nb.sessionlogs.readers.dsh_meaning import PACKED, Envelope, meaning, packed_count
from dbgraph_nb.sessionlogs.reading import LIMITS, START, Cursor, Limits, Reading, Tally
from dbgraph_nb.sessionlogs.records import Record, as_dict, as_number, as_text, opened, parsed, records

__all__ = ["APPENDS", "NAME", "described", "discover", "read"]

APPENDS: Final = True
_REPEATED = "Events of the log have numbers that were there before."
_NO_HEADER = "The log does not start with its header."
_SEED_MOVED = "The log says anew which of its events are its parent's."
_PARTS: Final = 1000  # a repeated number is told apart by its part
_MOST_TYPES: Final = 200


def read(path: Path, at: Cursor = START, *, part: str = "", limits: Limits = LIMITS) -> Reading:
    """The events of one log behind ``at``; from its start, the header first."""
    log = _Log(path, at, limits)
    return Reading(log.events(), log.tally, log.cursor)


class _Log:
    def __init__(self, path: Path, at: Cursor, limits: Limits) -> None:
        self._path, self._limits = path, limits
        self._at = self._now = at
        self._lines: Lines | None = None
        self._seq, self._turn, self._cut = at.seq, at.turn, at.cut
        self._repeats = 0
        self._numbered = at.seq >= 0
        self.tally = Tally()

    def cursor(self) -> Cursor:
        lines = self._lines
        if lines is None:
            return self._at
        place = lines.offset, lines.skip, lines.check
        return Cursor(*place, self._at.records + self.tally.records, self._seq, self._turn, self._cut)

    def events(self) -> Iterator[Event]:
        with opened(self._path, self.tally) as file:
            if file is None:
                return
            self._lines = Lines(self._path, file, self._at, self._limits, self.tally)
            found = records(self._lines, self._path, self.tally)
            if self._at.records == 0:
                yield from self._start(next(found, None))
            for record in found:
                yield from self._event(record)

    def _start(self, first: Record | None) -> Iterator[Event]:
        """The header; in a log without one, what the name of its folder says."""
        if first is None:
            return
        header = first.data
        is_header = header.get("type") == "session"
        if not is_header:
            self.tally.problem("no-header", self._path, _NO_HEADER)
            header = {}
        self._cut = _inherited(header, self._path, self._limits, self.tally)
        yield _header(header, self._path)
        if not is_header:
            yield from self._event(first)

    def _event(self, record: Record) -> Iterator[Event]:
        data = record.data
        if not data:
            self._seq += not self._numbered
            return
        kind, inside = as_text(data.get("type")), as_dict(data.get("data"))
        count = packed_count(inside) if kind in PACKED else 1
        seq, again = self._number(data, count)
        if kind in ("turn/start", "turn/end"):
            self._turn = as_number(inside.get("turn")) if kind == "turn/start" else None
        inherited = seq < self._cut
        self.tally.events += count
        self.tally.inherited += count * inherited
        if kind == "session/end-seed" and inside.get("inherited") is True and not inherited:
            self.tally.problem("log-changed", self._path, _SEED_MOVED, hint="Read it from its start.")
        count_blobs(as_dict(inside.get("message")).get("content", inside.get("content")), self.tally)
        time = as_number(data.get("time", data.get("time0")))
        envelope = Envelope(seq=seq, time=time, turn=self._turn, inherited=inherited, cut=record.cut)
        for event in meaning(data, envelope):
            if isinstance(event, Other) and not event.known:
                self._count_unknown(event.type)
            yield replace(event, part=event.part + _PARTS * again) if again else event

    def _number(self, data: dict[str, Any], count: int) -> tuple[int, int]:
        """The number of an event, or of the first of a packed row.

        And 0, or where the number was there before, how many such ones there are so far.
        """
        given = as_number(data.get("seq", data.get("seq0")))
        self._numbered = given is not None and given >= 0
        seq = given if given is not None and given >= 0 else self._seq + 1
        again = 0
        if seq <= self._seq:
            self._repeats += 1
            again = self._repeats
            self.tally.problem("seq-repeated", self._path, _REPEATED)
        self._seq = max(self._seq, seq + count - 1)
        return seq, again

    def _count_unknown(self, kind: str) -> None:
        unknown = self.tally.unknown
        name = kind if kind in unknown or len(unknown) < _MOST_TYPES else "..."
        unknown[name] = unknown.get(name, 0) + 1


def _header(header: dict[str, Any], path: Path) -> SessionHeader:
    return SessionHeader(
        seq=-1,
        id=as_text(header.get("id")) or decoded_id(path.parent.name),
        format=NAME,
        version=as_number(header.get("version")),
        created=as_number(header.get("createdAt")),
        cwd=as_text(header.get("cwd")),
        parent=as_text(header.get("parentSession")),
        subagent=is_subagent(header),
        depth=as_number(header.get("delegationDepth")) or 0,
        preset=as_text(header.get("agentPreset")),
        seeded=bool(header.get("isSeeded") or as_number(header.get("seedLength"))),
        time=as_number(header.get("createdAt")),
    )


def _inherited(header: dict[str, Any], path: Path, limits: Limits, tally: Tally) -> int:
    """How many of the first events are a parent's: the header says it, since generation 3 the last end of a seed."""
    length = as_number(header.get("seedLength"))
    if length is not None and "isSeeded" not in header:
        return max(length, 0)
    if not header.get("isSeeded", bool(header.get("parentSession"))):
        return 0
    own = Tally()
    cut, place = 0, -1
    with opened(path, own) as file:
        if file is None:
            return 0
        for line in Lines(path, file, START, limits, own):
            place += bool(line.data is None or line.data.strip())
            if line.data and b"session/end-seed" in line.data:
                cut = _end_of_seed(parsed(line, path, own), place - 1) or cut
    tally.bytes_read += own.bytes_read
    return cut


def _end_of_seed(found: dict[str, Any], place: int) -> int:
    """The number behind the event, if it ends a seed, else 0."""
    if found.get("type") != "session/end-seed" or as_dict(found.get("data")).get("inherited") is not True:
        return 0
    seq = as_number(found.get("seq"))
    return (place if seq is None else seq) + 1
