"""Which part of a document or struct an expression takes: JSON operators and paths, dots, brackets.

In: expressions. Out: the keys they follow, or None where that is not certain. Never: a key that the engine could
read in another way; only plain names and whole numbers count, everything else means "any part".
"""

from __future__ import annotations

import re

from sqlglot import exp

Keys = tuple[str, ...]

_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*$")
_JSON_PATH = re.compile(r"\$(?:\.(?:[^\W\d][\w-]*|\"[^\W\d][\w-]*\")|\[\d+\])*$")
_STEP = re.compile(r"\.\"?([^\W\d][\w-]*)\"?")
_POINTER = re.compile(r"(?:/(?:[^\W\d][\w-]*|\d+))+$")
_POSTGRES_PATH = re.compile(r"\{[^\W\d][\w-]*(?:,(?:[^\W\d][\w-]*|\d+))*\}$")

_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_WORD = re.compile(r"\"([^\"]+)\"|([^\W\d][\w-]*)")
_KEY = re.compile(r"\"([^\"]+)\"\s*:")
_LONGEST = 10_000  # characters of a text that is looked at for keys

JSON_PARTS = (
    exp.JSONExtract,
    exp.JSONExtractScalar,
    exp.JSONBExtract,
    exp.JSONBExtractScalar,
    exp.StructExtract,
)


def of_text(text: str) -> Keys | None:
    """The keys that a path or key given as text follows; list positions are no keys.

    >>> of_text("$.user.password"), of_text("city"), of_text("/a/0/b"), of_text("{a,b}"), of_text("$..x")
    (('user', 'password'), ('city',), ('a', 'b'), ('a', 'b'), None)
    """
    if _PLAIN_KEY.match(text):
        return (text.lower(),)
    if _JSON_PATH.match(text):
        return tuple(key.lower() for key in _STEP.findall(text))
    if _POINTER.match(text):
        return tuple(key.lower() for key in text[1:].split("/") if not key.isdecimal())
    if _POSTGRES_PATH.match(text):
        return tuple(key.lower() for key in text[1:-1].split(",") if not key.isdecimal())
    return None


def of_expression(node: exp.Expr | None) -> Keys | None:
    """The keys that the right side of a JSON operator or an argument names; None if it may be any."""
    if isinstance(node, exp.Literal):
        return of_text(node.name) if node.is_string else ()
    if isinstance(node, exp.JSONPath):
        keys: list[str] = []
        for part in node.expressions:
            if isinstance(part, exp.JSONPathRoot):
                continue
            if isinstance(part, exp.JSONPathSubscript) and isinstance(part.this, int):
                continue
            key = part.this if isinstance(part, exp.JSONPathKey) else None
            if not isinstance(key, str) or not _PLAIN_KEY.match(key):
                return None
            keys.append(key.lower())
        return tuple(keys)
    return None


def words(node: exp.Expr) -> set[str]:
    """Every key that the texts and paths in an expression may name, in lower case; escapes count as what they mean."""
    found: set[str] = set()
    for part in node.walk():
        if isinstance(part, exp.JSONPathPart) and isinstance(part.this, str):
            found.add(_unescaped(part.this))
        elif isinstance(part, exp.Literal) and part.is_string:
            found.update(quoted or plain for quoted, plain in _WORD.findall(_unescaped(part.name)))
        elif isinstance(part, exp.JSONColumnDef) and isinstance(part.this, exp.Identifier):
            found.add(part.this.name.lower())  # its path, where none is given
    return found


def tested(node: exp.Expr) -> set[str]:
    """Every key that a test of a document looks into: ``'$.key ? (…)'``, ``'{"key": "value"}'``; not plain values."""
    found: set[str] = set()
    for part in node.find_all(exp.Literal):
        text = _unescaped(part.name) if part.is_string else ""
        if text.lstrip().startswith(("$", "strict", "lax")):
            found.update(quoted or plain for quoted, plain in _WORD.findall(text))
        elif "{" in text:
            found.update(_KEY.findall(text))
    return found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text[:_LONGEST]).lower()


def dotted(node: exp.Expr) -> list[exp.Expr]:
    """The links of a chain of dots from the left: ``a.b.f()`` → a, b, f()."""
    links: list[exp.Expr] = []
    current: exp.Expr = node
    while isinstance(current, exp.Dot):
        links.append(current.expression)
        current = current.this
    links.append(current)
    return links[::-1]


def leading_names(links: list[exp.Expr]) -> Keys:
    """The names at the start of such a chain, in lower case."""
    names: list[str] = []
    for link in links:
        if not isinstance(link, exp.Identifier):
            break
        names.append(link.name.lower())
    return tuple(names)
