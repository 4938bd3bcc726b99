"""Logs of Claude Code: ``projects/<folder>/<session>.jsonl``, and those of its subagents.

In: the folder of its settings, a log. Out: what was said, asked of tools, and answered. Never: a line twice that
resuming copied within the file, a screenshot as a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from dbgraph_nb.sessionlogs.blocks import count_blobs, reasoning_of, text_of
from dbgraph_nb.sessionlogs.events import Event, Message, Other, Role, SessionHeader, Span, Titled, ToolCall, ToolResult
from dbgraph_nb.sessionlogs.jsonl import Envelope, JsonLines, described
from dbgraph_nb.sessionlogs.reading import LIMITS, START, Cursor, Limits, Problem, Reading, SessionFile
from dbgraph_nb.sessionlogs.records import Record, as_dict, as_json, as_text, as_time
from dbgraph_nb.sessionlogs.walking import walk

NAME: Final = "claude"
APPENDS: Final = True
_AGENT: Final = "agent-"
_EVERYTHING: Final = Span(None, None)  # a summary takes the place of all before it
_COMMAND: Final = ("<command-", "<local-command-", "<bash-")
_TITLES: Final = {"custom-title": "user", "ai-title": "provider", "summary": "summary"}
_KNOWN: Final = frozenset(
    {
        "progress", "attachment", "file-history-snapshot", "queue-operation", "mode", "permission-mode", "last-prompt",
        "system", "user", "assistant", *_TITLES,
    }
)  # fmt: skip


def discover(root: Path, *, headers: bool = False) -> Iterator[SessionFile | Problem]:
    """The sessions below ``root/projects``, those of subagents with their parents where names tell them."""
    for found in walk(root / "projects", lambda name: name.endswith(".jsonl"), depth=4):
        if isinstance(found, Problem):
            yield found
            continue
        path, stat = found.path, found.stat
        folders = path.relative_to(root / "projects").parts[:-1]
        subagent = path.stem.startswith(_AGENT)
        in_parent = subagent and len(folders) > 2 and folders[2] == "subagents"
        if not folders or (len(folders) > 1 and not in_parent):
            continue  # not a session, but what a session kept
        file = SessionFile(
            path=path,
            format=NAME,
            id=path.stem,
            project=folders[0],
            parent=folders[1] if in_parent else "",
            subagent=subagent,
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
            device=stat.st_dev,
            inode=stat.st_ino,
        )
        yield described(file, read) if headers else file


def read(path: Path, at: Cursor = START, *, part: str = "", limits: Limits = LIMITS) -> Reading:
    """The events of one log behind ``at``; the header with the first line that names a session."""
    return _Claude(path, at, limits).reading()


class _Claude(JsonLines):
    """A log as it is read. A copied line has the same uuid, here and in the log that it was copied from."""

    def begin(self) -> None:
        self._uuids: set[str] = set()
        self._agent = self.path.stem.startswith(_AGENT)
        self._headed = self.at.records > 0

    def meaning(self, record: Record, seq: int) -> Iterator[Event]:
        line = record.data
        uuid = as_text(line.get("uuid"))
        if uuid and uuid in self._uuids:
            self.tally.inherited += 1
            yield Other(seq=seq, type="copy", inherited=True)
            return
        if uuid:
            self._uuids.add(uuid)
        named = as_text(line.get("sessionId"))
        if not self._headed and (named or uuid):
            self._headed = True
            yield self._header(line)
        kind, time = as_text(line.get("type")), as_time(line.get("timestamp"))
        other = named if named and named != self.path.stem and not self._agent else ""
        envelope = Envelope(seq=seq, time=time, turn=None, cut=record.cut, session=other)
        if kind in ("user", "assistant") and isinstance(line.get("message"), dict):
            yield from self._said(line, kind, envelope)
        elif kind in _TITLES:
            texts = (as_text(line.get(key)) for key in ("customTitle", "aiTitle", "title", "summary"))
            yield Titled(title=next(filter(None, texts), ""), by=_TITLES[kind], **envelope)
        elif kind == "system" and as_text(line.get("content")):
            yield Message(role="harness", kind="system", text=as_text(line["content"]), id=uuid, **envelope)
        else:
            yield self.other(kind, known=kind in _KNOWN, envelope=envelope)

    def _header(self, line: dict[str, Any]) -> SessionHeader:
        parent = as_text(line.get("sessionId")) if self._agent else ""
        time = as_time(line.get("timestamp"))
        return SessionHeader(
            seq=-1,
            id=self.path.stem,
            format=NAME,
            created=time,
            time=time,
            cwd=as_text(line.get("cwd")),
            parent=parent,
            subagent=self._agent,
        )

    def _said(self, line: dict[str, Any], kind: str, envelope: Envelope) -> Iterator[Event]:
        message = as_dict(line["message"])
        blocks = message.get("content")
        content = blocks if isinstance(blocks, list) else []
        count_blobs(content, self.tally)
        calls = [block for block in content if isinstance(block, dict) and block.get("type") == "tool_use"]
        results = [block for block in content if isinstance(block, dict) and block.get("type") == "tool_result"]
        said = [block for block in content if block not in results] if results else blocks
        part = 0
        if text_of(said) or reasoning_of(said) or not (calls or results):
            yield self._message(line, kind, message, said, envelope)
            part = 1
        for place, block in enumerate(calls, part):
            call_id, name = as_text(block.get("id")), as_text(block.get("name"))
            yield ToolCall(part=place, call_id=call_id, name=name, arguments=as_json(block.get("input")), **envelope)
        for place, block in enumerate(results, part + len(calls)):
            call_id, failed = as_text(block.get("tool_use_id")), block.get("is_error") is True
            text = text_of(block.get("content"))
            yield ToolResult(part=place, call_id=call_id, text=text, error=failed, **envelope)

    def _message(
        self, line: dict[str, Any], kind: str, message: dict[str, Any], content: object, envelope: Envelope
    ) -> Message:
        text = text_of(content)
        summary = line.get("isCompactSummary") is True
        made_by = "model" if kind == "assistant" else "user"
        if summary:
            made_by = "compact-summary"
        elif line.get("isMeta") is True:
            made_by = "meta"
        elif kind == "user" and text.startswith(_COMMAND):
            made_by = "command"
        elif line.get("isSidechain") is True and not self._agent:
            made_by = "sidechain"
        role: Role = "assistant" if kind == "assistant" else "user" if made_by == "user" else "harness"
        return Message(
            role=role,
            kind=made_by,
            text=text,
            reasoning=reasoning_of(content),
            id=as_text(line.get("uuid")),
            model=as_text(message.get("model")),
            replaces=_EVERYTHING if summary else None,
            **envelope,
        )
