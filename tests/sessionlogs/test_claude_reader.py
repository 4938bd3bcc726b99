"""Logs of Claude Code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sessionlogs import made_logs as made
from sessionlogs.made_logs import claude_line, write_lines

from dbgraph_nb.sessionlogs.conversation import fold, spoken
from dbgraph_nb.sessionlogs.events import Event, Message, SessionHeader, ToolCall, ToolResult
from dbgraph_nb.sessionlogs.readers import claude
from dbgraph_nb.sessionlogs.reading import Problem, Reading, SessionFile


def read(tmp_path: Path, *lines: dict[str, Any], name: str = "s-1") -> tuple[list[Event], Reading]:
    path = write_lines(tmp_path / "projects" / "-data-shop" / f"{name}.jsonl", lines)
    reading = claude.read(path)
    return list(reading), reading


def test_one_message_in_several_lines_and_calls_with_their_results(tmp_path: Path) -> None:
    events, reading = read(
        tmp_path,
        {"type": "file-history-snapshot", "snapshot": {}},
        claude_line("user", "How many?", "u1"),
        claude_line("assistant", [{"type": "thinking", "thinking": "let me see"}], "u2"),
        claude_line("assistant", [{"type": "text", "text": "I look."}], "u3"),
        claude_line("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                                  {"type": "tool_use", "id": "t2", "name": "Read", "input": {}}], "u4"),
        claude_line("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.csv"},
                             {"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": [
                                 {"type": "text", "text": "no"}, {"type": "image", "source": {"data": "QUJD"}}]}],
                    "u5", toolUseResult={"stdout": "a.csv"}),
    )  # fmt: skip
    header = next(event for event in events if isinstance(event, SessionHeader))
    assert (header.id, header.cwd, header.created, header.subagent) == ("s-1", "/data/shop", 1767225601000, False)
    assert next(spoken(fold(events))).text == "How many?"
    assert [(m.role, m.kind, m.text, m.reasoning, m.id) for m in events if isinstance(m, Message)] == [
        ("user", "user", "How many?", "", "u1"),
        ("assistant", "model", "", "let me see", "u2"),
        ("assistant", "model", "I look.", "", "u3"),
    ]
    assert [(c.seq, c.part, c.call_id, c.name, c.arguments) for c in events if isinstance(c, ToolCall)] == [
        (4, 0, "t1", "Bash", '{"command": "ls"}'),
        (4, 1, "t2", "Read", "{}"),
    ]
    assert [(r.seq, r.part, r.call_id, r.text, r.error) for r in events if isinstance(r, ToolResult)] == [
        (5, 0, "t1", "a.csv", False),
        (5, 1, "t2", "no", True),
    ]
    assert (reading.tally.blobs, reading.tally.blob_bytes, reading.problems) == (1, 4, ())
    assert len({(event.seq, event.part) for event in events}) == len(events)


def test_a_line_with_text_and_a_result_has_both(tmp_path: Path) -> None:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "r"}, {"type": "text", "text": "and this"}]
    events, _ = read(tmp_path, claude_line("user", content, "u"))
    assert [(event.part, event.text) for event in events if isinstance(event, Message | ToolResult)] == [
        (0, "and this"),
        (1, "r"),
    ]


@pytest.mark.parametrize(
    ("more", "text", "expected"),
    [
        ({}, "x", ("user", "user")),
        ({"isMeta": True}, "x", ("harness", "meta")),
        ({"isSidechain": True}, "x", ("harness", "sidechain")),
        ({}, "<command-name>/clear</command-name>", ("harness", "command")),
        ({}, "<local-command-stdout>x", ("harness", "command")),
        ({"isCompactSummary": True}, "x", ("harness", "compact-summary")),
    ],
)
def test_only_a_human_is_a_user(tmp_path: Path, more: dict[str, Any], text: str, expected: tuple[str, str]) -> None:
    events, _ = read(tmp_path, claude_line("user", text, "u", **more))
    assert [(event.role, event.kind) for event in events if isinstance(event, Message)] == [expected]


def test_a_summary_takes_the_place_of_what_was_before(tmp_path: Path) -> None:
    events, _ = read(
        tmp_path,
        claude_line("user", "old", "u1"),
        claude_line("user", "sum", "u2", isCompactSummary=True),
        claude_line("user", "new", "u3"),
    )
    found = fold(events)
    assert [one.text for one in spoken(found, roles=("user", "harness"))] == ["sum", "new"]
    assert found.coverage.withdrawn == 1


def test_copied_lines_of_the_same_file_are_read_once(tmp_path: Path) -> None:
    line, copy = claude_line("user", "once", "u1"), claude_line("user", "once", "u1", session="s-0")
    events, reading = read(tmp_path, line, copy, claude_line("user", "other", "u2", session="s-0"))
    assert [(event.text, event.session) for event in events if isinstance(event, Message)] == [
        ("once", ""),
        ("other", "s-0"),
    ]
    assert reading.tally.inherited == 1


def test_the_same_line_in_two_files_has_the_same_id(tmp_path: Path) -> None:
    line = claude_line("user", "x", "u1")
    (first, second) = (
        [event for event in read(tmp_path, line, name=name)[0] if isinstance(event, Message)] for name in ("a", "b")
    )
    assert first[0].id == second[0].id == "u1"


def test_titles(tmp_path: Path) -> None:
    def title(*lines: dict[str, Any]) -> str:
        found = fold(read(tmp_path, *lines)[0]).title
        return found.title if found else ""

    summary, given = {"type": "summary", "summary": "s", "leafUuid": "x"}, {"type": "custom-title", "customTitle": "c"}
    assert title(summary, given, summary) == "c"
    assert title(summary) == "s"
    assert title({"type": "ai-title", "aiTitle": "a"}) == "a"


def test_new_types_are_counted(tmp_path: Path) -> None:
    events, reading = read(tmp_path, {"type": "new", "uuid": "u"}, {"type": "progress"}, {"x": 1}, {"type": "user"})
    assert reading.tally.unknown == {"new": 1, "": 1}
    assert [event.seq for event in events if not isinstance(event, SessionHeader)] == [0, 1, 2, 3]


def test_going_on(tmp_path: Path) -> None:
    lines = [claude_line("user", text, text) for text in "abc"]
    _, reading = read(tmp_path, *lines[:2])
    path = write_lines(tmp_path / "projects" / "-data-shop" / "s-1.jsonl", lines)
    events = list(claude.read(path, reading.cursor))
    assert [(event.seq, event.text) for event in events if isinstance(event, Message)] == [(2, "c")]


def test_sessions_and_their_subagents_are_found(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-data-shop"
    for name in ("s-1", "agent-old", "s-1/subagents/agent-new", "s-1/tool-results/x", "s-1/other/agent-x"):
        write_lines(project / f"{name}.jsonl", [claude_line("user", "x", name, session="s-1")])
    write_lines(tmp_path / "history.jsonl", [{"display": "x"}])
    found = [file for file in claude.discover(tmp_path) if isinstance(file, SessionFile)]
    assert [(file.id, file.subagent, file.parent, file.project) for file in found] == [
        ("agent-old", True, "", "-data-shop"),
        ("s-1", False, "", "-data-shop"),
        ("agent-new", True, "s-1", "-data-shop"),
    ]
    told = [file for file in claude.discover(tmp_path, headers=True) if isinstance(file, SessionFile)]
    assert [(file.parent, file.project, file.created) for file in told] == [
        (parent, "/data/shop", 1767225601000) for parent in ("s-1", "", "s-1")
    ]
    headers = [next(event for event in claude.read(file.path) if isinstance(event, SessionHeader)) for file in found]
    assert [(header.parent, header.subagent) for header in headers] == [("s-1", True), ("", False), ("s-1", True)]
    (event,) = [event for event in claude.read(found[2].path) if isinstance(event, Message)]
    assert (event.kind, event.session) == ("user", "")
    assert [one.code for one in claude.discover(tmp_path / "no") if isinstance(one, Problem)] == ["missing"]


def test_odd_lines_stop_nothing(tmp_path: Path) -> None:
    contents: tuple[object, ...] = (None, 7, [7], [{}], {}, [])
    odd = [claude_line("user", content, str(place)) for place, content in enumerate(contents)]
    events, reading = read(tmp_path, *odd, {"type": 7, "uuid": 7, "timestamp": 7}, claude_line("user", "end", "u"))
    assert [event.text for event in events if isinstance(event, Message)][-1] == "end"
    assert reading.problems == ()


def test_a_torn_line_is_named(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s-1.jsonl", [claude_line("user", "a", "u")])
    path.write_bytes(path.read_bytes() + made.lines([claude_line("user", "b", "v")])[0][:20])
    reading = claude.read(path)
    assert [event.text for event in reading if isinstance(event, Message)] == ["a"]
    assert [problem.code for problem in reading.problems] == ["torn-tail"]
