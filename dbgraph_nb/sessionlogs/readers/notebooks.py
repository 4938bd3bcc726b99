"""Notebooks: ``.ipynb`` files of formats 3 and 4.

In: a folder, a file. Out: its cells and the texts of their outputs, in order. Never: an image or a blob as a text, a
copy that Jupyter keeps for itself, a file that is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, Final

from dbgraph_nb.sessionlogs.events import Event, Message, Role, SessionHeader, ToolResult
from dbgraph_nb.sessionlogs.lines import Line
from dbgraph_nb.sessionlogs.reading import LIMITS, START, Cursor, Limits, Problem, Reading, SessionFile, Tally
from dbgraph_nb.sessionlogs.records import as_dict, as_number, as_text, opened, parsed
from dbgraph_nb.sessionlogs.squeeze import Squeezer
from dbgraph_nb.sessionlogs.walking import walk

NAME: Final = "notebooks"
APPENDS: Final = False  # a save writes the whole file anew
_PIECE: Final = 1 << 18
_PASSED: Final = frozenset({"node_modules", "__pycache__", "site-packages"})
_ANSI: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_NOT_SHOWN: Final = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]*>")
_SPACE: Final = re.compile(r"[ \t]*\n\s*")
_PLACEHOLDER: Final = re.compile(r"<[\w. ]+(?: object)?(?: at 0x[0-9a-fA-F]+)?>|<Figure size [^>]*>")
_TEXTS: Final = ("text/plain", "text/markdown", "text/latex")
_OLD_NAMES: Final = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "png": "image/png",
                     "jpeg": "image/jpeg", "svg": "image/svg+xml", "javascript": "application/javascript",
                     "json": "application/json", "pdf": "application/pdf"}  # fmt: skip
_KINDS: Final = {"code": "code", "markdown": "markdown", "heading": "markdown", "html": "markdown", "raw": "raw"}


def discover(root: Path, *, headers: bool = False) -> Iterator[SessionFile | Problem]:
    """The notebooks below ``root``; not in hidden folders, where Jupyter keeps copies."""
    for found in walk(
        root,
        lambda name: name.endswith(".ipynb"),
        depth=12,
        passed=lambda name: name.startswith(".") or name in _PASSED,
    ):
        if isinstance(found, Problem):
            yield found
            continue
        path, stat = found.path, found.stat
        yield SessionFile(
            path=path,
            format=NAME,
            id=_id(path),
            project=path.parent.as_posix(),
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
            device=stat.st_dev,
            inode=stat.st_ino,
        )


def read(path: Path, at: Cursor = START, *, part: str = "", limits: Limits = LIMITS) -> Reading:
    """All cells, wherever ``at`` is: a save may have changed any of them."""
    tally = Tally()
    return Reading(_events(path, limits, tally), tally, lambda: Cursor(tally.bytes_read, records=tally.records))


def _id(path: Path) -> str:
    return path.absolute().as_posix()


def _events(path: Path, limits: Limits, tally: Tally) -> Iterator[Event]:
    notebook, cut = _loaded(path, limits, tally)
    if notebook is None:
        return
    yield SessionHeader(
        seq=-1,
        id=_id(path),
        format=NAME,
        version=as_number(notebook.get("nbformat")),
        cwd=path.parent.absolute().as_posix(),
        cut=cut,
    )
    for seq, cell in enumerate(_cells(notebook)):
        tally.records += 1
        tally.events += 1
        yield from _cell(seq, cell, tally)


def _loaded(path: Path, limits: Limits, tally: Tally) -> tuple[dict[str, Any] | None, int]:
    """The notebook, shortened while it is read if it is large, and how many bytes of text are missing."""
    with opened(path, tally) as file:
        if file is None:
            return None, 0
        squeezer = Squeezer(limits)
        data = file.read(limits.line + 1)
        tally.bytes_read = len(data)
        if len(data) > limits.line:
            while data:
                squeezer.feed(data)
                data = file.read(_PIECE)
                tally.bytes_read += len(data)
            data = squeezer.result()
    tally.blobs, tally.blob_bytes = squeezer.blobs, squeezer.blob_bytes
    tally.cut_records, tally.cut_bytes = int(squeezer.cut > 0), squeezer.cut
    if squeezer.cut:
        message = "Texts of the notebook are longer than is held at once; their ends are missing."
        tally.problem("text-cut", path, message, count=squeezer.cut, hint="Raise the limits of line and text.")
    found = parsed(Line(None if squeezer.overflow else data), path, own := Tally())
    bad = own.problems.get("bad-bytes")
    if bad:
        tally.problems[bad.code] = bad
    if not isinstance(found.get("cells", found.get("worksheets")), list):
        hint = "Look for marks of a merge in it." if b"\n<<<<<<< " in data else "Open and save it in Jupyter."
        tally.problem("bad-notebook", path, "The file is no notebook that can be read.", hint=hint)
        return None, 0
    return found, squeezer.cut


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells in order; format 3 has them in worksheets."""
    sheets = [notebook] if isinstance(notebook.get("cells"), list) else notebook["worksheets"]
    for sheet in sheets:
        cells = as_dict(sheet).get("cells")
        yield from (as_dict(cell) for cell in cells) if isinstance(cells, list) else ()


