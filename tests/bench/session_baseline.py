"""The plain scheme that the session index has to beat: a contentful trigram table beside tables of the texts.

What it is: the usual way to do it, built from its description to run in the same process as ours: each text is kept
twice (in its own table, and in an FTS5 table with its trigrams and positions); a changed log is decoded and folded
whole, its texts replaced, and the index appended to; a query of three characters or more is one quoted phrase, a
shorter one a scan with LIKE. In: logs of generation 4. Out: a SQLite store, answers as the first sessions by hits.
Never: a cap on what is searchable (``caps=True`` cuts as its model does: arguments at 4,000, results at 8,000
characters, so that a smaller store can be told from a store of less).
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, path TEXT, cwd TEXT, created_at INT, title TEXT, events INT,
  high_water INT, bytes INT, mtime INT, origin TEXT);
CREATE TABLE IF NOT EXISTS messages(session_id TEXT, seq INT, turn INT, role TEXT, kind TEXT, text TEXT,
  reasoning TEXT, shadowed INT);
CREATE TABLE IF NOT EXISTS tool_calls(session_id TEXT, call_id TEXT, name TEXT, args TEXT, seq INT);
CREATE TABLE IF NOT EXISTS tool_results(session_id TEXT, call_id TEXT, text TEXT, chars INT, is_error INT, seq INT);
CREATE TABLE IF NOT EXISTS mirror_state(session_id TEXT PRIMARY KEY, high_water INT);
CREATE INDEX IF NOT EXISTS messages_of ON messages(session_id);
CREATE INDEX IF NOT EXISTS calls_of ON tool_calls(session_id);
CREATE INDEX IF NOT EXISTS results_of ON tool_results(session_id);
CREATE VIRTUAL TABLE IF NOT EXISTS search_fts USING fts5(body, session_id UNINDEXED, source UNINDEXED, seq UNINDEXED,
  tokenize='trigram');
"""
TEXTS = """
SELECT text AS body, session_id, 'text' AS source, seq FROM messages WHERE text <> ''
UNION ALL SELECT reasoning, session_id, 'reasoning', seq FROM messages WHERE reasoning <> ''
UNION ALL SELECT args, session_id, 'tool-call', seq FROM tool_calls WHERE args <> ''
UNION ALL SELECT text, session_id, 'tool-result', seq FROM tool_results WHERE text <> ''
"""
COUNTED = "SELECT session_id, source, count(*), min(rowid) FROM search_fts WHERE search_fts MATCH ? GROUP BY 1, 2"
SCANNED = f"SELECT session_id, source, count(*), min(body) FROM ({TEXTS}) WHERE body LIKE ? ESCAPE '\\' GROUP BY 1, 2"
MARKED = "SELECT snippet(search_fts, 0, '[', ']', ' ... ', 53) FROM search_fts WHERE search_fts MATCH ? AND rowid = ?"
APPENDED = f"INSERT INTO search_fts SELECT * FROM ({TEXTS}) WHERE session_id = ? AND seq > ?"


@dataclass(frozen=True, slots=True)
class Hit:
    """One session of an answer."""

    session: str
    hits: int
    matched_in: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Found:
    """The first sessions of an answer, and how many sessions and rows there are in all."""

    hits: tuple[Hit, ...]
    sessions: int
    rows: int
    mode: str


