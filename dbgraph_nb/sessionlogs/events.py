"""What a line of a log means, in one model for all formats.

In: what a reader found. Out: frozen values. Never: a lone surrogate in a text, a number of an event twice in a log.

An event of a log is known by (session, seq, part) for ever: logs only grow. ``seq`` is the number that the log gives,
or its place. One record may say several things (a message and its calls); they share ``seq`` and differ in ``part``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant", "harness"]

OPERATOR_KINDS = frozenset({"user", "code", "markdown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have.

    Attributes:
        seq: its number in the log.
        part: its number among the events of the same record.
        time: milliseconds since 1970, as the log says (it may step backwards), or None.
        turn: the turn it belongs to, or None.
        inherited: replayed from a parent's log; it is the parent's, and the child only starts from it.
        cut: bytes of the record's texts that were too long to hold.
        session: the session that the record names, where it is not the log's own.
    """

    seq: int
    part: int = 0
    time: int | None = None
    turn: int | None = None
    inherited: bool = False
    cut: int = 0
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader(Event):
    """Which session it is.

    Attributes:
        id: the session.
        format: the name of the reader.
        version: the generation of the log, or None where the format has none.
        created: milliseconds since 1970, or None.
        cwd: the folder it was started in, or "".
        parent: the session it was forked from, or that delegated it, or "".
        subagent: another session delegated it, so that its first "user" is a model.
        depth: how many delegations lie above it.
        preset: the kind of agent, or "".
        seeded: it starts with events of its parent.
    """

    id: str
    format: str
    version: int | None = None
    created: int | None = None
    cwd: str = ""
    parent: str = ""
    subagent: bool = False
    depth: int = 0
    preset: str = ""
    seeded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Titled(Event):
    """The session got a title.

    Attributes:
        title: the text.
        by: who gave it: ``user`` (a rename), ``provider`` (a model), ``fallback``, ``summary`` or "".
        source: all that the log says of its origin, as JSON.
        seqs: the messages it was made from.
    """

    title: str
    by: str = ""
    source: str = ""
    seqs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A run of the surface, both ends included; None is its first, or its last, node.

    The run is what lies between the two nodes in the order of the surface, not the numbers between them.
    """

    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Event):
    """Something was said.

    Attributes:
        role: ``user`` (a human, or who delegates), ``assistant``, or ``harness`` (all that a program put in).
        kind: what made it: ``user``, ``model``, ``code``, ``markdown``, ``system-prompt``, ``compact-checkpoint`` ...
        text: what can be read.
        reasoning: what the model thought.
        id: the log's own name of it, the same in every copy, or "".
        model: which model said it, or "".
        interrupted: it was stopped.
        replaces: what it takes the place of, or None.
    """

    role: Role
    kind: str
    text: str = ""
    reasoning: str = ""
    id: str = ""
    model: str = ""
    interrupted: bool = False
    replaces: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Event):
    """A tool was asked for. ``parent`` is the call inside of which it was made, or ""."""

    call_id: str
    name: str
    arguments: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """What a tool gave back. ``surface`` tells whether models see it as a part of the conversation."""

    call_id: str
    text: str = ""
    error: bool = False
    error_name: str = ""
    surface: bool = True
    replaces: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn(Event):
    """The last ``turns`` asks were taken back, with all that came after them, and nothing took their place."""

    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Event):
    """Events without words of the conversation. ``known`` is False for a type of a newer writer; ``count`` of them."""

    type: str
    known: bool = True
    count: int = 1
