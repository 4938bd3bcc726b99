"""The gate under mutated texts: it only ever answers, within its bound, and no rewriting opens it.

The inputs are all fixture texts and the statements of the grammar; ``test_gate_bounds`` and ``test_gate_metamorphic``
mutate single characters and gaps, this goes on with tokens, splices, Unicode, and comments where there was no gap.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Final

import soak
from gate.gate_cases import cases, refusal
from gate.grammar import Grammar

from dbgraph_nb.gate.refusal import RULE_NAMES, Refused
from dbgraph_nb.gate.scan import Scan, scan_text
from dbgraph_nb.model import Dialect

DIALECTS: Final[tuple[Dialect, ...]] = ("sqlite", "mysql", "mariadb", "postgres", "duckdb")
FIXTURES: Final = ("allow", "analytics", "deny", "relations", "writes")
COUNT: Final = 100_000
SECONDS: Final = 5.0  # of processor time for any text of up to 64 KiB; about 1 s is usual for the longest ones
LONGEST: Final = 65_536

# unbreakable, wide and zero-width spaces, marks of direction, full-width and look-alike letters, halves of pairs
ODD: Final = (
    "\u00a0", "\u2003", "\u3000", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\u202d", "\u2066", "\u061c",
    "\u0085", "\u2028", "\u2029", "\uff33\uff25\uff2c\uff25\uff23\uff34", "\uff1b", "\uff07", "\u2019", "\u02bc",
    "\uff08", "\uff0d\uff0d", "\u2010", "\u017f", "\u212a", "\u0131", "\u0130", "\u0301", "\U0001f600", "\ud800",
    "\udfff", "\0", "\x01", "\x0b", "\x0c", "\x1a", "\x7f", "\\", "\x1b",
)  # fmt: skip
PIECES: Final = (
    "'", '"', "`", ";", "--", "-- ", "/*", "*/", "/*!", "/*M!", "#", "$$", "$a$", "(", ")", "[", "]", "{", "}", "E'",
    "U&'", "x'", ":=", "::", "@", "?", " INTO ", " FOR UPDATE ", " RETURNING * ", " FROM ", " SELECT ", " WITH ", ".",
    " DELETE FROM t ", "; DROP TABLE t ", " nextval('s') ", ".nextval", " 'x.csv' ", " COPY t TO 'x' ", "\n", "\r",
    "\t", " OUTFILE 'x' ", " PRAGMA ",
)  # fmt: skip
NESTS: Final = (
    ("(", ")"), ("lower(", ")"), ("(SELECT ", ")"), ("[", "]"), ("{'a': ", "}"), ("CASE WHEN ", " THEN 1 END"),
    ("NOT ", ""), ("-", ""), ("/*", "*/"), ("CAST(", " AS int)"), ("(WITH a AS (SELECT 1) SELECT ", ")"),
    ("1 + ", ""), ("a.", "b"), ("EXISTS (SELECT ", ")"),
)  # fmt: skip
LISTS: Final = (
    "a, ", "1+", "a.b ", "x OR ", "'a' ", "a::int", "a AND ", "(1), ", "SELECT 1 UNION ", "a = b ", "(x).y", ".f()",
    "[1]", "::int", "->'b'", " COLLATE x", " IS NULL", " BETWEEN 1 AND ", " JOIN t ON ", " LIKE ", " OVER ()",
    " AS a", "f(), ", " AT TIME ZONE 'x'", "INTERVAL 1 ", "CASE WHEN 1 THEN 2 END, ", "(SELECT 1), ", ".a",
    "lower(a)", "{'a': 1}, ", " IN ", "a -> b", "* ", "a: 1, ", "WITH a AS (SELECT 1), ", "b AS (SELECT 1), ",
    "FROM t ", "PIVOT ", "!", "~",
)  # fmt: skip
STARTS: Final = ("SELECT ", "SELECT * FROM ", "WITH a AS (SELECT 1) SELECT ", "", "VALUES ", "SELECT 1 WHERE ")
BETWEEN: Final = ("/**/", "/* x */", " /* DELETE FROM t; */ ", " -- ; it's\n", " ", "\n", "\t", " \r\n ")


def known() -> list[tuple[Dialect, str]]:
    """Every text of the fixtures with each of its dialects, and some of the grammar."""
    found = [(dialect, case["sql"]) for name in FIXTURES for dialect, case in cases(name)]
    for dialect in DIALECTS:
        found += [(dialect, made.sql) for made in Grammar(dialect, 5).statements(500)]
    return found


def tokens(sql: str, dialect: Dialect) -> list[str]:
    """The text cut at its tokens, gaps included; by spaces where the scanner refuses it."""
    try:
        scanned = scan_text(sql, dialect)
    except Refused:
        return sql.split(" ")
    parts, position = [], 0
    for token in scanned.tokens:
        parts += [sql[position : token.start], sql[token.start : token.end]]
        position = token.end
    return [*parts, sql[position:]]


def mutated(sql: str, dialect: Dialect, others: list[str], source: random.Random) -> str:
    for _ in range(source.choice([1, 1, 2, 3])):
        at, kind = source.randrange(len(sql) + 1), source.randrange(10)
        if kind == 0:
            sql = sql[:at] + source.choice(ODD) + sql[at:]
        elif kind == 1:
            sql = sql[:at] + source.choice(PIECES) + sql[at:]
        elif kind == 2:
            sql = sql[:at]
        elif kind == 3:
            sql = sql[at:]
        elif kind == 4:
            other = source.choice(others)
            cut = source.randrange(len(other) + 1)
            sql = sql[:at] + other[cut:]
        elif kind == 5:
            sql = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and source.random() < 0.2 else c for c in sql)
        elif kind == 6:
            left, right = source.choice(NESTS)
            times = source.choice([1, 2, 10, 59, 60, 61, 300])
            sql = sql[:at] + left * times + sql[at:] + right * times
        else:
            sql = _token_change(tokens(sql, dialect), kind, others, source)
    return sql[:LONGEST]


def _token_change(parts: list[str], kind: int, others: list[str], source: random.Random) -> str:
    at = source.randrange(len(parts) + 1)
    if kind == 7:
        del parts[at : at + source.randint(1, 3)]
    elif kind == 8:
        parts[at:at] = parts[source.randrange(len(parts) + 1) :][: source.randint(1, 4)] * source.choice([1, 1, 2, 50])
    else:
        piece = source.choice(others).split(" ")
        cut = source.randrange(len(piece))
        parts[at:at] = [" ", *piece[cut : cut + source.randint(1, 4)], " "]
    return "".join(parts)


def test_mutated_texts_are_answered_within_the_bound() -> None:
    source, texts = random.Random(20261201), known()
    others = [sql for _, sql in texts if sql]
    counts: Counter[str] = Counter()
    slowest, longest = 0.0, ""
    for _ in range(soak.scale(COUNT)):
        dialect, sql = source.choice(texts)
        changed = mutated(sql, source.choice(DIALECTS) if source.random() < 0.05 else dialect, others, source)
        started = time.process_time()
        refused = refusal(changed, dialect)
        seconds = time.process_time() - started
        if seconds > slowest:
            slowest, longest = seconds, changed
        assert seconds < SECONDS, f"{dialect}: {seconds:.1f} s for {changed[:500]!r}"
        assert refused is None or refused.rule in RULE_NAMES
        counts[refused.rule if refused else "allowed"] += 1
    print(f"\nsoak: {counts.total()} mutated texts, {counts['allowed']} allowed; at most {slowest:.2f} s each")
    assert counts["allowed"] > counts.total() // 50
    assert len(counts) > 15, f"the mutations reach too few rules: {counts}; the slowest was {longest[:200]!r}"


def test_long_texts_are_answered_within_the_bound() -> None:
    """Up to 64 KiB of one construct, in every dialect."""
    source = random.Random(64)
    pieces = [*PIECES, *ODD, *(left for left, _ in NESTS), *LISTS]
    for index in range(soak.scale(2_000)):
        piece = "".join(source.choice(pieces) for _ in range(source.randint(1, 3)))
        start = source.choice(STARTS)
        text = (start + piece * (LONGEST // len(piece)))[: source.choice([1_000, 10_000, LONGEST])]
        started = time.process_time()
        refused = refusal(text, DIALECTS[index % len(DIALECTS)])
        seconds = time.process_time() - started
        assert seconds < SECONDS, f"{seconds:.1f} s for {start!r} and {piece!r}"
        assert refused is None or refused.rule in RULE_NAMES


def test_a_long_chain_is_refused_before_it_is_parsed() -> None:
    """The parser copies the whole chain at each call: 500 of them took 5 seconds."""
    for dialect in DIALECTS:
        for link in (".lower()", "[1]", "[1].upper()"):
            refused = refusal("SELECT a" + link * 3_000, dialect)
            assert refused is not None
            assert refused.rule in ("too-deep", "malformed-number", "not-understood"), refused
    both: tuple[Dialect, ...] = ("postgres", "duckdb")
    for dialect in both:
        refused = refusal("SELECT a" + ".lower()" * 3_000, dialect)
        assert refused is not None
        assert refused.rule == "too-deep"
        assert refusal("SELECT a" + ("[1]" if dialect == "postgres" else ".lower()") * 20 + " FROM t", dialect) is None


def rewritten(found: Scan, source: random.Random) -> str:
    """The same tokens with comments and spaces also where there was no gap, and words in other case."""
    parts: list[str] = []
    position = 0
    for index, token in enumerate(found.tokens):
        gap = found.sql[position : token.start]
        if (gap or (index and may_part(found, index))) and source.random() < 0.5:
            gap += source.choice(BETWEEN)
        text = token.text
        if token.kind == "word" and text.isascii() and source.random() < 0.5:
            text = text.swapcase() if source.random() < 0.5 else text.upper()
        parts += [gap, text]
        position = token.end
    parts.append(found.sql[position:])
    return source.choice(["", " ", "-- x\n", "/* x */"]) + "".join(parts) + source.choice(["", "\n-- x", ";"])


def may_part(found: Scan, index: int) -> bool:
    """Only beside a bracket, a comma or a semicolon: other signs and letters may belong to one token of the engine."""
    return bool({found.tokens[index - 1].text, found.tokens[index].text} & set("(),;[]"))


def test_no_rewriting_opens_or_closes_the_gate() -> None:
    source = random.Random(77)
    texts: list[tuple[Dialect, str, bool]] = []
    for dialect, sql in known():
        texts.append((dialect, sql, refusal(sql, dialect) is None))
    counts: Counter[bool] = Counter()
    for _ in range(soak.scale(COUNT)):
        dialect, sql, passes = source.choice(texts)
        try:
            found = scan_text(sql, dialect)
        except Refused:
            continue  # no tokens are known, so nothing is known to stay the same
        other = rewritten(found, source)
        refused = refusal(other, dialect)
        assert (refused is None) == passes, f"{dialect}: {sql!r} became {other!r}: {refused}"
        counts[passes] += 1
    print(f"\nsoak: {counts[True]} rewritten reads and {counts[False]} rewritten refusals keep their verdict")
    assert min(counts.values()) > counts.total() // 5
