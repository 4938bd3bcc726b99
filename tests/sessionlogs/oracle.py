"""The slow, plain answer to every search of sessions: decode all logs, look at every row.

What it is: the exam of the search. In: a folder of DSH logs, a query. Out: the rows that hold the query, the sessions
in their order, all totals. Never: an index, SQLite, a cap, code of the package.

The folding rule, one for every mode and every kind of query: two texts are the same if they are the same character for
character after *simple case folding* (Unicode's C and S mappings: one character to one character, the same everywhere
in a text, in every language). Nothing else is folded: no NFC, NFD or NFKC, no width, no accents, no simplified forms.
- NUL, %, _, quotes, operators, emoji, joiners and combining marks are characters like others, so they mean themselves.
- Because each character is folded by itself, fold(a + b) = fold(a) + fold(b): whatever piece of a text somebody
  copies, the text is found. Under NFKC "e" + U+0301 becomes one character and the copied U+0301 finds nothing; under
  full case folding "ß" becomes "ss" and a lone "s" is found where nobody sees one.
- Because a folded text is as long as the text, the place of a match is its place in the text: snippets need no map.
- What it costs: "é" in one character and in two are different queries, and so are "ｓｑｌ" and "sql", "ß" and "ss".
One exception before folding: a lone surrogate (half a character, which JSON can spell and UTF-8 cannot) is U+FFFD, in
texts and in queries.

A row is one searchable text of one session, (source, seq) with seq the event's number, or its place if it has none:
- "text": the text blocks of a user, assistant, system or developer message, joined by a line feed, if not empty;
- "reasoning": its reasoning (or thinking) blocks, likewise;
- "tool-call": the arguments of a tool/call or of a call in code mode, as written (an object as JSON);
- "tool-result": the text blocks of a tool/result, nested or not, or of a call in code mode.
Withdrawn texts are rows. Inherited events of a seeded session, deltas, attempts, prompts of titles and queued input are
not. A session counts too if its title or folder holds the query or its id starts with it.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

_EXPANDING = re.compile(
    "[" + "".join(c for c in map(chr, range(0x110000)) if not 0xD800 <= ord(c) < 0xE000 and len(c.casefold()) > 1) + "]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"session(?:\.v(\d+))?\.jsonl(?:\.zstd)?")
MESSAGES = ("user/message", "assistant/message", "system/message", "developer/message")


@dataclass(frozen=True, slots=True)
class Row:
    """One searchable text."""

    session: str
    source: str
    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """What a header and the last title say."""

    id: str
    title: str
    cwd: str
    created: int


@dataclass(frozen=True, slots=True)
class Found:
    """A session of an answer: the rows that hold the query, and where they are from."""

    session: str
    hits: int
    matched_in: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that holds the query: rows as (session, source, seq), sessions in order, no limit."""

    rows: tuple[tuple[str, str, int], ...]
    sessions: tuple[Found, ...]

    @property
    def total(self) -> int:
        """How many sessions there are before any limit."""
        return len(self.sessions)


def fold(text: str) -> str:
    """``text`` under the folding rule; as long as ``text``."""
    text = _SURROGATE.sub("\ufffd", text)
    return "".join(map(_simple, text)) if _EXPANDING.search(text) else text.casefold()


def _simple(char: str) -> str:
    """The simple folding: where the full one has several characters, the small letter, else the character itself."""
    return next((one for one in (char.casefold(), char.lower()) if len(one) == 1), char)


