"""The fold: what is left to read after replacements and withdrawals, in the order of the surface."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from bench.session_corpus import write
from sessionlogs import made_logs as made
from sessionlogs import oracle

from dbgraph_nb.sessionlogs.conversation import Conversation, fold, is_operator, spoken
from dbgraph_nb.sessionlogs.events import (
    Event,
    Message,
    Other,
    Role,
    SessionHeader,
    Span,
    Titled,
    ToolCall,
    ToolResult,
    Withdrawn,
)
from dbgraph_nb.sessionlogs.readers import dsh
from dbgraph_nb.sessionlogs.reading import Problem
from dbgraph_nb.sessionlogs.surface import Node, Surface

LAST = 10**12


def said(seq: int, replaces: Span | None = None, role: Role = "user", **more: object) -> Message:
    return Message(seq=seq, role=role, kind="user", text=str(seq), replaces=replaces, **more)  # type: ignore[arg-type]


def read(conversation: Conversation) -> list[str]:
    return [one.text for one in spoken(conversation)]


def test_twins_of_every_generation_fold_to_the_same(tmp_path: Path) -> None:
    found = []
    for generation in range(5):
        log = made.dsh_log(tmp_path / str(generation), made.dsh_records(made.STORY, generation), generation=generation)
        conversation = fold(dsh.read(log))
        items = [
            (item.withdrawn, type(item.event), getattr(item.event, "text", ""), getattr(item.event, "arguments", ""))
            for item in conversation.items
            if getattr(item.event, "kind", "") != "system-prompt"
        ]
        coverage = conversation.coverage
        found.append((items, coverage.withdrawn, coverage.tool_events, coverage.unknown, coverage.unplaced))
    assert all(one == found[0] for one in found)
    assert found[0][1:] == (3, 8, (("future/event", 1),), 0)


def test_a_replacement_that_comes_late_withdraws_what_it_stands_for() -> None:
    found = fold([said(0), said(1), said(2), said(3, Span(0, 1))])
    assert read(found) == ["3", "2"]
    assert [(item.event.seq, item.withdrawn) for item in found.items] == [(0, True), (1, True), (3, False), (2, False)]
    assert (found.coverage.messages, found.coverage.withdrawn) == (4, 2)


def test_withdrawn_asks_still_count() -> None:
    found = fold([said(0), said(1, Span(0, 0), role="harness")])
    assert [item.event.seq for item in found.items if isinstance(item.event, Message) and is_operator(item.event)] == [
        0
    ]


def test_a_range_is_a_run_of_the_surface_and_not_of_numbers() -> None:
    """4 stands where 0 and 1 were, so the run from 4 to 2 holds these two; 3 is behind it."""
    found = fold([said(0), said(1), said(2), said(3), said(4, Span(0, 1)), said(5, Span(4, 2))])
    assert read(found) == ["5", "3"]
    assert found.coverage.withdrawn == 4


def test_what_lies_between_in_numbers_but_not_on_the_surface_stays() -> None:
    """The numbers from 1 to 5 include 4, which stands before them."""
    events = [said(0), said(1), said(2), said(4, Span(0, 0)), said(5), said(6, Span(1, 5))]
    assert read(fold(events)) == ["4", "6"]


@pytest.mark.parametrize("span", [Span(0, LAST), Span(LAST, 0), Span(1, 0), Span(-1, -1), Span(7, 7), Span(None, 9)])
def test_a_replacement_of_what_is_not_there_takes_nothing_away(span: Span) -> None:
    started = time.perf_counter()
    found = fold([said(0), said(1), said(2, span)])
    assert read(found) == ["0", "1", "2"]
    assert (found.coverage.unplaced, found.coverage.withdrawn) == (1, 0)
    assert time.perf_counter() - started < 0.5


def test_what_is_gone_cannot_be_replaced_again() -> None:
    found = fold([said(0), said(1), said(2, Span(0, 0)), said(3, Span(0, 1))])
    assert read(found) == ["2", "1", "3"]
    assert found.coverage.unplaced == 1


def test_an_open_range_is_everything_so_far_and_nothing_at_the_start() -> None:
    assert read(fold([said(0, Span(None, None)), said(1), said(2, Span(None, None))])) == ["2"]
    assert fold([said(0, Span(None, None))]).coverage.unplaced == 0


def test_results_are_nodes_and_withdrawn_numbers_count_messages_only() -> None:
    call = ToolCall(seq=2, call_id="c", name="sql", arguments="{}")
    result = ToolResult(seq=3, call_id="c", text="r")
    events = [said(0), said(1, role="assistant"), call, result, said(4, Span(0, 3))]
    found = fold(events)
    assert [item.withdrawn for item in found.items] == [True, True, True, True, False]
    assert (found.coverage.withdrawn, found.coverage.tool_events) == (2, 2)


def test_calls_stand_behind_the_message_that_made_them() -> None:
    events = [
        said(0),
        said(1, role="assistant"),
        ToolCall(seq=2, call_id="c", name="sql"),
        ToolCall(seq=3, call_id="d", name="x", parent="c"),
        ToolResult(seq=3, part=1, call_id="d", surface=False),
        ToolResult(seq=4, call_id="c"),
        said(5, Span(0, 0)),
    ]
    assert [item.event.seq for item in fold(events).items] == [0, 5, 1, 2, 3, 3, 4]


def test_taking_back_turns() -> None:
    events: list[Event] = [said(0), said(1, role="assistant"), said(2), said(3, role="assistant"), said(4)]
    assert read(fold([*events, Withdrawn(seq=5, turns=2), said(6)])) == ["0", "1", "6"]
    assert read(fold([*events, Withdrawn(seq=5, turns=99)])) == []
    assert read(fold([*events, Withdrawn(seq=5, turns=0)])) == ["0", "1", "2", "3", "4"]
    assert read(fold([Withdrawn(seq=5, turns=3)])) == []


def test_inherited_events_are_counted_apart() -> None:
    found = fold([said(0, inherited=True), Other(seq=1, type="x", known=False, inherited=True), said(2)])
    assert read(found) == ["2"]
    assert (found.coverage.events, found.coverage.messages, found.coverage.inherited) == (1, 1, 2)
    assert found.coverage.unknown == ()


def test_coverage() -> None:
    found = fold(
        [
            SessionHeader(seq=-1, id="s", format="dsh"),
            said(0),
            Other(seq=1, type="text-chunks", count=7),
            Other(seq=8, type="new", known=False),
            Titled(seq=9, title="t"),
            ToolCall(seq=10, call_id="c", name="n"),
            said(11, cut=5),
        ]
    )
    coverage = found.coverage
    assert (coverage.events, coverage.messages, coverage.chars, coverage.other) == (12, 2, 3, 9)
    assert (coverage.tool_events, coverage.cut, coverage.unknown) == (1, 5, (("new", 1),))


def test_titles() -> None:
    def title(*given: tuple[str, str]) -> str:
        found = fold(Titled(seq=seq, title=text, by=by) for seq, (text, by) in enumerate(given)).title
        return found.title if found else ""

    assert title(("a", "fallback"), ("b", "user"), ("", "user")) == "b"
    assert title(("a", "summary"), ("b", "provider"), ("c", "summary")) == "b"
    assert title(("a", "summary"), ("c", "summary")) == "c"
    assert title() == ""


def test_the_surface_is_a_plain_list() -> None:
    """Against the obvious twin: a list that is searched and cut."""
    draw = random.Random(9)
    for _ in range(60):
        surface, plain = Surface(), list[int]()
        for seq in range(80):
            if draw.random() < 0.7 or not plain:
                surface.append(seq)
                plain.append(seq)
            elif draw.random() < 0.1:
                at = draw.randrange(len(plain))
                surface.take_back(next(node for node in surface if node.seq == plain[at]))
                del plain[at:]
            else:
                start, end = draw.randrange(seq), draw.randrange(seq)
                valid = start in plain and end in plain and plain.index(start) <= plain.index(end)
                _, gone = surface.replace(Span(start, end), seq)
                assert (gone is not None) == valid
                if valid:
                    first, last = plain.index(start), plain.index(end) + 1
                    assert [node.seq for node in gone or ()] == plain[first:last]
                    plain[first:last] = [seq]
                else:
                    plain.append(seq)
            assert [node.seq for node in surface] == plain
            assert [node.seq for node in reversed(surface)] == plain[::-1]
        again = Surface(surface)
        assert list(again) == list(surface)
        assert all(before.label < after.label for before, after in pairwise(again))
        assert again.append(80).label > max((node.label for node in surface), default=-1)


def test_a_surface_made_anew_goes_on() -> None:
    surface = Surface([Node(5, 0, 3), Node(2, 0, 1)])
    node, gone = surface.replace(Span(2, 5), 9)
    assert [one.seq for one in gone or ()] == [2, 5]
    assert list(surface) == [node]


def test_a_long_session_with_many_replacements_folds_in_time() -> None:
    def events() -> Iterator[Event]:
        for seq in range(0, 60_000, 2):
            yield said(seq)
            yield said(seq + 1, Span(seq, seq)) if seq % 4 else said(seq + 1, Span(seq, LAST))

    started = time.perf_counter()
    found = fold(events())
    assert (found.coverage.withdrawn, found.coverage.unplaced) == (15_000, 15_000)
    assert time.perf_counter() - started < 5


def test_every_row_of_the_slow_answer_is_an_event_and_nothing_more(tmp_path: Path) -> None:
    """Every searchable text of a made corpus with its number, as decoded without any code of the package."""
    corpus = write(tmp_path, 0.02)
    expected = set(oracle.Oracle(corpus.folder).rows)
    found = []
    for file in dsh.discover(corpus.folder):
        assert not isinstance(file, Problem)
        reading = dsh.read(file.path)
        for event in reading:
            if event.inherited:
                continue
            if isinstance(event, Message):
                found += [oracle.Row(file.id, "text", event.seq, event.text)] * bool(event.text)
                found += [oracle.Row(file.id, "reasoning", event.seq, event.reasoning)] * bool(event.reasoning)
            elif isinstance(event, ToolCall):
                found.append(oracle.Row(file.id, "tool-call", event.seq, event.arguments))
            elif isinstance(event, ToolResult):
                found.append(oracle.Row(file.id, "tool-result", event.seq, event.text))
        assert reading.problems == ()
        assert reading.cursor.offset == file.size
    assert len(found) == corpus.rows
    assert set(found) == expected