def _cell(seq: int, cell: dict[str, Any], tally: Tally) -> Iterator[Event]:
    kind = as_text(cell.get("cell_type"))
    number = as_number(cell.get("execution_count", cell.get("prompt_number")))
    role: Role = "user"
    yield Message(
        seq=seq,
        turn=number,
        role=role,
        kind=_KINDS.get(kind, kind or "raw"),
        text=_joined(cell.get("source", cell.get("input"))),
        id=as_text(cell.get("id")),
    )
    tally.blobs += len(as_dict(cell.get("attachments")))
    texts, failed, name = [], False, ""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        found = as_dict(output)
        texts.append(_output(found, tally))
        if found.get("output_type") in ("error", "pyerr"):
            failed, name = True, as_text(found.get("ename"))
    text = "\n".join(text.rstrip("\n") for text in texts if text.strip())
    if text or failed:
        yield ToolResult(seq=seq, part=1, turn=number, call_id=str(seq), text=text, error=failed, error_name=name)


def _output(output: dict[str, Any], tally: Tally) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        return _ANSI.sub("", _joined(output.get("text")))
    if kind in ("error", "pyerr"):
        trace = _ANSI.sub("", _joined(output.get("traceback"), "\n"))
        last = f"{as_text(output.get('ename'))}: {as_text(output.get('evalue'))}"
        return trace if last in trace else f"{trace}\n{last}".strip()
    data = output.get("data")
    if not isinstance(data, dict):
        data = {mime: output[old] for old, mime in _OLD_NAMES.items() if old in output}
    return _displayed(data, tally)


def _displayed(data: dict[str, Any], tally: Tally) -> str:
    """What a person reads of an output that is there in several forms: not the same thing twice."""
    texts = [_ANSI.sub("", _joined(data[mime])) for mime in _TEXTS if mime in data]
    texts = [text for text in texts if not _PLACEHOLDER.fullmatch(text.strip())]
    if not texts and "text/html" in data:
        texts = [without_tags(_joined(data["text/html"]))]
    for mime, value in data.items():
        if mime not in (*_TEXTS, "text/html") and value != "":  # an emptied one is counted already
            tally.blobs += 1
            tally.blob_bytes += len(_joined(value)) or len(json.dumps(value))
    return "\n".join(text for text in texts if text)


def _joined(value: object, between: str = "") -> str:
    if isinstance(value, list):
        return between.join(one for one in value if isinstance(one, str))
    return as_text(value)


def without_tags(html: str) -> str:
    """The text of a piece of HTML.

    >>> without_tags("<style>p {}</style><p>1 &lt; <b>2</b></p>")
    '1 < 2'
    """
    return _SPACE.sub("\n", unescape(_TAG.sub(" ", _NOT_SHOWN.sub("", html)))).replace("  ", " ").strip()
