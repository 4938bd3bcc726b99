"""A path as text: what can be one of this computer's files, and what kind of file it names.

In: what a user wrote. Out: the text, or its ending. Never: a look at the disk.
"""

from __future__ import annotations

import os
import re

from dbgraph_nb.workspace.refusals import a_folder, refused, short

MAGIC = re.compile(r"[*?\[]")
_LONGEST = 4_096  # bytes, the system's own bound
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+\-]+:(?!\\)")
_WINDOWS = re.compile(
    r"[A-Za-z]:|\\\\|//[^/]|.*:[^/\\]*\Z|(?:.*[/\\])?(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?\Z", re.IGNORECASE
)


def checked(given: str | os.PathLike[str]) -> str:
    """The path as text, if it can be one of this computer's files."""
    text = os.fspath(given) if isinstance(given, str | os.PathLike) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise refused("bad-path", "That is not a path.", "Give the name of a file in the workspace.")
    if _URL.match(text) and not (os.name == "nt" and re.match(r"[A-Za-z]:", text)):
        raise refused("path-is-url", "That is a URL; only files of the workspace are read.", "Download it first.")
    try:
        long = len(os.fsencode(text)) > _LONGEST
    except UnicodeEncodeError:
        raise refused("bad-path", "That path holds a character that no file name can have.", "Check it.") from None
    if long:
        raise refused("bad-path", f"That path is longer than {_LONGEST:,} bytes.", "Check it.")
    if text.startswith("~") or _WINDOWS.match(text):
        raise refused(
            "bad-path",
            f"{short(text)} is no path inside a workspace: ~, drives, shares, streams and devices are not looked at.",
            "Write it relative to the workspace, with /.",
        )
    return text


def suffix_of(text: str, suffixes: frozenset[str]) -> str:
    name = re.split(r"[/\\]" if os.name == "nt" else "/", text)[-1].lower()
    found = max((suffix for suffix in suffixes if name.endswith(suffix)), key=len, default=None)
    if found is None:
        if name in ("", ".", "..") or text.endswith("/"):
            raise a_folder(text)
        known = ", ".join(sorted(suffixes))
        raise refused("unknown-file-type", f"The kind of file of {short(text)} is not known.", f"Known: {known}.")
    return found
