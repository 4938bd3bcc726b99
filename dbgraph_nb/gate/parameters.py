"""Named parameters of a statement: ``:name`` everywhere, ``$name`` where the dialect has it.

In: the tokens. Out: the names in order of first use. Never: a colon of a literal, a cast, a slice, a JSON path, a time
format, a struct, a lambda or a prefix alias.
"""

from __future__ import annotations

from collections.abc import Iterator

from dbgraph_nb.gate.scan import Scan, Tok
from dbgraph_nb.gate.words import BEFORE_PAREN, STRUCTURE


def named_parameters(scan: Scan) -> tuple[str, ...]:
    """Distinct parameter names of the statement.

    >>> from dbgraph_nb.gate.scan import scan_text
    >>> named_parameters(scan_text("SELECT a[:2], b::int FROM t WHERE c = :low AND d < :high OR c > :low", "duckdb"))
    ('low', 'high')
    """
    return tuple(dict.fromkeys(_names(scan)))


def parameter_places(scan: Scan) -> tuple[int, ...]:
    """Where in the text each use of a named parameter begins, at its colon or dollar."""
    return tuple(start for start, _ in _uses(scan))


def _names(scan: Scan) -> Iterator[str]:
    return (name for _, name in _uses(scan))


def _uses(scan: Scan) -> Iterator[tuple[int, str]]:
    colons = frozenset(parameter_colons(scan))
    for index, token in enumerate(scan.tokens):
        if token.kind == "param" and token.text[0] in "$@" and not token.text[1:].isdigit():
            yield token.start, token.text[1:]
        elif index in colons:
            yield token.start, scan.tokens[index + 1].text


def parameter_colons(scan: Scan) -> Iterator[int]:
    """The token indexes of the colons that begin a parameter."""
    for index, token in enumerate(scan.tokens):
        if token.text == ":" and token.kind == "op" and _begins_parameter(scan, index):
            yield index


def _begins_parameter(scan: Scan, index: int) -> bool:
    """A colon begins a parameter where an operand may stand, directly before a word."""
    tokens = scan.tokens
    if index + 1 >= len(tokens):
        return False
    colon, word = tokens[index], tokens[index + 1]
    if word.kind != "word" or word.start != colon.end:
        return False
    before = tokens[index - 1] if index else None
    if before is None:
        return True
    if before.text == "[":
        return not _is_subscript(scan, index - 1)
    return not _ends_operand(before, scan)


def _ends_operand(token: Tok, scan: Scan) -> bool:
    if token.kind == "op":
        return token.text in (")", "]", "}")
    if token.kind == "word":
        return token.key not in STRUCTURE and token.key not in BEFORE_PAREN[scan.dialect]
    return True


def _is_subscript(scan: Scan, bracket: int) -> bool:
    return bracket > 0 and _ends_operand(scan.tokens[bracket - 1], scan)