class Baseline:
    """The store at ``path`` over the logs below ``logs``."""

    def __init__(self, path: Path, logs: Path, *, caps: bool = False) -> None:
        self.logs = logs
        self.caps = (4_000, 8_000) if caps else (None, None)
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.executescript(SCHEMA)

    def build(self) -> int:
        """Folds every log, then makes the index in one statement; returns the rows of the index."""
        for log in self._all():
            self._refold(log)
        self.db.execute("BEGIN")
        self.db.execute(f"INSERT INTO search_fts(body, session_id, source, seq) {TEXTS}")
        self.db.execute("INSERT INTO mirror_state SELECT id, high_water FROM sessions")
        self.db.execute("COMMIT")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(self.db.execute("SELECT count(*) FROM search_fts").fetchone()[0])

    def refresh(self) -> int:
        """Refolds each log whose time or size changed, whole; returns how many."""
        known = {
            path: (size, mtime) for path, size, mtime in self.db.execute("SELECT path, bytes, mtime FROM sessions")
        }
        changed = 0
        for log in self._all():
            stat = log.stat()
            if known.get(str(log)) != (stat.st_size, stat.st_mtime_ns):
                self._mirror(self._refold(log))
                changed += 1
        return changed

    def search(self, term: str, limit: int = 20) -> Found:
        """The sessions with most rows that hold ``term``, then the newest, with one snippet each."""
        found, indexed = self._counted(term)
        by_session: dict[str, list[tuple[str, int, Any]]] = {}
        for session, source, count, place in found:
            by_session.setdefault(session, []).append((source, count, place))
        created = dict(self.db.execute("SELECT id, created_at FROM sessions"))
        order = sorted(by_session, key=lambda key: (-sum(s[1] for s in by_session[key]), -created[key], key))
        hits = tuple(self._hit(term, key, by_session[key], indexed=indexed) for key in order[:limit])
        return Found(hits, len(order), sum(row[2] for row in found), "fts5-trigram" if indexed else "like")

    def _counted(self, term: str) -> tuple[list[tuple[str, str, int, Any]], bool]:
        """Rows a session and source by the index; by the scan if it is too short or FTS5 refuses it."""
        if len(term) >= 3:
            try:
                return self.db.execute(COUNTED, (_phrase(term),)).fetchall(), True
            except sqlite3.OperationalError:
                pass
        escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return self.db.execute(SCANNED, (f"%{escaped}%",)).fetchall(), False

    def _hit(self, term: str, session: str, parts: list[tuple[str, int, Any]], *, indexed: bool) -> Hit:
        place = min(part[2] for part in parts)
        if indexed:
            snippet = self.db.execute(MARKED, (_phrase(term), place)).fetchone()[0]
        else:
            at = max(0, place.lower().find(term.lower()) - 60)
            snippet = place[at : at + 160]
        return Hit(session, sum(part[1] for part in parts), "+".join(sorted(part[0] for part in parts)), snippet)

    def _all(self) -> list[Path]:
        return sorted(self.logs.rglob("session.v4.jsonl*"))

    def _refold(self, log: Path) -> str:
        """Replaces everything of one log in one transaction; returns the session's id."""
        events = _decoded(log)
        header = events[0]
        session = str(header["id"])
        stat = log.stat()
        messages, calls, results, title = _fold(session, events[1:], *self.caps)
        self.db.execute("BEGIN")
        for table in ("messages", "tool_calls", "tool_results"):
            self.db.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
        self.db.executemany("INSERT INTO messages VALUES(?,?,?,?,?,?,?,?)", messages)
        self.db.executemany("INSERT INTO tool_calls VALUES(?,?,?,?,?)", calls)
        self.db.executemany("INSERT INTO tool_results VALUES(?,?,?,?,?,?)", results)
        row = (session, str(log), header.get("cwd"), header["createdAt"], title, len(events) - 1, len(events) - 2)
        more = (stat.st_size, stat.st_mtime_ns, header.get("origin"))
        self.db.execute("INSERT OR REPLACE INTO sessions VALUES(?,?,?,?,?,?,?,?,?,?)", row + more)
        self.db.execute("COMMIT")
        return session

    def _mirror(self, session: str) -> None:
        """Appends the rows above the mark of one session."""
        mark = self.db.execute("SELECT high_water FROM mirror_state WHERE session_id = ?", (session,)).fetchone()
        self.db.execute("BEGIN")
        self.db.execute(APPENDED, (session, mark[0] if mark else -1))
        self.db.execute(
            "INSERT OR REPLACE INTO mirror_state SELECT id, high_water FROM sessions WHERE id = ?", (session,)
        )
        self.db.execute("COMMIT")


def _phrase(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _decoded(log: Path) -> list[dict[str, Any]]:
    """All records of a log, in memory at once."""
    with log.open("rb") as raw:
        data: Any = raw
        if log.suffix == ".zstd":
            data = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return [json.loads(line) for line in io.BytesIO(data.read()) if line.strip()]


Rows = tuple[list[tuple[object, ...]], list[tuple[object, ...]], list[tuple[object, ...]], str]


def _fold(session: str, events: list[dict[str, Any]], arguments_cap: int | None, text_cap: int | None) -> Rows:
    """The rows of the three tables, and the last title."""
    messages: list[tuple[object, ...]] = []
    calls: list[tuple[object, ...]] = []
    results: list[tuple[object, ...]] = []
    title = ""
    seeds = [e["seq"] for e in events if e["type"] == "session/end-seed" and e["data"].get("inherited")]
    withdrawn = {n for e in events for n in _replaced(e)}
    for event in events:
        kind, data, seq = event["type"], event["data"], event["seq"]
        if kind == "session/title":
            title = data["title"] or title
        if seeds and seq <= seeds[-1]:
            continue
        message = data.get("message") or data
        if kind == "tool/call":
            calls.append((session, data["callId"], data["name"], data["arguments"][:arguments_cap], seq))
        elif kind == "tool/result":
            text = "\n".join(_blocks(message, "text"))
            wrong = int(bool(data.get("error") or message.get("isError")))
            results.append((session, message["toolCallId"], text[:text_cap], len(text), wrong, seq))
        elif kind.endswith("/message"):
            texts = ("\n".join(_blocks(message, "text")), "\n".join(_blocks(message, "reasoning")))
            role, source = message["role"], message["source"]["kind"]
            messages.append((session, seq, data.get("turn"), role, source, *texts, int(seq in withdrawn)))
    return messages, calls, results, title


def _replaced(event: dict[str, Any]) -> Iterator[int]:
    span = event.get("surfaceOp")
    if isinstance(span, dict):
        yield from range(span["startSeq"], span["endSeq"] + 1)


def _blocks(message: dict[str, Any], kind: str) -> list[str]:
    content = message["content"]
    return [block["text"] for block in content if block["type"] == kind and block["text"]]
