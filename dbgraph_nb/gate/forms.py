"""Which kinds of statement exist for the gate: an allow-list of forms per dialect, matched on the token stream.

In: the tokens of one statement. Out: a ``Form`` (its name, where the query inside it begins, which relations a metadata
form names). Never: a first-word list alone; whatever matches no form is refused, so a new verb is refused too.

A statement is matched as a *shape*: its tokens joined by one space, words folded, a quoted name as ``"n"``, a text as
``'s'``, a number as ``0``, a parameter as ``?``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dbgraph_nb.gate.refusal import Refusal
from dbgraph_nb.gate.scan import Scan, Tok
from dbgraph_nb.gate.words import words
from dbgraph_nb.model import Dialect

_SHAPES: Final = {"quoted": '"n"', "string": "'s'", "number": "0", "param": "?"}


@dataclass(frozen=True, slots=True)
class Form:
    """A recognised statement form.

    ``name`` is what ``AllowedQuery.form`` says. ``body`` is the token index at which the text for the parser begins, or
    None for a form that is proven by its shape alone; ``names`` are token spans (start, end) of relations that such a
    form reads; ``condition`` is the token index after WHERE in a SHOW."""

    name: str
    body: int | None = None
    names: tuple[tuple[int, int], ...] = ()
    condition: int | None = None


def shape(tokens: tuple[Tok, ...], start: int = 0) -> tuple[str, list[int]]:
    """The shape of ``tokens[start:]`` and the offset in it of every token."""
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    for token in tokens[start:]:
        text = token.key or _SHAPES[token.kind]
        parts.append(text)
        offsets.append(position)
        position += len(text) + 1
    return " ".join(parts), offsets


_N = r"[^\s.,()=;']+"
_NAME = rf"{_N}(?: \. {_N})*"
_IN = rf"(?: (?:from|in) {_NAME})?"
_FILTER = r"(?: like 's'| where (?P<condition>.+))?"

# The forms that are proven by their shape. `(?P<name>…)` is a relation; `(?P<condition>…)` an expression.
_MYSQL_META = rf"""
show (?:extended )?(?:full )?tables{_IN}{_FILTER}
show (?:extended )?(?:full )?(?:columns|fields) (?:from|in) (?P<name>{_NAME}){_IN}{_FILTER}
show (?:extended )?(?:index|indexes|keys) (?:from|in) (?P<name>{_NAME}){_IN}(?: where (?P<condition>.+))?
show (?:databases|schemas){_FILTER}
show create (?:table|view|sequence) (?:if not exists )?(?P<name>{_NAME})
show create (?:database|schema) (?:if not exists )?{_N}
show create (?:procedure|function|trigger|event|package(?: body)?) {_NAME}
show (?:table status|open tables|triggers|events){_IN}{_FILTER}
show (?:(?:global|session|local) )?(?:variables|status){_FILTER}
show (?:procedure|function|package(?: body)?) status{_FILTER}
show (?:character set|charset|collation){_FILTER}
show (?:(?:storage )?engines|plugins|privileges)
show (?:warnings|errors)(?: limit 0(?: (?:,|offset) 0)?)?
show count \( \* \) (?:warnings|errors)
(?:describe|desc|explain) (?P<name>{_NAME})(?: {_N}| 's')?
"""
_META: Final[dict[Dialect, str]] = {
    "sqlite": rf"pragma (?:{_N} \. )?{_N}(?: \( (?:{_N}|'s') \))?",
    # MariaDB prints a password hash in SHOW GRANTS, MySQL 8 does not
    "mysql": _MYSQL_META + r"show grants(?: for current_user(?: \( \))?)?",
    "mariadb": _MYSQL_META,
    "postgres": rf"show (?:all|time zone|transaction isolation level|session authorization|{_NAME})",
    "duckdb": rf"""
