"""DSH logs of every generation: what each event means, whatever the generation calls it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sessionlogs import made_logs as made
from sessionlogs.made_logs import Answer, Ask, Call, Context, Event, Step, Title

from dbgraph_nb.sessionlogs.conversation import fold, spoken
from dbgraph_nb.sessionlogs.events import Event as AnyEvent
from dbgraph_nb.sessionlogs.events import Message, Other, SessionHeader, Span, Titled, ToolCall, ToolResult
from dbgraph_nb.sessionlogs.readers import dsh
from dbgraph_nb.sessionlogs.reading import START, Reading

GENERATIONS = (0, 1, 2, 3, 4)
SUFFIXES = (".jsonl", ".jsonl.zstd")


def taken(path: Path) -> tuple[list[AnyEvent], Reading]:
    reading = dsh.read(path)
    return list(reading), reading


def written(tmp_path: Path, *events: dict[str, Any], header: dict[str, Any] | None = None) -> list[AnyEvent]:
    """The events of a small plain log, without its header."""
    head = {"type": "session", "version": 4, "id": "s", **(header or {})}
    log = made.dsh_log(tmp_path, [head, *events], suffix=".jsonl")
    found, reading = taken(log)
    assert reading.problems == ()
    return found[1:]


def story(tmp_path: Path, generation: int, suffix: str = ".jsonl.zstd", steps: Sequence[Step] = made.STORY) -> Path:
    return made.dsh_log(tmp_path, made.dsh_records(steps, generation), generation=generation, suffix=suffix)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_generation_tells_the_same_story(tmp_path: Path, generation: int, suffix: str) -> None:
    events, reading = taken(story(tmp_path, generation, suffix))
    assert reading.problems == ()
    twin = fold(dsh.read(story(tmp_path / "twin", 4)))
    found = fold(events)
    assert list(spoken(found)) == list(spoken(twin))
    assert [one.text for one in spoken(found)] == [
        "And how many were returned?",
        "There is no table of returns. 没有退货表。",
        "Thank you.",
        "You are welcome. 😀",
    ]
    harness = [one for one in spoken(found, roles=("harness",)) if one.kind != "system-prompt"]
    assert [one.kind for one in harness] == ["runtime-context", "compact-checkpoint"]
    assert found.title is not None
    assert (found.title.title, found.title.by) == ("Orders and returns", "user")
    withdrawn = [item.event for item in found.items if item.withdrawn and isinstance(item.event, Message)]
    assert [event.text for event in withdrawn] == [
        "How many orders came in March? 三月有多少订单？",
        "I count the orders.",
        "1,204 orders came in March.",
    ]
    assert found.coverage.withdrawn == 3


@pytest.mark.parametrize("generation", GENERATIONS)
def test_calls_and_results_find_each_other_in_every_generation(tmp_path: Path, generation: int) -> None:
    events, _ = taken(story(tmp_path, generation))
    calls = {event.call_id: event for event in events if isinstance(event, ToolCall)}
    results = {event.call_id: event for event in events if isinstance(event, ToolResult)}
    assert list(calls) == ["call-1", "call-2", "call-2-0", "call-3"]
    assert set(calls) == set(results)
    assert [(result.text, result.error) for _, result in sorted(results.items())] == [
        ("count\n1204", False),
        ("done", False),
        ("no such table: returns", True),
        ("no such table: returns", True),
    ]
    assert calls["call-2-0"].parent == "call-2"
    assert not results["call-2-0"].surface
    assert calls["call-1"].arguments == '{"query": "SELECT count(*) FROM orders"}'


@pytest.mark.parametrize("generation", GENERATIONS)
def test_numbers_are_those_of_the_log_and_deltas_are_no_texts(tmp_path: Path, generation: int) -> None:
    records = made.dsh_records(made.STORY, generation)
    events, reading = taken(made.dsh_log(tmp_path, records, generation=generation))
    given = {record["seq"] for record in records[1:] if "seq" in record}
    assert {event.seq for event in events if isinstance(event, Message | ToolResult)} <= given
    assert reading.tally.events == reading.cursor.seq + 1
    texts = [event.text for event in events if isinstance(event, Message)]
    assert sum("1,204 orders came" in text for text in texts) == 1
    assert sum("How many orders" in text for text in texts) == 1, "queued input is the same message"
    assert len({(event.seq, event.part) for event in events}) == len(events)


def test_a_packed_row_counts_as_many_events_as_it_holds(tmp_path: Path) -> None:
    events, reading = taken(story(tmp_path, 1, steps=(Ask("a"), Answer("x" * 70))))
    row = next(event for event in events if isinstance(event, Other) and event.type == "text-chunks")
    message = next(event for event in events if isinstance(event, Message) and event.role == "assistant")
    assert row.count == 10
    assert message.seq == row.seq + 10
    assert reading.tally.events == message.seq + 1


def test_a_log_that_ends_with_a_packed_row_goes_on_behind_it(tmp_path: Path) -> None:
    row = {"type": "text-chunks", "seq0": 4, "time0": 9, "data": {"turn": 1, "texts": ["a", "b", "c"], "dt": [1, 2, 3]}}
    log = made.dsh_log(tmp_path, [{"type": "session", "id": "s"}, row], suffix=".jsonl")
    events, reading = taken(log)
    assert (events[1].seq, events[1].time, reading.cursor.seq, reading.tally.events) == (4, 9, 6, 3)


def test_the_header_is_read_at_the_top_level(tmp_path: Path) -> None:
    records = made.dsh_records(
        (), 4, id="session-h", parentSession="session-p", origin="subagent", delegationDepth=2, agentPreset="worker"
    )
    header, *_ = taken(made.dsh_log(tmp_path, records))[0]
    assert header == SessionHeader(
        seq=-1, time=made.START, id="session-h", format="dsh", version=4, created=made.START, cwd="/data/shop",
        parent="session-p", subagent=True, depth=2, preset="worker", seeded=False,
    )  # fmt: skip


def test_a_fork_has_a_parent_and_is_no_subagent(tmp_path: Path) -> None:
    header = taken(made.dsh_log(tmp_path, made.dsh_records((), 4, parentSession="session-p")))[0][0]
    assert isinstance(header, SessionHeader)
    assert (header.parent, header.subagent) == ("session-p", False)


def test_a_session_that_was_only_created_is_its_header(tmp_path: Path) -> None:
    for generation in GENERATIONS:
        path = made.dsh_log(tmp_path, made.dsh_records((), generation)[:1], generation=generation)
        events, reading = taken(path)
        assert [type(event) for event in events] == [SessionHeader]
        assert reading.problems == ()


def test_unknown_events_are_kept_and_counted(tmp_path: Path) -> None:
    events, reading = taken(story(tmp_path, 4, steps=(Event("a/new"), Event("a/new"), Event("turn/end"), Ask("x"))))
    kept = [event for event in events if isinstance(event, Other) and not event.known]
    assert [event.type for event in kept] == ["a/new", "a/new"]
    assert reading.tally.unknown == {"a/new": 2}
    assert [event.text for event in events if isinstance(event, Message)][-1] == "x"


@pytest.mark.parametrize("version", [1, 2, 3, 99, "x"])
def test_no_version_of_a_descriptor_stops_a_log(tmp_path: Path, version: object) -> None:
    descriptor = Event("subagent/descriptor", {"version": version, "mode": None})
    events, reading = taken(story(tmp_path, 4, steps=(descriptor, Ask("after"))))
    assert reading.problems == ()
    assert [event.text for event in events if isinstance(event, Message)][-1] == "after"


def message(seq: int, text: str, kind: str = "user/message", **more: object) -> dict[str, Any]:
    content = {"content": [{"type": "text", "text": text}], "source": {"kind": "user"}}
    data = content if kind == "user/message" else {"message": content}
    return {"type": kind, "seq": seq, "time": 5, "data": data, **more}


@pytest.mark.parametrize("spelling", [("start", "end"), ("startSeq", "endSeq")])
def test_both_spellings_of_a_replacement(tmp_path: Path, spelling: tuple[str, str]) -> None:
    op = {"op": "replace", spelling[0]: 0, spelling[1]: 1}
    events = written(tmp_path, message(0, "a"), message(1, "b"), message(2, "c", surfaceOp=op))
    assert isinstance(events[2], Message)
    assert events[2].replaces == Span(0, 1)
    assert [item.withdrawn for item in fold(events).items] == [True, True, False]
    assert [one.text for one in spoken(fold(events))] == ["c"]


@pytest.mark.parametrize(
    "op", [None, "append", {"op": "append"}, {"op": "replace"}, {"op": "replace", "startSeq": "0", "endSeq": []}, 7, []]
)
def test_an_odd_surface_operation_takes_nothing_away(tmp_path: Path, op: object) -> None:
    found = fold(written(tmp_path, message(0, "a"), message(1, "b", surfaceOp=op)))
    assert [one.text for one in spoken(found)] == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"callId": "c"}, ("c", False)),
        ({"toolCallId": "c"}, ("c", False)),
        ({"message": {"toolCallId": "c"}}, ("c", False)),
        ({"message": {"source": {"kind": "tool", "callId": "c"}}}, ("c", False)),
        ({"callId": "a", "message": {"toolCallId": "b", "source": {"callId": "c"}}}, ("a", False)),
        ({"message": {"content": [{"type": "tool-result", "toolCallId": "c", "isError": True}]}}, ("c", True)),
        ({"callId": "c", "error": {"name": "E"}}, ("c", True)),
        ({"callId": "c", "error": None}, ("c", False)),
        ({"callId": "c", "message": {"isError": True}}, ("c", True)),
        ({"callId": "c", "message": {"isError": False}}, ("c", False)),
        ({"callId": 7}, ("", False)),
    ],
)
def test_whose_result_it_is_and_whether_it_failed(
    tmp_path: Path, data: dict[str, Any], expected: tuple[str, bool]
) -> None:
    (event,) = written(tmp_path, {"type": "tool/result", "seq": 0, "data": data})
    assert isinstance(event, ToolResult)
    assert (event.call_id, event.error) == expected


def test_texts_of_results_lie_at_either_depth_and_as_a_string(tmp_path: Path) -> None:
    deep = [{"type": "tool-result", "toolCallId": "c", "content": [{"type": "text", "text": "one"}]}]
    deeper = [{"type": "tool-result", "content": deep}]
    flat = [{"type": "text", "text": "one"}, {"type": "image", "attachment": "x"}, {"type": "text", "text": ""}]
    events = written(
        tmp_path,
        *(
            {"type": "tool/result", "seq": seq, "data": {"callId": "c", "message": {"content": content}}}
            for seq, content in enumerate((deep, deeper, flat, "one"))
        ),
    )
    assert [event.text for event in events if isinstance(event, ToolResult)] == ["one"] * 4


def test_reasoning_and_text_are_apart_and_a_string_is_text(tmp_path: Path) -> None:
    blocks = [{"type": "reasoning", "text": "think"}, {"type": "thinking", "thinking": "more"},
              {"type": "text", "text": "said"}, {"type": "tool-call", "id": "c", "arguments": "{}"}]  # fmt: skip
    events = written(
        tmp_path,
        {"type": "assistant/message", "seq": 0, "data": {"message": {"content": blocks}}},
        {"type": "assistant/message", "seq": 1, "data": {"message": {"content": "plain"}}},
    )
    assert [(event.text, event.reasoning) for event in events if isinstance(event, Message)] == [
        ("said", "think\nmore"),
        ("plain", ""),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"kind": "user"}, ("user", "user")),
        (None, ("user", "user")),
        ({"kind": "goal"}, ("harness", "goal")),
        ({"kind": "plugin", "plugin": "goal"}, ("harness", "goal")),
        ({"kind": "plugin", "plugin": "compact"}, ("harness", "compact-checkpoint")),
        ({"kind": "plugin", "plugin": "mine"}, ("harness", "plugin:mine")),
        ({"kind": "plugin:mine"}, ("harness", "plugin:mine")),
        ("user", ("user", "user")),
    ],
)
def test_only_a_human_is_a_user(tmp_path: Path, source: object, expected: tuple[str, str]) -> None:
    (event,) = written(tmp_path, {"type": "user/message", "seq": 0, "data": {"content": "x", "source": source}})
    assert isinstance(event, Message)
    assert (event.role, event.kind) == expected


def test_arguments_are_text_whether_written_as_text_or_as_an_object(tmp_path: Path) -> None:
    events = written(
        tmp_path,
        {"type": "tool/call", "seq": 0, "data": {"callId": "a", "name": "sql", "arguments": '{"q": "数"}'}},
        {"type": "tool/call", "seq": 1, "data": {"callId": "b", "name": "sql", "arguments": {"q": "数"}}},
    )
    assert [event.arguments for event in events if isinstance(event, ToolCall)] == ['{"q": "数"}', '{"q": "数"}']


def test_titles_keep_all_of_their_origin_and_the_last_one_that_is_not_empty_wins(tmp_path: Path) -> None:
    origin = {"kind": "provider", "provider": "p", "model": {"provider": "p", "model": "m"}}
    titles = [("first", {"kind": "fallback"}), ("second", origin), ("", {"kind": "user"})]
    events = written(
        tmp_path,
        *(
            {"type": "session/title", "seq": seq, "data": {"title": title, "messageSeqs": [4, "x"], "source": source}}
            for seq, (title, source) in enumerate(titles)
        ),
    )
    title = fold(events).title
    assert isinstance(title, Titled)
    assert (title.title, title.by, title.seqs, json.loads(title.source)) == ("second", "provider", (4,), origin)


def test_events_without_numbers_are_numbered_by_their_place(tmp_path: Path) -> None:
    events = written(tmp_path, *({"type": "user/message", "data": {"content": text}} for text in "abc"))
    assert [event.seq for event in events] == [0, 1, 2]
    assert [event.time for event in events] == [None] * 3


@pytest.mark.parametrize("seq", [-1, "1", True, None, 1.5e300, [1]])
def test_an_odd_number_of_an_event_is_its_place(tmp_path: Path, seq: object) -> None:
    events = written(tmp_path, message(0, "a"), {**message(0, "b"), "seq": seq})
    assert [event.seq for event in events] == [0, 1]


def test_a_repeated_number_loses_no_text_and_is_told(tmp_path: Path) -> None:
    log = made.dsh_log(tmp_path, [{"type": "session", "id": "s"}, message(0, "a"), message(1, "b"), message(1, "c")],
                       suffix=".jsonl")  # fmt: skip
    events, reading = taken(log)
    assert [event.text for event in events if isinstance(event, Message)] == ["a", "b", "c"]
    assert len({(event.seq, event.part) for event in events}) == 4
    assert [problem.code for problem in reading.problems] == ["seq-repeated"]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_events_of_a_parent_are_marked_and_not_the_child_s(tmp_path: Path, generation: int) -> None:
    parent = made.dsh_records((Ask("of the parent"), Title("parent"), Answer("yes")), generation, id="session-p")
    seed = parent[1:]
    records = made.dsh_records((Ask("of the child"), Answer("no")), generation, id="session-c", seed=seed)
    events, reading = taken(made.dsh_log(tmp_path, records, generation=generation))
    found = fold(events)
    assert [one.text for one in spoken(found)] == ["of the child", "no"]
    inherited = reading.tally.events - found.coverage.events
    assert inherited == reading.tally.inherited == found.coverage.inherited > 0
    assert found.title is not None
    assert found.title.inherited


def test_the_last_end_of_a_seed_is_the_cut_and_a_restart_is_none(tmp_path: Path) -> None:
    def end(seq: int, data: dict[str, Any]) -> dict[str, Any]:
        return {"type": "session/end-seed", "seq": seq, "data": data}

    events = written(
        tmp_path,
        *(message(0, "grandparent"), end(1, {"inherited": True}), message(2, "parent"), end(3, {"inherited": True})),
        *(message(4, "child"), end(5, {}), message(6, "after a restart")),
        header={"isSeeded": True, "parentSession": "p"},
    )
    assert [one.text for one in spoken(fold(events))] == ["child", "after a restart"]


def test_a_child_may_replace_what_it_inherited(tmp_path: Path) -> None:
    events = written(
        tmp_path,
        message(0, "parent"),
        {"type": "session/end-seed", "seq": 1, "data": {"inherited": True}},
        message(2, "mine"),
        message(3, "sum", surfaceOp={"op": "replace", "startSeq": 0, "endSeq": 2}),
        header={"isSeeded": True},
    )
    found = fold(events)
    assert [one.text for one in spoken(found)] == ["sum"]
    assert (found.coverage.withdrawn, found.coverage.unplaced) == (1, 0)


def test_images_are_counted_and_are_no_text(tmp_path: Path) -> None:
    content = [{"type": "image", "attachment": {"id": "a"}}, {"type": "text", "text": "look"}, {"type": "file"}]
    log = made.dsh_log(tmp_path, [{"type": "session", "id": "s"}, {"type": "user/message", "seq": 0,
                       "data": {"content": content}}], suffix=".jsonl")  # fmt: skip
    events, reading = taken(log)
    assert [event.text for event in events if isinstance(event, Message)] == ["look"]
    assert reading.tally.blobs == 2


@pytest.mark.parametrize(
    "data",
    [
        None, 7, "x", [], {}, {"message": 7}, {"message": {"content": 7}}, {"message": {"content": [7, None, [], {}]}},
        {"content": [{"type": "text"}, {"type": "text", "text": 7}, {"type": "tool-result", "content": 7}]},
        {"title": 7, "source": 7, "messageSeqs": 7}, {"error": 7, "message": []}, {"dt": 7, "texts": {}}, {"turn": "x"},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "kind", ["user/message", "assistant/message", "tool/result", "tool/call", "session/title", "text-chunks",
             "tool/ptc-dispatch", "session/end-seed", "turn/start", 7, None],
)  # fmt: skip
def test_an_odd_event_stops_nothing(tmp_path: Path, kind: object, data: object) -> None:
    events = written(tmp_path, {"type": kind, "seq": 0, "data": data}, message(1, "after"))
    assert isinstance(events[-1], Message)
    assert events[-1].text == "after"


def test_a_log_without_a_header_is_named_and_read(tmp_path: Path) -> None:
    log = made.dsh_log(tmp_path, [message(0, "a")], suffix=".jsonl", folder="a~002Fb")
    events, reading = taken(log)
    assert [problem.code for problem in reading.problems] == ["no-header"]
    assert isinstance(events[0], SessionHeader)
    assert events[0].id == "a/b"
    assert isinstance(events[1], Message)
    assert (events[1].seq, events[1].text) == (0, "a")


def test_turns_are_known_from_the_start_of_a_turn(tmp_path: Path) -> None:
    events, _ = taken(story(tmp_path, 4, steps=(Ask("a"), Answer("b"), Context("goal", "c"), Ask("d"))))
    assert [event.turn for event in events if isinstance(event, Message) and event.kind != "system-prompt"] == [
        1,
        1,
        1,
        2,
    ]


def test_a_reading_from_the_start_cursor_is_a_reading_from_the_start(tmp_path: Path) -> None:
    path = story(tmp_path, 4, steps=(Ask("a"), Call("sql", "{}", "1")))
    assert list(dsh.read(path)) == list(dsh.read(path, START))
