"""Comments, case and white space between the tokens change nothing; above all they never let a refused text pass."""

import random

import soak
from gate.gate_cases import cases, refusal
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from dbgraph_nb.gate.refusal import Refused
from dbgraph_nb.gate.scan import Scan, scan_text
from dbgraph_nb.model import Dialect

ALL = [(dialect, case["sql"], name) for name in ("allow", "analytics", "deny") for dialect, case in cases(name)]
GAPS = [
    " ",
    "\n",
    "\t",
    "  \n ",
    " /* x */ ",
    " /* DELETE FROM t; */ ",
    " -- it's\n",
    " -- ; DROP TABLE t\n",
    " /*'*/ ",
    ' /*"*/ ',
]


def rewritten(found: Scan, source: random.Random) -> str:
    """The same tokens with other gaps (only where there was one) and other case of plain words."""
    parts = []
    position = 0
    for token in found.tokens:
        gap = found.sql[position : token.start]
        parts.append(gap + source.choice(GAPS) if gap and source.random() < 0.7 else gap)
        text = token.text
        if token.kind == "word" and text.isascii() and source.random() < 0.5:
            text = "".join(source.choice((char.upper(), char.lower())) for char in text)
        parts.append(text)
        position = token.end
    return "".join(parts) + found.sql[position:] + source.choice(["", " ", "\n-- end", " /* end */"])


@seed(20261130)
@settings(max_examples=soak.scale(20_000), deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.sampled_from(ALL), st.integers(0, 2**32))
def test_the_verdict_stays(case: tuple[Dialect, str, str], number: int) -> None:
    dialect, sql, name = case
    try:
        found = scan_text(sql, dialect)
    except Refused:
        return  # its borders are in doubt, so there are no tokens to keep
    other = rewritten(found, random.Random(number))
    refused = refusal(other, dialect)
    if name == "deny":
        assert refused, f"{dialect}: {sql!r} became {other!r}"
    else:
        assert refused is None, f"{dialect}: {sql!r} became {other!r}: {refused}"


def test_a_text_of_doubtful_borders_stays_refused() -> None:
    for dialect, sql, name in ALL:
        if name != "deny":
            continue
        others = [f"/* x */ {sql}", f"-- x\n{sql}", f"\n\t {sql}", f"{sql}\n", f"{sql} -- x"]
        if sql.isascii():  # Python's case of other letters is not the engines'
            others += [sql.upper(), sql.lower()]
        for other in others:
            assert refusal(other, dialect), f"{dialect}: {sql!r} became {other!r}"
