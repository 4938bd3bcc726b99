"""Where DSH logs lie, and what their names say: ``<project>/<session>/session[.vN].jsonl[.zstd]``.

In: the folder ``sessions`` of a DSH home. Out: one file for each session, that of the highest generation. Never: a
session twice, a log that is opened where its name is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from dbgraph_nb.sessionlogs.lines import is_packed
from dbgraph_nb.sessionlogs.reading import LIMITS, Problem, SessionFile, Tally
from dbgraph_nb.sessionlogs.records import as_dict, as_number, as_text, first_record
from dbgraph_nb.sessionlogs.walking import Found, walk

NAME: Final = "dsh"
_LOG: Final = re.compile(r"session(?:\.v([1-9][0-9]{0,3}))?\.jsonl(?:\.zstd)?")
_ESCAPED: Final = re.compile(r"(?:~[0-9A-Fa-f]{4})+")


@dataclass(frozen=True, slots=True)
class _Log:
    found: Found
    generation: int

    @property
    def rank(self) -> tuple[int, int, bool]:
        """The highest generation is the session; of two in both encodings, the one written last."""
        return self.generation, self.found.stat.st_mtime_ns, is_packed(self.found.path)


def discover(root: Path, *, headers: bool = False) -> Iterator[SessionFile | Problem]:
    """The sessions below ``root``, sorted by id, behind the problems of the walk.

    Of two folders with the same id the one with the newer log is the session; the other one is a problem.
    """
    folders: dict[Path, list[_Log]] = {}
    for found in walk(root, lambda name: name.startswith("session") and _LOG.fullmatch(name) is not None):
        if isinstance(found, Problem):
            yield found
        elif match := _LOG.fullmatch(found.path.name):
            folders.setdefault(found.path.parent, []).append(_Log(found, int(match[1] or 0)))
    sessions: dict[str, list[list[_Log]]] = {}
    for folder, logs in folders.items():
        sessions.setdefault(decoded_id(folder.name), []).append(sorted(logs, key=lambda log: log.rank, reverse=True))
    for id_ in sorted(sessions):
        first, *others = sorted(sessions[id_], key=lambda logs: logs[0].rank, reverse=True)
        for logs in others:
            hint = f"It is read from {first[0].found.path.parent}; move one of them away."
            yield Problem(
                "duplicate-id", logs[0].found.path, "Another folder holds a session of the same id.", hint=hint
            )
        file = _session_file(id_, first)
        yield described(file) if headers else file


def described(file: SessionFile) -> SessionFile:
    """``file`` with what its first line says."""
    header = first_record(file.path, LIMITS, Tally()) or {}
    if header.get("type") != "session":
        return file
    return replace(
        file,
        project=as_text(header.get("cwd")) or file.project,
        parent=as_text(header.get("parentSession")),
        subagent=is_subagent(header),
        created=as_number(header.get("createdAt")),
    )


def is_subagent(header: dict[str, object]) -> bool:
    """Whether another session delegated this one; a fork has a parent too, and is none."""
    origin = header.get("origin")
    return (origin if isinstance(origin, str) else as_dict(origin).get("kind")) == "subagent"


def decoded_id(name: str) -> str:
    """The id of a session from the name of its folder, where an unsafe UTF-16 unit is ``~`` and four hex digits.

    >>> decoded_id("a~002Fb~D83D~DE00")
    'a/b😀'
    """
    return _ESCAPED.sub(lambda run: _units(run[0].split("~")[1:]), name)


def _units(codes: Sequence[str]) -> str:
    return b"".join(int(code, 16).to_bytes(2, "little") for code in codes).decode("utf-16-le", "replace")


def _session_file(id_: str, logs: Sequence[_Log]) -> SessionFile:
    newest, *older = logs
    path, stat = newest.found.path, newest.found.stat
    return SessionFile(
        path=path,
        format=NAME,
        id=id_,
        project=path.parent.parent.name,
        generation=newest.generation,
        older=tuple(log.found.path for log in older),
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        device=stat.st_dev,
        inode=stat.st_ino,
    )
