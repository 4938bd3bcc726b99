"""Blocks of content: what can be read in a message, and what is only counted.

In: the content of a message, as a log has it. Out: its text and its reasoning. Never: a text twice, an image's bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dbgraph_nb.sessionlogs.reading import Tally

_TEXT: Final = frozenset({"text", "input_text", "output_text"})
_REASONING: Final = frozenset({"reasoning", "thinking"})
_BLOBS: Final = frozenset({"image", "file", "document", "input_image", "image_url", "audio"})
_DEEPEST: Final = 8  # tool results in tool results


def text_of(content: object) -> str:
    """The text blocks, also those inside of tool results, joined by line feeds; a plain string is itself.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "tool-result", "content": [{"type": "text", "text": "b"}]}])
    'a\\nb'
    """
    if isinstance(content, str):
        return content
    return "\n".join(one["text"] for one in _blocks(content) if one.get("type") in _TEXT and _has(one, "text"))


def reasoning_of(content: object) -> str:
    """The reasoning blocks, joined by line feeds; a plain string is none."""
    found = []
    for one in _blocks(content):
        if one.get("type") in _REASONING:
            found += [one[field] for field in ("text", "thinking") if _has(one, field)]
    return "\n".join(found)


def results_in(content: object) -> Iterator[dict[str, Any]]:
    """The tool-result blocks at the top."""
    for one in content if isinstance(content, list) else ():
        if isinstance(one, dict) and one.get("type") in ("tool-result", "tool_result"):
            yield one


def count_blobs(content: object, tally: Tally) -> None:
    """Counts the blocks that are no text."""
    for one in _blocks(content):
        if one.get("type") in _BLOBS:
            source = one.get("source")
            data = source.get("data") if isinstance(source, dict) else one.get("image_url")
            if data != "":  # else it was emptied, and counted, while the line was read
                tally.blobs += 1
                tally.blob_bytes += len(data) if isinstance(data, str) else 0


def _has(block: dict[str, Any], field: str) -> bool:
    return isinstance(block.get(field), str) and block[field] != ""


def _blocks(content: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """All blocks in order; in the place of a tool result those that it holds."""
    for one in content if isinstance(content, list) else ():
        if not isinstance(one, dict):
            continue
        if one.get("type") in ("tool-result", "tool_result") and depth < _DEEPEST:
            inner = one.get("content")
            yield from [{"type": "text", "text": inner}] if isinstance(inner, str) else _blocks(inner, depth + 1)
        else:
            yield one