class Oracle:
    """All rows of all logs below a folder, decoded once."""

    def __init__(self, folder: Path) -> None:
        self.rows: list[Row] = []
        self.sessions: dict[str, Session] = {}
        for log in newest(folder):
            session, rows = decode(log)
            self.sessions[session.id] = session
            self.rows += rows
        self._folded = [fold(row.text) for row in self.rows]
        self._names = {key: (fold(one.id), fold(one.title), fold(one.cwd)) for key, one in self.sessions.items()}

    def search(self, query: str) -> Answer:
        """Every row and session that holds ``query``; in order of hits, then the newest, then by id."""
        if not query:
            raise ValueError("an empty query asks nothing")
        wanted = fold(query)
        found = [row for row, text in zip(self.rows, self._folded, strict=True) if wanted in text]
        hits: dict[str, list[str]] = {}
        for row in found:
            hits.setdefault(row.session, []).append(row.source)
        named = {
            key
            for key, (id_, title, cwd) in self._names.items()
            if wanted in title or wanted in cwd or id_.startswith(wanted)
        }
        order = sorted({*hits, *named}, key=lambda key: (-len(hits.get(key, ())), -self.sessions[key].created, key))
        return Answer(
            tuple(sorted((row.session, row.source, row.seq) for row in found)),
            tuple(Found(key, len(hits.get(key, ())), _matched(hits.get(key, ()), named=key in named)) for key in order),
        )


def _matched(sources: Iterable[str], *, named: bool) -> str:
    order = ("text", "reasoning", "tool-result", "tool-call")
    return "+".join(["title/cwd/id"] * named + [source for source in order if source in sources])


def newest(folder: Path) -> list[Path]:
    """Of each session's folder the log of the highest generation, sorted by path."""
    best: dict[Path, tuple[int, Path]] = {}
    for path in sorted(folder.rglob("session*")):
        if found := _NAME.fullmatch(path.name):
            best[path.parent] = max(best.get(path.parent, (-1, path)), (int(found[1] or 0), path))
    return sorted(path for _, path in best.values())


def lines(log: Path) -> Iterator[str]:
    """The whole lines of a log; a torn last line or frame is dropped."""
    with log.open("rb") as raw:
        data: Any = raw
        if log.suffix == ".zstd":
            data = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        with io.BufferedReader(data) as whole:
            for line in whole:
                if line.endswith(b"\n") and line.strip():
                    yield line.decode("utf-8", "replace")


def decode(log: Path) -> tuple[Session, list[Row]]:
    """One log's session and its own rows, in the order of the log."""
    header, *events = (_record(line) for line in lines(log))
    name, title, rows = str(header["id"]), "", []
    cut = _inherited(header, events)
    for place, event in enumerate(events):
        data = event.get("data") or {}
        if event.get("type") == "session/title":
            title = data.get("title") or title
        if place >= cut:
            seq = event.get("seq", place)
            rows += [Row(name, source, seq, text) for source, text in _texts(str(event.get("type")), data) if text]
    return Session(name, title, header.get("cwd") or "", header.get("createdAt") or 0), rows


def _record(line: str) -> dict[str, Any]:
    """The object of a line; a line that is none is an event without a type."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _inherited(header: dict[str, Any], events: list[dict[str, Any]]) -> int:
    """How many of the first events are another session's."""
    ends = [
        p
        for p, e in enumerate(events)
        if e.get("type") == "session/end-seed" and (e.get("data") or {}).get("inherited")
    ]
    return ends[-1] + 1 if ends else int(header.get("seedLength") or 0)


def _texts(kind: str, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    message = data.get("message") or data
    if kind in MESSAGES:
        yield "text", joined(message.get("content"), ("text",), "text")
        yield "reasoning", joined(message.get("content"), ("reasoning", "thinking"), "text", "thinking")
    elif kind == "tool/result":
        yield "tool-result", joined(message.get("content"), ("text",), "text")
    elif kind in ("tool/call", "tool/ptc-dispatch", "tool/code-dispatch"):
        given = data.get("arguments", "")
        yield "tool-call", given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        if kind != "tool/call":
            yield "tool-result", joined(data.get("content"), ("text",), "text")


def joined(content: object, kinds: tuple[str, ...], *fields: str) -> str:
    """The texts of the blocks of these kinds; content that is a plain string is text."""
    if isinstance(content, str):
        return content if "text" in kinds else ""
    parts: list[str] = []
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "tool-result":
            parts.append(joined(block.get("content"), kinds, *fields))
        elif block.get("type") in kinds:
            parts += [block[field] for field in fields if isinstance(block.get(field), str)]
    return "\n".join(part for part in parts if part)
