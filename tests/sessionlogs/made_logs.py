"""Made-up logs: one story told in every generation of DSH, and in the other formats.

What it is: a writer of small logs as their programs write them. In: a story, a generation, a folder. Out: files.
Never: a name, a text or a number from anybody's log.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

START = 1_767_225_600_000  # 2026-01-01 in milliseconds
Json = dict[str, Any]


@dataclass(frozen=True)
class Ask:
    """A human says something."""

    text: str


@dataclass(frozen=True)
class Context:
    """A program puts something in; ``kind`` as the newest generation calls it."""

    kind: str
    text: str


@dataclass(frozen=True)
class Answer:
    """A model says something."""

    text: str
    reasoning: str = ""


@dataclass(frozen=True)
class Call:
    """A tool is asked for and answers; ``inside`` are the calls that a program made while it ran."""

    name: str
    arguments: str
    result: str
    error: bool = False
    inside: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Title:
    """The session gets a title."""

    text: str
    by: str = "fallback"


@dataclass(frozen=True)
class Compact:
    """A summary takes the place of the steps from ``first`` to ``last`` of the story."""

    text: str
    first: int
    last: int


@dataclass(frozen=True)
class Event:
    """Any other event, as it is."""

    type: str
    data: Json = field(default_factory=dict)


Step = Ask | Context | Answer | Call | Title | Compact | Event

STORY: tuple[Step, ...] = (
    Context("runtime-context", "The folder is /data/shop."),
    Ask("How many orders came in March? 三月有多少订单？"),
    Title("Orders in March"),
    Answer("I count the orders.", "The table is orders, the column is created_at."),
    Call("sql", '{"query": "SELECT count(*) FROM orders"}', "count\n1204"),
    Answer("1,204 orders came in March."),
    Ask("And how many were returned?"),
    Call("python", '{"code": "returns()"}', "done", inside=(Call("sql", "{}", "no such table: returns", error=True),)),
    Call("sql", '{"query": "SELECT * FROM returns"}', "no such table: returns", error=True),
    Answer("There is no table of returns. 没有退货表。"),
    Compact("Summary: 1,204 orders in March; no table of returns.", 1, 5),
    Event("subagent/descriptor", {"version": 2, "mode": "x", "label": "y"}),
    Event("future/event", {"text": "from a newer writer"}),
    Title("Orders and returns", "user"),
    Ask("Thank you."),
    Answer("You are welcome. 😀"),
)  # fmt: skip


class _Writer:
    """Turns steps into the events of one generation."""

    def __init__(self, generation: int, start: int) -> None:
        self.generation, self.seq, self.time = generation, start, START
        self.turn = self.step = self.calls = 0

    def event(self, kind: str, data: Json, **more: object) -> Json:
        made = {"type": kind, "seq": self.seq, "time": self.time, "data": data, **more}
        self.seq, self.time = self.seq + 1, self.time + 1000
        return made

    def source(self, kind: str) -> Json:
        if kind in ("user", "model", "tool") or self.generation >= 4:
            return {"kind": kind, **({"provider": "p", "model": "m-1"} if kind == "model" else {})}
        return {"kind": "plugin", "plugin": "compact" if kind == "compact-checkpoint" else kind}

    def said(self, kind: str, text: str, op: object = "append") -> Json:
        content = [{"type": "text", "text": text}]
        data = {"id": f"m-{self.seq}", "role": "user", "content": content, "source": self.source(kind)}
        return self.event("user/message", data, surfaceOp=op)

    def replace(self, first: int, last: int) -> Json:
        names = ("startSeq", "endSeq") if self.generation >= 3 else ("start", "end")
        return {"op": "replace", names[0]: first, names[1]: last}

    def answer(self, step: Answer) -> Iterator[Json]:
        """The answer, and the deltas that it came in, as each generation keeps them."""
        self.step += 1
        place = {"turn": self.turn, "step": self.step}
        content: list[Json] = [{"type": "reasoning", "text": step.reasoning}] if step.reasoning else []
        content.append({"type": "text", "text": step.text})
        pieces = [step.text[at : at + 7] for at in range(0, len(step.text), 7)]
        more: Json = {}
        if self.generation == 0:
            for piece in pieces:
                yield self.event("assistant/chunk", {**place, "chunk": {"type": "text", "text": piece}})
        elif self.generation == 1:
            row = {**place, "index": 0, "dt": [5] * len(pieces), "texts": pieces}
            yield {"type": "text-chunks", "seq0": self.seq, "time0": self.time, "data": row}
            self.seq += len(pieces)
        else:
            more["stream"] = [{"type": "text-chunks", "index": 0, "dt": [5] * len(pieces), "texts": pieces}]
            yield self.event("assistant/attempt", {**place, **more})
        message = {"id": f"m-{self.seq}", "role": "assistant", "content": content, "source": self.source("model")}
        data = {**place, "message": message, "usage": {"inputTokens": 9, "outputTokens": 3}, **more}
        yield self.event("assistant/message", data, surfaceOp="append")

    def call(self, step: Call) -> Iterator[Json]:
        self.calls += 1
        call_id, place = f"call-{self.calls}", {"turn": self.turn, "step": self.step}
        yield self.event("tool/call", {**place, "callId": call_id, "name": step.name, "arguments": step.arguments})
        for number, inner in enumerate(step.inside):
            data = {**place, "subCallId": f"{call_id}-{number}", "parentCallId": call_id, "name": inner.name}
            data |= {"arguments": inner.arguments, "isError": inner.error}
            data |= {"content": [{"type": "text", "text": inner.result}]}
            yield self.event("tool/ptc-dispatch" if self.generation >= 3 else "tool/code-dispatch", data)
        texts = [{"type": "text", "text": step.result}]
        failed = {"isError": True} if step.error else {}
        if self.generation >= 4:
            source = {"kind": "tool", "callId": call_id}
            message: Json = {"role": "tool", "toolCallId": call_id, "source": source, "content": texts, **failed}
        else:
            block = {"type": "tool-result", "toolCallId": call_id, "content": texts, **failed}
            message = {"role": "user", "content": [block]}
        yield self.event("tool/result", {**place, "message": message}, surfaceOp="append")

    def events(self, story: Sequence[Step]) -> Iterator[Json]:
        """The story; a step is known by the number of its last event on the surface."""
        surface: dict[int, int] = {}
        if self.generation >= 3:
            content = [{"type": "text", "text": "You help with data."}]
            system = {"id": "m-s", "role": "system", "content": content, "source": self.source("system-prompt")}
            yield self.event("system/message", {"turn": 0, "step": 0, "message": system}, surfaceOp="append")
        for number, step in enumerate(story):
            match step:
                case Ask():
                    self.turn, self.step = self.turn + 1, 0
                    yield self.event("turn/start", {"turn": self.turn})
                    queued = {
                        "id": f"m-{self.seq + 1}",
                        "role": "user",
                        "content": [{"type": "text", "text": step.text}],
                    }
                    yield self.event("agent/inbox/spliced", {"messages": [queued]})
                    yield self.said("user", step.text)
                case Context():
                    yield self.said(step.kind, step.text)
                case Answer():
                    yield from self.answer(step)
                case Call():
                    yield from self.call(step)
                case Compact():
                    span = self.replace(surface[step.first], surface[step.last])
                    yield self.said("compact-checkpoint", step.text, span)
                case Title():
                    source = {"kind": step.by}
                    yield self.event("session/title", {"title": step.text, "messageSeqs": [1], "source": source})
                case Event():
                    yield self.event(step.type, step.data)
            surface[number] = self.seq - 1


def dsh_records(
    story: Sequence[Step] = STORY,
    generation: int = 4,
    *,
    id: str = "session-1",  # noqa: A002
    seed: Sequence[Json] = (),
    **header: object,
) -> list[Json]:
    """The lines of a log: the header, the events of a parent that it starts with, its own."""
    head: Json = {"type": "session", "version": generation, "id": id, "createdAt": START, "cwd": "/data/shop"}
    head |= {"delegationDepth": 0}
    head |= {"isSeeded": bool(seed)} if generation >= 3 else {"seedLength": len(seed)}
    writer = _Writer(generation, len(seed))
    own: list[Json] = []
    if seed and generation >= 3:
        own.append(writer.event("session/end-seed", {"inherited": True}))
    return [head | header, *seed, *own, *writer.events(story)]


def lines(records: Iterable[Json]) -> list[bytes]:
    """Each record as a line."""
    return [json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for one in records]


def packed(data: bytes, *, sized: bool = True) -> bytes:
    """One zstd frame; ``sized``: it says how much it holds."""
    return zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=sized).compress(data)


def frames(made: Sequence[bytes], batch: int = 3) -> list[bytes]:
    """The header alone in a frame, then a frame for each batch of lines; every other one says its size."""
    groups = [made[:1], *(made[at : at + batch] for at in range(1, len(made), batch))]
    return [packed(b"".join(group), sized=bool(place % 2)) for place, group in enumerate(groups)]


def dsh_log(
    root: Path, records: Sequence[Json], *, generation: int = 4, suffix: str = ".jsonl.zstd", folder: str = ""
) -> Path:
    """Writes a log as a DSH home has it, and returns its path."""
    name = "session" + (f".v{generation}" if generation else "") + suffix
    path = root / "--data-shop--" / (folder or str(records[0]["id"])) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    made = lines(records)
    path.write_bytes(b"".join(frames(made) if suffix.endswith("zstd") else made))
    return path


def ipython_history(
    folder: Path, sessions: Sequence[Sequence[tuple[str, str | None]]], profile: str = "default"
) -> Path:
    """A ``history.sqlite`` of sessions, each with its cells as (code, output)."""
    path = folder / f"profile_{profile}" / "history.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE sessions (session integer primary key autoincrement, start timestamp, end timestamp,"
            " num_cmds integer, remark text);"
            "CREATE TABLE history (session integer, line integer, source text, source_raw text,"
            " PRIMARY KEY (session, line));"
            "CREATE TABLE output_history (session integer, line integer, output text, PRIMARY KEY (session, line));"
        )
        for number, cells in enumerate(sessions, 1):
            database.execute("INSERT INTO sessions(start, remark) VALUES ('2026-01-01 10:00:00.000000', '')")
            for line, (code, output) in enumerate(cells, 1):
                database.execute("INSERT INTO history VALUES (?, ?, ?, ?)", (number, line, f"magic({code!r})", code))
                if output is not None:
                    database.execute("INSERT INTO output_history VALUES (?, ?, ?)", (number, line, output))
    database.close()
    return path


def code_cell(source: str | list[str], *outputs: Json, number: int = 1) -> Json:
    """A code cell of a notebook."""
    return {"cell_type": "code", "id": f"c{number}", "execution_count": number, "metadata": {}, "source": source,
            "outputs": list(outputs)}  # fmt: skip


def notebook(path: Path, *cells: Json) -> Path:
    """A notebook of format 4."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": list(cells),
    }
    path.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    return path


def claude_line(kind: str, content: object, uuid: str, session: str = "s-1", **more: object) -> Json:
    """A line of a log of Claude Code."""
    message = {"role": kind, "content": content, **({"model": "m-2"} if kind == "assistant" else {})}
    return {"type": kind, "uuid": uuid, "parentUuid": None, "sessionId": session, "isSidechain": False,
            "timestamp": "2026-01-01T00:00:01.000Z", "cwd": "/data/shop", "message": message, **more}  # fmt: skip


def codex_line(kind: str, payload: Json, second: int = 0) -> Json:
    """A line of a log of the Codex CLI."""
    return {"timestamp": f"2026-01-01T00:00:{second:02}.000Z", "type": kind, "payload": payload}


def codex_said(role: str, text: str) -> Json:
    """The payload of a message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def write_lines(path: Path, records: Iterable[Json]) -> Path:
    """Writes a plain log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines(records)))
    return path