show(?: all)?(?: tables)?(?: from {_NAME})?
show (?:databases|schemas|variables)
(?:describe|desc)(?: all)?(?: tables)?
pragma {_N}(?: \( (?:{_N}|'s') \))?
""",
}
_META_PATTERNS: Final = {
    dialect: tuple(re.compile(line.strip(), re.DOTALL) for line in text.strip().splitlines())
    for dialect, text in _META.items()
}

# What may begin a query. All of these go to the parser, and the tree must turn out to be a query.
_QUERY_WORDS: Final[dict[Dialect, frozenset[str]]] = {
    "sqlite": frozenset({"select", "with", "values"}),
    "mysql": frozenset({"select", "with", "values", "table"}),
    "mariadb": frozenset({"select", "with", "values", "table"}),
    "postgres": frozenset({"select", "with", "values", "table"}),
    "duckdb": frozenset(
        {"select", "with", "values", "table", "from", "pivot", "pivot_wider", "unpivot", "pivot_longer", "summarize"}
    ),
}
_FORM_NAMES: Final = {"pivot_wider": "pivot", "pivot_longer": "unpivot", "desc": "describe"}
_DESCRIBES: Final = frozenset({"describe", "desc", "show"})

WRITING_FORMS: Final = words("""
    insert update delete merge truncate create alter drop
    """)

_SWITCHES = "analy[sz]e|verbose|costs|settings|generic_plan|buffers|wal|timing|summary|memory"
_OPTION = rf"(?:(?:{_SWITCHES})(?: (?:true|false|on|off|0))?|(?:format|serialize) (?:[a-z_]+|'s'))"
_EXPLAIN: Final[dict[Dialect, re.Pattern[str]]] = {
    "sqlite": re.compile(r"explain (?:query plan )?"),
    "postgres": re.compile(rf"explain (?:\( {_OPTION}(?: , {_OPTION})* \) |(?:analy[sz]e )?(?:verbose )?)"),
    "duckdb": re.compile(rf"explain (?:analyze )?(?:\( {_OPTION}(?: , {_OPTION})* \) )?"),
    "mysql": re.compile(
        r"(?:(?:explain|describe|desc) (?:extended |partitions )?(?:analyze )?|analyze (?!table ))"
        r"(?:format (?:= )?[a-z_]+ )?"
    ),
}
_WRITES: Final = re.compile(
    r"(?P<verb>insert|update(?! extensions )(?=.* set )|delete|merge|truncate|"
    r"create (?:or replace )?(?:temp |temporary )?(?:unique )?(?:table|view|index|schema|sequence)|"
    r"alter (?:table|view|sequence)|drop (?:table|view|index|schema|sequence)) "
)


def recognise(scan: Scan, tokens: tuple[Tok, ...], *, writes: bool) -> Form | Refusal:
    """The form of the statement ``tokens``, or why it has none. Writing forms only with ``writes``.

    >>> from dbgraph_nb.gate.scan import scan_text
    >>> found = scan_text("EXPLAIN ANALYZE SELECT 1", "postgres")
    >>> recognise(found, found.tokens, writes=False)
    Form(name='explain', body=2, names=(), condition=None)
    """
    dialect = scan.dialect
    text, offsets = shape(tokens)
    text += " "
    query = _query(tokens, 0, dialect)
    if query:
        return Form(query, 0)
    pattern = _EXPLAIN["mysql" if dialect == "mariadb" else dialect]
    explain = pattern.match(text)
    if explain and explain.end() < len(text):
        body = offsets.index(explain.end()) if explain.end() in offsets else len(tokens)
        inner = _query(tokens, body, dialect)
        if inner and body < len(tokens):
            return Form("explain", body)
    if dialect == "duckdb" and tokens[0].key in _DESCRIBES and _describes(tokens):
        return Form("describe", 0)
    for meta in _META_PATTERNS[dialect]:
        found = meta.fullmatch(text, 0, len(text) - 1)
        if found:
            return _metadata(tokens, found, offsets)
    if writes and (found := _WRITES.match(text)):
        return Form(found["verb"].split()[0], 0)
    return _unknown(tokens, explained=bool(explain))


def _query(tokens: tuple[Tok, ...], start: int, dialect: Dialect) -> str | None:
    """The name of the query form at ``start``, behind any opening parentheses."""
    index = start
    while index < len(tokens) and tokens[index].text == "(":
        index += 1
    if index == len(tokens) or tokens[index].key not in _QUERY_WORDS[dialect]:
        return None
    word = tokens[index].key
    if word in ("select", "with", "values", "table", "from") or index > start:
        return "select"
    return _FORM_NAMES.get(word, word)


def _describes(tokens: tuple[Tok, ...]) -> bool:
    """DuckDB: DESCRIBE, DESC or SHOW of a query or of a relation; a bare SHOW TABLES is a metadata form."""
    index = 2 if len(tokens) > 2 and tokens[1].key == "table" else 1
    if _query(tokens, 1, "duckdb"):
        return True
    rest, _ = shape(tokens, index)
    reserved = {"all", "tables", "databases", "schemas", "variables"}
    return bool(re.fullmatch(rf"(?:{_NAME}|'s')", rest)) and not (index == 1 and tokens[1].key in reserved)


def _metadata(tokens: tuple[Tok, ...], found: re.Match[str], offsets: list[int]) -> Form:
    groups = found.groupdict()
    names: tuple[tuple[int, int], ...] = ()
    if groups.get("name"):
        start = offsets.index(found.start("name"))
        names = ((start, start + groups["name"].count(" ") + 1),)
    condition = offsets.index(found.start("condition")) if groups.get("condition") else None
    name = tokens[0].key if tokens[0].key != "explain" else "describe"
    return Form(_FORM_NAMES.get(name, name), None, names, condition)


def _unknown(tokens: tuple[Tok, ...], *, explained: bool) -> Refusal:
    first = tokens[0]
    if explained and len(tokens) > 1:
        message = "Only reading queries can be explained, because an explained statement may be executed."
        return Refusal("explain", message, first.start, first.end, "Explain a SELECT.")
    assigned = next((index for index, token in enumerate(tokens) if token.text == "="), 0)
    if first.key == "pragma" and assigned in (2, 4):
        sign, name = tokens[assigned], tokens[assigned - 1].text
        message = "An assignment changes the setting."
        return Refusal("pragma", message, sign.start, sign.end, f"PRAGMA {name} alone reads it.")
    if first.key in ("pragma", "show"):
        word = first.text.upper()
        hint = "Name it without a value, or read the catalogue with SELECT."
        return Refusal(
            first.key, f"This form of {word} is not in the list of reading forms.", first.start, first.end, hint
        )
    what = first.text.upper() if first.kind == "word" else "This"
    return Refusal(
        "statement-form",
        f"{what} is not a reading statement that is allowed here.",
        first.start,
        first.end,
        "Only reading statements such as SELECT can run; nothing was executed.",
    )
