"""A conversation: what a person reads of a session, after all that was replaced and taken back.

In: the events of one log. Out: messages, calls and results in the order of reading, and how many of each. Never: an
inherited event as the session's own, a withdrawn text that is forgotten: it was said, and is marked.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from dbgraph_nb.sessionlogs.events import (
    OPERATOR_KINDS,
    Event,
    Message,
    Other,
    Role,
    SessionHeader,
    Titled,
    ToolCall,
    ToolResult,
    Withdrawn,
)
from dbgraph_nb.sessionlogs.surface import Node, Surface

Said = Message | ToolCall | ToolResult
_BEFORE = Node(-1, 0, -1)  # what a call without a message before it belongs to


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of the conversation. ``withdrawn``: models do not see it any more."""

    event: Said
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much there is.

    Attributes:
        events: of the session itself.
        messages, chars: messages, and the characters of their texts.
        tool_events: calls and results.
        withdrawn: messages that are not seen by models any more.
        other: events without words of the conversation.
        inherited: events of the parent; they are in none of the other numbers.
        unplaced: replacements of what was not there; they took nothing away.
        cut: bytes of texts that were too long to hold.
        unknown: types of newer writers, with their number.
    """

    events: int = 0
    messages: int = 0
    chars: int = 0
    tool_events: int = 0
    withdrawn: int = 0
    other: int = 0
    inherited: int = 0
    unplaced: int = 0
    cut: int = 0
    unknown: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session as it is read. ``items`` holds withdrawn ones too, each where it stood."""

    header: SessionHeader | None
    title: Titled | None
    items: tuple[Item, ...]
    coverage: Coverage


@dataclass(slots=True)
class _Folding:
    surface: Surface = field(default_factory=Surface)
    said: list[tuple[Node, Said]] = field(default_factory=list)
    asks: set[Node] = field(default_factory=set)
    gone: set[Node] = field(default_factory=set)
    last: Node = _BEFORE
    unplaced: int = 0

    def add(self, event: Said) -> None:
        """Puts a message or a result on the surface; a call belongs to the node before it."""
        if isinstance(event, ToolCall) or (isinstance(event, ToolResult) and not event.surface):
            self.said.append((self.last, event))
            return
        if event.replaces is None:
            self.last = self.surface.append(event.seq, event.part)
        else:
            self.last, replaced = self.surface.replace(event.replaces, event.seq, event.part)
            self.unplaced += replaced is None and not event.inherited
            self.gone.update(replaced or ())
        if isinstance(event, Message) and event.role == "user":
            self.asks.add(self.last)
        self.said.append((self.last, event))

    def take_back(self, turns: int) -> None:
        """Takes back the last asks and what came after them."""
        asks = [node for node in reversed(self.surface) if node in self.asks]
        if turns > 0 and asks:
            self.gone.update(self.surface.take_back(asks[min(turns, len(asks)) - 1]))


def fold(events: Iterable[Event]) -> Conversation:
    """The conversation that the events of one log make, in the order they are read in."""
    header: SessionHeader | None = None
    title: Titled | None = None
    folding, counting = _Folding(), _Counting()
    for event in events:
        counting.count(event)
        if isinstance(event, SessionHeader):
            header = header or event
        elif isinstance(event, Titled):
            title = better_title(title, event)
        elif isinstance(event, Withdrawn):
            folding.take_back(event.turns)
        elif isinstance(event, Message | ToolCall | ToolResult):
            folding.add(event)
    items = tuple(
        Item(event, node in folding.gone)
        for node, event in sorted(folding.said, key=lambda pair: (pair[0].label, pair[1].seq, pair[1].part))
        if not event.inherited
    )
    return Conversation(header, title, items, counting.result(items, folding.unplaced))


def better_title(before: Titled | None, given: Titled) -> Titled | None:
    """The last title that is not empty; a summary only where there is nothing else."""
    if not given.title or (given.by == "summary" and before is not None and before.by != "summary"):
        return before
    return given


def is_operator(message: Message) -> bool:
    """Whether a human typed it; in a subagent's session, whether the one that delegated did."""
    return message.role == "user" and message.kind in OPERATOR_KINDS


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message without its place in a log, so that copies and generations of a log compare equal."""

    role: Role
    kind: str
    text: str
    reasoning: str


def spoken(
    conversation: Conversation, *, roles: Container[str] = ("user", "assistant"), withdrawn: bool = False
) -> Iterator[Spoken]:
    """The messages of these roles in order, without empty ones."""
    for item in conversation.items:
        event = item.event
        if not isinstance(event, Message) or event.role not in roles or (item.withdrawn and not withdrawn):
            continue
        if event.text or event.reasoning:
            yield Spoken(event.role, event.kind, event.text, event.reasoning)


@dataclass(slots=True)
class _Counting:
    events: int = 0
    other: int = 0
    inherited: int = 0
    cut: int = 0
    unknown: dict[str, int] = field(default_factory=dict)

    def count(self, event: Event) -> None:
        number = event.count if isinstance(event, Other) else int(event.part % 1000 == 0)
        if isinstance(event, SessionHeader):
            return
        if event.inherited:
            self.inherited += number
            return
        self.events += number
        self.cut += event.cut * (event.part % 1000 == 0)
        if not isinstance(event, Message | ToolCall | ToolResult):
            self.other += number
        if isinstance(event, Other) and not event.known:
            self.unknown[event.type] = self.unknown.get(event.type, 0) + number

    def result(self, items: tuple[Item, ...], unplaced: int) -> Coverage:
        messages = [item for item in items if isinstance(item.event, Message)]
        return Coverage(
            events=self.events,
            messages=len(messages),
            chars=sum(len(item.event.text) for item in messages if isinstance(item.event, Message)),
            tool_events=len(items) - len(messages),
            withdrawn=sum(item.withdrawn for item in messages),
            other=self.other,
            inherited=self.inherited,
            unplaced=unplaced,
            cut=self.cut,
            unknown=tuple(sorted(self.unknown.items())),
        )
