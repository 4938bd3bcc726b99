"""Logs of the Codex CLI: ``sessions/YYYY/MM/DD/rollout-*.jsonl[.zst]``, and ``archived_sessions``.

In: the folder of its settings, a log. Out: what was said, asked of tools, and answered. Never: a reply twice, though
the log has each in several streams; the parent of a fork as the session.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from dbgraph_nb.sessionlogs.blocks import count_blobs, text_of
from dbgraph_nb.sessionlogs.events import Event, Message, Role, SessionHeader, Span, ToolCall, ToolResult, Withdrawn
from dbgraph_nb.sessionlogs.jsonl import Envelope, JsonLines, described
from dbgraph_nb.sessionlogs.reading import LIMITS, START, Cursor, Limits, Problem, Reading, SessionFile
from dbgraph_nb.sessionlogs.records import Record, as_dict, as_json, as_number, as_text, as_time, spellable
from dbgraph_nb.sessionlogs.walking import Found, walk

NAME: Final = "codex"
APPENDS: Final = True
_LOG: Final = re.compile(r"rollout-(.+?)-([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl(?:\.zst)?")
_INJECTED: Final = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>")
_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_EVENTS: Final = {"user_message": "user", "agent_message": "assistant"}
_ITEMS: Final = {"UserMessage": "user", "AgentMessage": "assistant"}
_KNOWN: Final = frozenset(
    {
        "session_meta", "turn_context", "response_item", "event_msg", "compacted", "token_count", "task_started",
        "task_complete", "turn_aborted", "item_completed", "agent_reasoning", "reasoning",
    }
)  # fmt: skip
_TURN_STARTS: Final = ("task_started", "turn_started")
_STARTS: Final = "starts"
_MOST_SEEN: Final = 128  # texts; the streams are at most a few records apart


def discover(root: Path, *, headers: bool = False) -> Iterator[SessionFile | Problem]:
    """The sessions below ``root``, archived and packed ones too; of a log and its packed copy the log."""
    logs: dict[str, Found] = {}
    for folder in ("sessions", "archived_sessions"):
        if not (root / folder).is_dir():
            continue
        for found in walk(root / folder, lambda name: _LOG.fullmatch(name) is not None, depth=5):
            if isinstance(found, Problem):
                yield found
            elif match := _LOG.fullmatch(found.path.name):
                before = logs.get(match[2])
                if before is None or before.path.suffix == ".zst":
                    logs[match[2]] = found
    if not logs and not root.is_dir():
        yield Problem("missing", root, "There is no such folder of logs.", hint="Give the folder that holds them.")
    for id_, found in sorted(logs.items()):
        stat = found.stat
        file = SessionFile(
            path=found.path,
            format=NAME,
            id=id_,
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
            device=stat.st_dev,
            inode=stat.st_ino,
        )
        yield described(file, read) if headers else file


def read(path: Path, at: Cursor = START, *, part: str = "", limits: Limits = LIMITS) -> Reading:
    """The events of one log behind ``at``; the header with the first line."""
    return _Codex(path, at, limits).reading()


class _Codex(JsonLines):
    """A log as it is read.

    Each reply is in up to three streams (``r`` response_item, ``e`` event_msg, ``i`` item_completed), in any order.
    It is taken when a stream says it more often than any other stream did so far.
    """

    def begin(self) -> None:
        self._headed = self.at.records > 0
        self._said: dict[str, dict[str, int]] = {}  # what was said last at the end
        self._starts = _STARTS in self.at.seen  # the log tells where turns start
        for one in self.at.seen:
            key, _, counts = one.partition(":")
            if counts:
                self._said[key] = {stream: int(number) for stream, number in re.findall(r"([a-z])(\d+)", counts)}

    def seen(self) -> tuple[str, ...]:
        return (_STARTS,) * self._starts + tuple(
            f"{key}:{''.join(f'{stream}{number}' for stream, number in sorted(counts.items()))}"
            for key, counts in self._said.items()
        )

    def meaning(self, record: Record, seq: int) -> Iterator[Event]:
        line = record.data
        payload = as_dict(line.get("payload")) or line  # older logs have no wrapper
        kind = as_text(line.get("type"))
        time = as_time(line.get("timestamp"))
        inner = as_text(payload.get("type"))
        if kind == "session_meta" or (not kind and "id" in line):
            if not self._headed:
                self._headed = True
                yield self._header(payload, time)
                return
        elif not self._headed:
            self._headed = True
            yield self._header({}, time)
        self._starts |= inner in _TURN_STARTS
        if inner in _TURN_STARTS or (kind == "turn_context" and not self._starts):
            self.turn = 0 if self.turn is None else self.turn + 1
        envelope = Envelope(seq=seq, time=time, turn=self.turn, cut=record.cut, session="")
        if kind == "event_msg":
            yield from self._event(payload, inner, envelope)
        elif kind == "compacted":
            text = as_text(payload.get("message"))
            yield Message(role="harness", kind="compact-summary", text=text, replaces=Span(None, None), **envelope)
        elif kind in ("session_meta", "turn_context"):
            yield self.other(kind, known=True, envelope=envelope)
        else:
            yield from self._item(payload, inner or kind, envelope)

    def _header(self, meta: dict[str, Any], time: int | None) -> SessionHeader:
        match = _LOG.fullmatch(self.path.name)
        source = meta.get("source")
        created = as_time(meta.get("timestamp")) or time
        return SessionHeader(
            seq=-1,
            id=as_text(meta.get("id")) or (match[2] if match else self.path.stem),
            format=NAME,
            created=created,
            time=created,
            cwd=as_text(meta.get("cwd")),
            parent=as_text(meta.get("parent_thread_id")) or as_text(meta.get("forked_from_id")),
            subagent=isinstance(source, dict) and "subagent" in source,
        )

    def _event(self, payload: dict[str, Any], kind: str, envelope: Envelope) -> Iterator[Event]:
        item = as_dict(payload.get("item"))
        text, role, stream = "", "", "e"
        if kind in _EVENTS:
            text, role = as_text(payload.get("message")), _EVENTS[kind]
        elif kind == "item_completed":
            role, stream = _ITEMS.get(as_text(item.get("type")), ""), "i"
            text = as_text(item.get("text")) or text_of(_lowered(item.get("content")))
        if kind == "thread_rolled_back":
            yield Withdrawn(turns=as_number(payload.get("num_turns")) or 0, **envelope)
        elif role and text and self._is_new(role, text, stream):
            yield _message(role, text, "", envelope)
        else:
            yield self.other(f"event_msg/{kind}", known=kind in {*_KNOWN, *_EVENTS}, envelope=envelope)

    def _item(self, payload: dict[str, Any], kind: str, envelope: Envelope) -> Iterator[Event]:
        if kind == "message":
            content, role = payload.get("content"), as_text(payload.get("role"))
            count_blobs(content, self.tally)
            text = text_of(content)
            if self._is_new(role, text, "r"):
                yield _message(role, text, as_text(payload.get("id")), envelope)
            else:
                yield self.other("response_item/message", known=True, envelope=envelope)
        elif kind == "reasoning" and (text := text_of(_summary(payload.get("summary")))):
            yield Message(role="assistant", kind="model", reasoning=text, **envelope)
        elif kind in _CALLS:
            call_id = as_text(payload.get("call_id")) or as_text(payload.get("id"))
            given = next((payload[key] for key in ("arguments", "input", "action") if key in payload), None)
            name = as_text(payload.get("name")) or kind.removesuffix("_call")
            yield ToolCall(call_id=call_id, name=name, arguments=as_json(given), **envelope)
        elif kind in _RESULTS:
            yield _result(payload, envelope)
        else:
            yield self.other(kind, known=kind in _KNOWN, envelope=envelope)

    def _is_new(self, role: str, text: str, stream: str) -> bool:
        """Whether no other stream said it as often; counts it."""
        key = hashlib.blake2b(f"{role}\0{text.strip()}".encode(errors="replace"), digest_size=8).hexdigest()
        counts = self._said[key] = self._said.pop(key, {})
        counts[stream] = counts.get(stream, 0) + 1
        if len(self._said) > _MOST_SEEN:
            del self._said[next(iter(self._said))]
        return all(number < counts[stream] for other, number in counts.items() if other != stream)


def _message(role: str, text: str, id_: str, envelope: Envelope) -> Message:
    injected = role == "user" and text.lstrip().startswith(_INJECTED)
    said_by: Role = "assistant" if role == "assistant" else "user" if role == "user" and not injected else "harness"
    kind = {"assistant": "model", "user": "user"}.get(said_by, "agent-instructions" if injected else role or "system")
    return Message(role=said_by, kind=kind, text=text, id=id_, **envelope)


def _result(payload: dict[str, Any], envelope: Envelope) -> ToolResult:
    """A result; some are JSON in a text, with the output and how the program ended."""
    output = payload.get("output")
    if isinstance(output, str) and output.startswith('{"'):
        try:
            found = as_dict(json.loads(output))
        except (ValueError, RecursionError):
            found = {}
        output = spellable(found) if isinstance(found.get("output"), str) else output
    inside = as_dict(output)
    text = text_of(output) or text_of(inside.get("output")) or text_of(inside.get("content"))
    code = as_number(as_dict(inside.get("metadata")).get("exit_code"))
    failed = inside.get("success") is False or payload.get("status") == "failed" or bool(code)
    return ToolResult(call_id=as_text(payload.get("call_id")), text=text, error=failed, **envelope)


def _summary(value: object) -> list[dict[str, str]]:
    parts = value if isinstance(value, list) else []
    return [{"type": "text", "text": as_text(one.get("text"))} for one in parts if isinstance(one, dict)]


def _lowered(content: object) -> list[dict[str, Any]]:
    """Blocks with the names of their types in small letters."""
    parts = content if isinstance(content, list) else []
    return [{**one, "type": as_text(one.get("type")).lower()} for one in parts if isinstance(one, dict)]
