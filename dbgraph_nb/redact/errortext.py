"""Engine error texts without values.

In: a driver's message. Out: the same message, with "…" for everything that may be a value. Never: a quoted text, a
number or a word that is neither a known name in a place for names nor part of the engines' own vocabulary: what is
kept is listed, not what is removed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

GAP = "…"

_QUOTES = "'\"`"
_PIECE = re.compile(r"\d+(?:[.:]\d+)*|\w+|[^\w\s]", re.S)
# Values and names are seen as wholes: "S3CR3T-a" is one, "(password)=(…)" are two.
_CHUNK = re.compile(r"[A-Za-z]+'[a-z]{1,2}(?!\w)|[\s()=,:;\[\]{}!?]+|[^\s()=,:;\[\]{}!?]+")
# The excerpt of the statement that DuckDB and PostgreSQL append, with its literals.
_EXCERPT = re.compile(r"\s*\bLINE \d+:[^\n]*(?:\n\s*\^+)?")
_GAPS = re.compile(rf"(?:[('\"`]*{GAP}[)'\"`]*[\s,;:.=+*/<>|&^%$#@!?~-]*){{2,}}")
_NUMBERED = frozenset([
    "line", "position", "character", "char", "row", "offset", "error", "code", "errno", "sqlstate",
])  # fmt: skip
# A name may stand after these; after "string", "value" or "entry" the same word would be a value.
_NAMING = frozenset([
    "column", "columns", "table", "tables", "key", "keys", "index", "view", "relation", "name", "named",
    "database", "schema", "constraint", "alias", "bindings", "mean", "near", "field", "variable", "sequence",
    "function", "scalar", "aggregate", "module", "collation", "failed",
])  # fmt: skip
_CLAUSES = frozenset(
    ["select", "where", "field list", "where clause", "order clause", "group statement", "having clause", "on clause",
     "group by", "order by", "from clause"]
)  # fmt: skip
_SHORT = frozenset(["can't", "don't", "doesn't", "didn't", "isn't", "couldn't", "won't", "wasn't", "it's", "hasn't"])
_TYPE = re.compile(r"(?:(?:u?(?:tiny|small|big|huge|medium)?int|float|double|bit)\d*|utf8mb[34]|utf-?8|latin1)$")
_RAISED = re.compile(r"(?:\w+ )*Invalid Input Error:|.*\buser-defined\b", re.I)  # DuckDB's error() gives any text
_LONGEST = 2000  # characters read; an engine's own words come first


def scrub(text: str, keep: Collection[str] = ()) -> str:
    """The message with every possible value replaced by "…".

    Args:
        text: the engine's message.
        keep: names that may stay where a name is expected: tables, columns, what the user's own statement names.

    >>> scrub("Duplicate entry 'zhang@x.cn' for key 'users.email'", keep=["users", "email"])
    "Duplicate entry '…' for key 'users.email'"
    >>> scrub("no such column: pasword", keep=["pasword"])
    'no such column: pasword'
    """
    names = {name.lower() for name in keep}
    text = _EXCERPT.sub("", text[:_LONGEST])
    raised = _RAISED.match(text)
    if raised:
        return f"{raised[0]} {GAP}"
    pieces: list[str] = []
    context = ""  # the word before, which says what is expected
    for quote, part in _quoted(text):
        if quote:
            known = (context in _NAMING and _is_path(part, names)) or part.lower() in _CLAUSES
            pieces.append(f"{quote}{part if known else GAP}{quote}")
            context = context if known else ""
        else:
            shown, context = _outside(part, names, context)
            pieces.append(shown)
    return _GAPS.sub(_one_gap, "".join(pieces)).strip()


def _one_gap(match: re.Match[str]) -> str:
    """Several gaps in a row tell nothing more than one; the first quote and the last mark are kept."""
    first, last = match[0].lstrip(), match[0].rstrip()
    opening = first[0] if first[0] in "('\"`" else ""
    closing = {"(": ")"}.get(opening, opening)
    spaces = match[0][len(last) :]
    dot = last[-1] if last[-1] in ".!,;" else ""
    return f"{opening}{GAP}{closing}{dot}{spaces}"


def _quoted(text: str) -> list[tuple[str, str]]:
    """The text in parts: (quote, inside) or ("", outside). An open quote takes all that follows."""
    parts: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        opening = next((i for i in range(position, len(text)) if _opens(text, i)), len(text))
        parts.append(("", text[position:opening]))
        if opening == len(text):
            break
        closing = _closing(text, opening)
        parts.append((text[opening], text[opening + 1 : closing]))
        position = closing + 1
    return parts


def _opens(text: str, position: int) -> bool:
    if text[position] not in _QUOTES:
        return False
    # An apostrophe inside a word (can't) opens nothing.
    inside = 0 < position < len(text) - 1 and text[position - 1].isalpha() and text[position + 1].isalpha()
    return not (text[position] == "'" and inside)


def _closing(text: str, opening: int) -> int:
    """Where the quoted part ends: at the last quote of its kind that no letter follows, before the next one that
    opens; a value may hold quotes itself, and then too much is hidden rather than too little."""
    quote = text[opening]
    found = -1
    for position in range(opening + 1, len(text)):
        if text[position] != quote:
            continue
        after = text[position + 1 : position + 2]
        before = text[position - 1]
        if found >= 0 and (before.isspace() or before in "(=,:.@") and after and not after.isspace():
            return found
        if not after.isalnum():
            found = position
    return found if found >= 0 else len(text)


def _is_path(part: str, names: set[str]) -> bool:
    """Whether a quoted part is a known name, or a path of names."""
    pieces = [piece for piece in re.split(r"[.\s]+", part.lower()) if piece]
    known = [piece in names for piece in pieces]
    return part.lower() in names or (any(known) and all(k or p in _words() for k, p in zip(known, pieces, strict=True)))


def _outside(part: str, names: set[str], context: str) -> tuple[str, str]:
    """Text between quotes, and the last word that says what comes next."""
    kept: list[str] = []
    for chunk in _CHUNK.findall(part):
        words = [piece.lower() for piece in _PIECE.findall(chunk) if piece[0].isalnum() or piece[0] == "_"]
        if not words:
            kept.append(chunk)
            if "." in chunk or "=" in chunk:
                context = ""
            continue
        number = chunk[0].isdigit() and context in _NUMBERED
        named = context in _NAMING and all(word in names or word in _words() for word in words)
        plain = chunk.lower() in _SHORT or all(word in _words() or _TYPE.match(word) for word in words)
        kept.append(chunk if number or named or plain else _hidden(chunk))
        context = words[-1] if plain else ("" if number else context if named and chunk.endswith(".") else "")
    return "".join(kept), context


def _hidden(chunk: str) -> str:
    end = chunk[-1] if chunk[-1] in ".!;" else ""
    return GAP + end


@cache
def _words() -> frozenset[str]:
    """The engines' own vocabulary: words of their messages, keywords, types."""
    text = Path(__file__).with_name("error_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
