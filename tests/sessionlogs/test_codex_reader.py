"""Logs of the Codex CLI."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from sessionlogs import made_logs as made
from sessionlogs.made_logs import codex_line, codex_said, write_lines

from dbgraph_nb.sessionlogs.conversation import fold, spoken
from dbgraph_nb.sessionlogs.events import Event, Message, SessionHeader, ToolCall, ToolResult
from dbgraph_nb.sessionlogs.readers import codex
from dbgraph_nb.sessionlogs.reading import START, Problem, Reading, SessionFile

ID = "01234567-89ab-cdef-0123-456789abcdef"
NAME = f"rollout-2026-01-01T00-00-00-{ID}.jsonl"
META = codex_line("session_meta", {"id": ID, "cwd": "/data/shop", "timestamp": "2026-01-01T00:00:00Z"})


def read(tmp_path: Path, *lines: dict[str, Any]) -> tuple[list[Event], Reading]:
    reading = codex.read(write_lines(tmp_path / NAME, lines))
    return list(reading), reading


def texts(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.role, event.text) for event in events if isinstance(event, Message)]


def item(role: str, text: str) -> dict[str, Any]:
    return codex_line("response_item", codex_said(role, text))


def event(role: str, text: str) -> dict[str, Any]:
    return codex_line("event_msg", {"type": "user_message" if role == "user" else "agent_message", "message": text})


def completed(role: str, text: str) -> dict[str, Any]:
    kind = "UserMessage" if role == "user" else "AgentMessage"
    content = [{"type": "Text", "text": text}]
    return codex_line("event_msg", {"type": "item_completed", "item": {"type": kind, "content": content}})


STREAMS = (item, event, completed)


@pytest.mark.parametrize("streams", [order for size in (1, 2, 3) for order in itertools.permutations(STREAMS, size)])
def test_what_is_said_in_several_streams_is_read_once(tmp_path: Path, streams: tuple[Any, ...]) -> None:
    said = [("user", "ok"), ("assistant", "ok"), ("assistant", "ok"), ("user", "more"), ("assistant", "done")]
    lines = [stream(role, text) for role, text in said for stream in streams]
    assert texts(read(tmp_path, META, *lines)[0]) == said
    by_stream = [stream(role, text) for stream in streams for role, text in said]
    assert texts(read(tmp_path, META, *by_stream)[0]) == said


def test_a_word_that_is_said_all_the_time_is_read_as_often_as_it_was_said(tmp_path: Path) -> None:
    said = [text for number in range(300) for text in ("ok", f"text {number}")]
    lines = [
        stream("assistant", text) for at in range(0, 600, 2) for stream in (item, event) for text in said[at : at + 2]
    ]
    found, reading = read(tmp_path, META, *lines)
    assert [text for _, text in texts(found)] == said
    assert len(reading.cursor.seen) <= 129


def test_a_reply_is_read_once_wherever_the_reading_was_interrupted(tmp_path: Path) -> None:
    lines = [META, codex_line("event_msg", {"type": "task_started"}), codex_line("turn_context", {})]
    lines += [stream(role, "ok") for role in ("user", "assistant", "assistant") for stream in (event, item)]
    whole = read(tmp_path, *lines)[0]
    for cut in range(1, len(lines)):
        first, reading = read(tmp_path, *lines[:cut])
        path = write_lines(tmp_path / NAME, lines)
        assert first + list(codex.read(path, reading.cursor)) == whole, cut


def test_the_first_header_is_the_session(tmp_path: Path) -> None:
    own = codex_line("session_meta", {"id": ID, "cwd": "/a", "forked_from_id": "p", "source": {"subagent": "review"}})
    parent = codex_line("session_meta", {"id": "other", "cwd": "/b"})
    events, _ = read(tmp_path, own, parent, item("user", "x"))
    (header,) = [event for event in events if isinstance(event, SessionHeader)]
    assert (header.id, header.cwd, header.parent, header.subagent) == (ID, "/a", "p", True)


def test_calls_and_results(tmp_path: Path) -> None:
    payloads: list[dict[str, Any]] = [
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "a"},
        {"type": "function_call_output", "call_id": "a", "output": '{"output": "x.csv", "metadata": {"exit_code": 0}}'},
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "b"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": '{"output": "no", "metadata": {"exit_code": 1}}'},
        {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
        {"type": "function_call_output", "call_id": "c", "output": {"content": "bad", "success": False}},
        {"type": "web_search_call", "id": "d", "action": {"query": "q"}},
        {"type": "function_call_output", "call_id": "e", "output": '{"other": 1}'},
        {"type": "function_call_output", "call_id": "f", "output": [{"type": "input_text", "text": "t"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I think"}], "encrypted_content": "QUJD"},
    ]
    events, reading = read(tmp_path, META, *(codex_line("response_item", payload) for payload in payloads))
    assert [(c.call_id, c.name, c.arguments) for c in events if isinstance(c, ToolCall)] == [
        ("a", "shell", '{"command": ["ls"]}'),
        ("b", "apply_patch", "*** Begin"),
        ("c", "local_shell", '{"command": ["ls"]}'),
        ("d", "web_search", '{"query": "q"}'),
    ]
    assert [(r.call_id, r.text, r.error) for r in events if isinstance(r, ToolResult)] == [
        ("a", "x.csv", False), ("b", "no", True), ("c", "bad", True), ("e", '{"other": 1}', False), ("f", "t", False),
    ]  # fmt: skip
    assert [event.reasoning for event in events if isinstance(event, Message)] == ["I think"]
    assert reading.tally.unknown == {}


def test_what_programs_put_in_is_not_a_human(tmp_path: Path) -> None:
    events, _ = read(
        tmp_path,
        META,
        item("developer", "rules"),
        item("user", "<environment_context>..."),
        item("user", "# AGENTS.md instructions for /a"),
        item("user", "hello"),
    )
    assert [(event.role, event.kind) for event in events if isinstance(event, Message)] == [
        ("harness", "developer"),
        ("harness", "agent-instructions"),
        ("harness", "agent-instructions"),
        ("user", "user"),
    ]


def test_summaries_and_rollbacks(tmp_path: Path) -> None:
    events, _ = read(
        tmp_path,
        META,
        item("user", "old"),
        codex_line("compacted", {"message": "sum"}),
        item("user", "kept"),
        item("user", "taken back"),
        item("assistant", "reply"),
        codex_line("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
    )
    found = fold(events)
    assert [one.text for one in spoken(found, roles=("user", "assistant", "harness"))] == ["sum", "kept"]
    assert found.coverage.withdrawn == 3


def test_old_logs_without_a_wrapper(tmp_path: Path) -> None:
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}
    head = {"id": ID, "timestamp": "2025-01-01T00:00:00Z", "instructions": None}
    lines = [head, codex_said("user", "hi"), {"record_type": "state"}, call]
    events, _ = read(tmp_path, *lines)
    assert isinstance(events[0], SessionHeader)
    assert events[0].id == ID
    assert texts(events) == [("user", "hi")]
    assert [event.name for event in events if isinstance(event, ToolCall)] == ["shell"]


def test_turns_are_counted_where_they_start(tmp_path: Path) -> None:
    start, context = codex_line("event_msg", {"type": "task_started"}), codex_line("turn_context", {})
    events, _ = read(tmp_path, META, start, context, item("user", "a"), start, context, item("user", "b"))
    assert [event.turn for event in events if isinstance(event, Message)] == [0, 1]
    events, _ = read(tmp_path, META, context, item("user", "a"), context, item("user", "b"))
    assert [event.turn for event in events if isinstance(event, Message)] == [0, 1]


def test_new_types_are_counted(tmp_path: Path) -> None:
    lines = [codex_line("new", {"type": "x"}), codex_line("event_msg", {"type": "new"}), {"type": 7}, {"payload": 7}]
    events, reading = read(tmp_path, META, *lines)
    assert reading.tally.unknown == {"x": 1, "event_msg/new": 1, "": 2}
    assert [event.seq for event in events] == [-1, 1, 2, 3, 4]


def test_archived_and_packed_logs_are_found_and_no_log_twice(tmp_path: Path) -> None:
    ids = [f"{number:08d}{ID[8:]}" for number in range(3)]
    day = tmp_path / "sessions" / "2026" / "01" / "01"
    lines = made.lines([META, item("user", "x")])
    names = [f"rollout-2026-01-01T00-00-00-{id_}.jsonl" for id_ in ids]
    paths = [day / names[0], day / f"{names[1]}.zst", tmp_path / "archived_sessions" / names[2]]
    for path in (*paths, paths[0].with_suffix(".jsonl.zst"), day / "other.jsonl"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.packed(b"".join(lines)) if path.suffix == ".zst" else b"".join(lines))
    found = [file for file in codex.discover(tmp_path) if isinstance(file, SessionFile)]
    assert [(file.id, file.path) for file in found] == list(zip(ids, paths, strict=True))
    told = [file for file in codex.discover(tmp_path, headers=True) if isinstance(file, SessionFile)]
    assert [(file.project, file.created) for file in told] == [("/data/shop", 1767225600000)] * 3
    for file in found:
        assert texts(list(codex.read(file.path))) == [("user", "x")]
    assert [one.code for one in codex.discover(tmp_path / "no") if isinstance(one, Problem)] == ["missing"]


def test_odd_lines_stop_nothing(tmp_path: Path) -> None:
    contents: tuple[object, ...] = (None, 7, [7], [{}], {})
    odd = [codex_line("response_item", {"type": "message", "role": role, "content": content})
           for role in (None, 7, "user") for content in contents]  # fmt: skip
    odd.append(codex_line("response_item", {"type": "reasoning", "summary": 7}))
    odd += [
        codex_line("event_msg", {"type": kind, "item": 7, "message": 7}) for kind in ("item_completed", "user_message")
    ]
    events, reading = read(tmp_path, *odd, item("user", "end"))
    assert texts(events)[-1] == ("user", "end")
    assert reading.problems == ()
    assert reading.cursor != START
