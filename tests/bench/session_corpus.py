"""A made corpus of session logs of any size, the same for the same arguments: DSH logs of generation 4, as on disk.

What it is: at scale 1, 499 sessions (318 of them subagents), about 91,000 searchable rows, 121.5 MB of text in UTF-8,
one session of 15,037 rows whose log is about 33 MB decoded; the other sizes are lognormal. Words follow Zipf's law over
made vocabularies, so that the trigrams of an index have the frequencies of real text: English, Chinese, code, paths,
JSON, log lines, hashes. Odd texts (emoji, NUL, quotes, combining marks) are strewn in; some texts are withdrawn, some
sessions are seeded with the first events of another. In: a folder, a scale. Out: the logs and what they hold. Never:
more than one batch of events in memory.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard
from bench.session_texts import ODD, Texts

SESSIONS, SUBAGENTS, ROWS, BIGGEST_ROWS, TEXT_BYTES = 499, 318, 91_158, 15_037, 121_500_000


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was written: where, how much, and the log of the biggest session."""

    folder: Path
    sessions: int
    rows: int
    text_bytes: int
    log_bytes: int
    biggest: Path


class _Session:
    """Writes one session; ``rows`` and ``text_bytes`` are what is left to write."""

    def __init__(self, texts: Texts, rows: int, text_bytes: float, *, chinese: bool, start: int = 0) -> None:
        self.texts, self.draw, self.chinese = texts, texts.draw, chinese
        self.rows, self.text_bytes, self.seq = rows, text_bytes, start
        self.rows_written = self.bytes_written = 0
        self.time = 1_760_000_000_000 + self.draw.randrange(10**10)
        self.surface: list[int] = []
        self.said: deque[str] = deque(maxlen=40)

    def text(self, mean: float, spread: float, kinds: tuple[str, ...]) -> str:
        """One row's text: lognormal, and as much longer or shorter as keeps the session to its size."""
        share = min(max(self.text_bytes / max(self.rows, 1) / (TEXT_BYTES / ROWS), 0.1), 4)
        size = int(min(mean * share * math.exp(self.draw.gauss(-spread * spread / 2, spread)), 400_000)) + 8
        if mean > 1500 and self.said and self.draw.random() < 0.08:
            made = self.draw.choice(self.said)  # an agent reads the same file again
        else:
            made = self.texts.filled(size, getattr(self.texts, self.draw.choice(kinds)))
        if self.draw.random() < 0.01:
            made += " " + self.draw.choice(ODD)
        self.said.append(made)
        return made

    def row(self, text: str) -> str:
        """Counts ``text`` as one searchable row."""
        size = len(text.encode())
        self.rows -= 1
        self.text_bytes -= size
        self.rows_written += 1
        self.bytes_written += size
        return text

    def event(self, kind: str, data: dict[str, Any], **more: object) -> dict[str, Any]:
        self.time += self.draw.randint(-5, 4000)
        made = {"type": kind, "seq": self.seq, "time": self.time, "data": data, **more}
        if "surfaceOp" in more:
            self.surface.append(self.seq)
        self.seq += 1
        return made

    def message(self, role: str, source: str, text: str, op: object = "append") -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        data = {"id": f"m{self.seq}", "role": role, "source": {"kind": source}, "content": content}
        return self.event(
            f"{role}/message", data if role == "user" else {"turn": 0, "step": 0, "message": data}, surfaceOp=op
        )

    def events(self) -> Iterator[dict[str, Any]]:
        prose = ("han",) * 4 + ("prose",) if self.chinese else ("prose",)
        yield self.message("system", "system-prompt", self.row(self.text(5000, 0.3, ("prose",))))
        for turn in itertools.count():
            if self.rows <= 0:
                return
            yield self.event("turn/start", {"turn": turn})
            yield self.message("user", "user", self.row(self.text(350, 1.0, prose)))
            if turn == 0:
                title = self.texts.filled(40, getattr(self.texts, prose[0]))
                yield self.event(
                    "session/title", {"title": title, "messageSeqs": [self.seq - 1], "source": {"kind": "fallback"}}
                )
            for step in range(self.draw.randint(1, 14)):
                if self.rows <= 0:
                    break
                yield from self.step(turn, step, prose)
            yield self.event("turn/end", {"turn": turn, "reason": {"kind": "completed"}})
            if self.draw.random() < 0.04 and self.rows > 0 and len(self.surface) > 3:
                span = {"op": "replace", "startSeq": self.surface[-3], "endSeq": self.surface[-1]}
                del self.surface[-3:]
                yield self.message("user", "compact-checkpoint", self.row(self.text(2000, 0.5, prose)), span)

    def step(self, turn: int, step: int, prose: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        content: list[dict[str, str]] = []
        call = f"call_{self.draw.getrandbits(48):012x}"
        tool = self.draw.choice(("bash", "read", "grep", "edit"))
        if self.draw.random() < 0.5:
            content.append({"type": "reasoning", "text": self.row(self.text(750, 0.9, prose))})
        if self.draw.random() < 0.5 and self.rows > 0:
            content.append({"type": "text", "text": self.row(self.text(650, 0.9, (*prose, "code")))})
        stream = [_chunks(block) for block in content]
        calls = self.rows > 1
        if calls:
            asked = {"path": self.texts.pick("files", 1)[0], "text": self.text(300, 1.1, ("code", "grep"))}
            given = json.dumps(asked, ensure_ascii=False)
            content.append({"type": "tool-call", "id": call, "name": tool, "arguments": given})
        yield self.event(
            "assistant/message",
            {"turn": turn, "step": step, "message": {"id": f"m{self.seq}", "role": "assistant", "content": content,
             "source": {"kind": "model", "provider": "p", "model": "m"}}, "stream": stream}, surfaceOp="append",
        )  # fmt: skip
        if calls:
            asked_for = {"turn": turn, "step": step, "callId": call, "name": tool, "arguments": self.row(given)}
            yield self.event("tool/call", asked_for)
            kinds = ("code",) * 4 + ("grep", "grep", "log", "json", "prose", "hashes", prose[0])
            block = [{"type": "text", "text": self.row(self.text(2750, 1.2, kinds))}]
            said = {"role": "tool", "toolCallId": call, "source": {"kind": "tool", "callId": call}, "content": block}
            yield self.event("tool/result", {"turn": turn, "step": step, "message": said}, surfaceOp="append")


def _chunks(block: dict[str, str]) -> dict[str, object]:
    """The deltas of a block, as the log keeps them beside the whole text."""
    text = block["text"]
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    return {"type": f"{block['type']}-chunks", "index": 0, "dt": [20] * len(pieces), "texts": pieces}


class _Log:
    """Appends records to a log the way its writer does: the header alone, then a frame for each small batch."""

    def __init__(self, path: Path, draw: random.Random) -> None:
        self.path, self.draw, self.size = path, draw, 0
        self.pack = zstandard.ZstdCompressor(level=3, write_checksum=True) if path.suffix == ".zstd" else None

    def write(self, records: Iterator[dict[str, Any]], *, header: bool = False) -> None:
        with self.path.open("ab") as file:
            while batch := list(itertools.islice(records, 1 if header else self.draw.randint(1, 7))):
                lines = "".join(
                    json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in batch
                ).encode()
                self.size += len(lines)
                file.write(self.pack.compress(lines) if self.pack else lines)
                header = False


def _sizes(draw: random.Random, scale: float) -> list[tuple[int, bool]]:
    """Rows and "is a subagent" of each session; the biggest is the first."""
    count, subagents = max(3, round(SESSIONS * scale)), round(SUBAGENTS * scale)
    flags = [number < subagents for number in range(count - 1)]
    biggest = largest = round(BIGGEST_ROWS * scale)
    while largest >= biggest:
        weights = [draw.lognormvariate(0, 1.1) * (1 if flag else 3) for flag in flags]
        share = (ROWS - BIGGEST_ROWS) * scale / sum(weights)
        largest = round(max(weights) * share)
    sizes = [(max(3, round(weight * share)), flag) for weight, flag in zip(weights, flags, strict=True)]
    draw.shuffle(sizes)
    return [(biggest, False), *sizes]


def write(folder: Path, scale: float = 1.0, *, seed: int = 20261201, suffix: str = ".jsonl.zstd") -> Corpus:
    """Writes the corpus below ``folder`` as a DSH home has it: ``<project>/<session>/session.v4.jsonl[.zstd]``."""
    draw = random.Random(seed)
    texts = Texts(draw)
    rows = text_bytes = log_bytes = 0
    first: list[dict[str, Any]] = []
    before = ""
    sizes = _sizes(draw, scale)
    for number, (wanted, subagent) in enumerate(sizes):
        name = f"session-{draw.getrandbits(64):016x}"
        project = f"/home/made/{texts.names[draw.randrange(40)]}"
        log = _Log(folder / f"--{project.strip('/').replace('/', '-')}--" / name / f"session.v4{suffix}", draw)
        log.path.parent.mkdir(parents=True)
        seeded = first if number % 25 == 7 else []
        start = len(seeded) + bool(seeded)
        budget = (
            rows + wanted
        ) * TEXT_BYTES / ROWS - text_bytes  # what the sessions before wrote too much is saved here
        session = _Session(texts, wanted, budget, chinese=draw.random() < 0.3, start=start)
        parent = {"parentSession": before} if seeded else {}
        header = {"type": "session", "version": 4, "id": name, "createdAt": session.time, "cwd": project, **parent}
        header |= {"origin": "subagent", "delegationDepth": 1} if subagent else {"delegationDepth": 0}
        end = {"type": "session/end-seed", "seq": len(seeded), "time": session.time, "data": {"inherited": True}}
        made = session.events()
        first = list(itertools.islice(made, 9))
        replayed = [*seeded, end] if seeded else []
        log.write(itertools.chain([header | {"isSeeded": bool(seeded)}], replayed, first, made), header=True)
        rows, text_bytes, log_bytes = (
            rows + session.rows_written,
            text_bytes + session.bytes_written,
            log_bytes + log.size,
        )
        before = name
        first = [one | {"seq": place} for place, one in enumerate(first)] if not seeded else []
        if number == 0:
            biggest = log.path
    return Corpus(folder, len(sizes), rows, text_bytes, log_bytes, biggest)


def append(log: Path, size: int, *, start: int, seed: int = 1) -> int:
    """Appends about ``size`` bytes of records to a log whose next event is ``start``; returns the rows added."""
    draw = random.Random(seed)
    session = _Session(Texts(draw), 10**6, 10**6 * TEXT_BYTES / ROWS, chinese=False, start=start)
    target = _Log(log, draw)
    made = session.events()
    while target.size < size:
        target.write(itertools.islice(made, 5))
    return session.rows_written
