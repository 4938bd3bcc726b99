"""What a DSH event of any generation means.

In: one event as an object, its number. Out: the events of the model that it says. Never: a delta, a queued input or the
prompt of a title as a text: each of them is said again, whole, in another event.
"""

from __future__ import annotations

from typing import Any, Final, TypedDict

from dbgraph_nb.sessionlogs.blocks import reasoning_of, results_in, text_of
from dbgraph_nb.sessionlogs.events import Event, Message, Other, Role, Span, Titled, ToolCall, ToolResult
from dbgraph_nb.sessionlogs.records import as_dict, as_json, as_number, as_text

PACKED: Final = frozenset({"text-chunks", "reasoning-chunks", "tool-call-chunks"})
MESSAGES: Final = frozenset({"user/message", "assistant/message", "system/message", "developer/message"})
CALLS_IN_CODE: Final = frozenset({"tool/ptc-dispatch", "tool/code-dispatch"})

_KNOWN: Final = frozenset(
    {
        "assistant/attempt", "assistant/chunk", "session/title-llm-request", "session/end-seed", "request/header",
        "request/context", "turn/start", "turn/end", "step/start", "step/end", "agent/inbox/spliced",
        "agent-preset/selected", "sandbox/mode", "permission/preset", "plan/mode", "goal/change", "todo/write",
        "image/offload", "model/selection", "schedule/change", "command/run", "command/done",
        "working-directory/change", "workspace/changes", "deliverables/presented",
    }
)  # fmt: skip
_KNOWN_GROUPS: Final = (
    "approval/", "hook/", "llm/retry", "compaction/", "subagent/", "feedback/", "team/", "tool-workflow/", "web/",
    "plugin:",
)  # fmt: skip
# generations 0 to 3 call what a plugin put in {"kind": "plugin", "plugin": NAME}; the names that changed since
_RENAMED: Final = {"compact": "compact-checkpoint"}
_KINDS: Final = frozenset(
    {
        "system-prompt", "runtime-context", "compact-checkpoint", "compact-basic", "ptc-mode", "agent-instructions",
        "session-reference", "goal", "skill-invocation", "skill-catalog", "coordinator", "subagent-report",
        "subagent-settled", "agent-message", "team-message", "webhook", "plan-mode", "time-context", "tmux-context",
        "model-selection", "hooks-codex", "hooks-claude-code", "schedule", "tool-jobs",
    }
)  # fmt: skip
_DEFAULT_KINDS: Final = {
    "assistant/message": "model",
    "system/message": "system-prompt",
    "developer/message": "developer",
}


class Envelope(TypedDict):
    """What the events of a record have in common."""

    seq: int
    time: int | None
    turn: int | None
    inherited: bool
    cut: int


def meaning(record: dict[str, Any], envelope: Envelope) -> tuple[Event, ...]:
    """The events of the model that one DSH event says."""
    kind, data = as_text(record.get("type")), as_dict(record.get("data"))
    if (turn := as_number(data.get("turn"))) is not None:
        envelope["turn"] = turn
    if kind in MESSAGES:
        return (_message(kind, data, record, envelope),)
    if kind == "tool/result":
        return (_result(data, record, envelope),)
    if kind == "tool/call":
        name, given = as_text(data.get("name")), as_json(data.get("arguments"))
        return (ToolCall(call_id=as_text(data.get("callId")), name=name, arguments=given, **envelope),)
    if kind in CALLS_IN_CODE:
        return _call_in_code(data, envelope)
    if kind == "session/title":
        return (_title(data, envelope),)
    if kind in PACKED:
        return (Other(type=kind, count=packed_count(data), **envelope),)
    return (Other(type=kind, known=kind in _KNOWN or kind.startswith(_KNOWN_GROUPS), **envelope),)


def packed_count(data: dict[str, Any]) -> int:
    """How many events a packed row stands for."""
    return max([1, *(len(data[key]) for key in ("dt", "texts", "args") if isinstance(data.get(key), list))])


def _message(kind: str, data: dict[str, Any], record: dict[str, Any], envelope: Envelope) -> Message:
    message = as_dict(data.get("message")) or data
    content, source = message.get("content"), message.get("source")
    made_by = _source_kind(source, _DEFAULT_KINDS.get(kind, "user"))
    role: Role = "assistant" if kind == "assistant/message" else "harness"
    if kind == "user/message" and made_by == "user":
        role = "user"
    return Message(
        role=role,
        kind=made_by,
        text=text_of(content),
        reasoning=reasoning_of(content),
        id=as_text(message.get("id")),
        model=as_text(as_dict(source).get("model")),
        interrupted=bool(data.get("interrupted")),
        replaces=replaced(record.get("surfaceOp")),
        **envelope,
    )


def _source_kind(source: object, default: str) -> str:
    kind = source if isinstance(source, str) else as_text(as_dict(source).get("kind"))
    if kind != "plugin":
        return kind or default
    name = as_text(as_dict(source).get("plugin"))
    name = _RENAMED.get(name, name)
    return name if name in _KINDS else f"plugin:{name}"


def replaced(operation: object) -> Span | None:
    """The run that a surface operation replaces, in either spelling; None for an append.

    >>> replaced({"op": "replace", "start": 1, "end": 2}) == replaced({"op": "replace", "startSeq": 1, "endSeq": 2})
    True
    """
    given = as_dict(operation)
    if given.get("op") != "replace":
        return None
    start = as_number(given.get("startSeq", given.get("start")))
    end = as_number(given.get("endSeq", given.get("end")))
    return Span(-1 if start is None else start, -1 if end is None else end)


def _result(data: dict[str, Any], record: dict[str, Any], envelope: Envelope) -> ToolResult:
    message = as_dict(data.get("message")) or data
    content = message.get("content")
    nested = next(results_in(content), {})
    named = (
        *(data.get("callId"), data.get("toolCallId"), message.get("toolCallId")),
        *(as_dict(message.get("source")).get("callId"), nested.get("toolCallId")),
    )
    error = as_dict(data.get("error"))
    failed = data.get("error") is not None or message.get("isError") is True
    return ToolResult(
        call_id=next((name for name in named if isinstance(name, str) and name), ""),
        text=text_of(content),
        error=failed or any(block.get("isError") is True for block in results_in(content)),
        error_name=as_text(error.get("name")) or as_text(error.get("code")),
        replaces=replaced(record.get("surfaceOp")),
        **envelope,
    )


def _call_in_code(data: dict[str, Any], envelope: Envelope) -> tuple[Event, ...]:
    """A call that a program of the model made: nothing else tells of it or of its result."""
    call_id, name = as_text(data.get("subCallId")), as_text(data.get("name"))
    given, parent = as_json(data.get("arguments")), as_text(data.get("parentCallId"))
    text, failed = text_of(data.get("content")), data.get("isError") is True
    return (
        ToolCall(call_id=call_id, name=name, arguments=given, parent=parent, **envelope),
        ToolResult(part=1, call_id=call_id, text=text, error=failed, surface=False, **envelope),
    )


def _title(data: dict[str, Any], envelope: Envelope) -> Titled:
    source, given = data.get("source"), data.get("messageSeqs")
    by = source if isinstance(source, str) else as_text(as_dict(source).get("kind"))
    seqs = [as_number(one) for one in given] if isinstance(given, list) else []
    numbers = tuple(one for one in seqs if one is not None)
    return Titled(title=as_text(data.get("title")), by=by, source=as_json(source), seqs=numbers, **envelope)
