"""SUMMARIZE, DESCRIBE, SHOW, PRAGMA, EXPLAIN: what they tell of values.

In: such a statement. Out: its relation. Never: statistics of a sensitive column (SUMMARIZE shows minima and maxima),
warnings (they quote values), or a plan that may hold them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from dbgraph_nb.model import Sensitivity
from dbgraph_nb.redact import dialects
from dbgraph_nb.redact.scope import Walk
from dbgraph_nb.redact.values import CLEAN, Output, Relation, Source, Taint, Value, refusal

_SUMMARY = [
    "column_name", "column_type", "min", "max", "approx_unique", "avg", "std", "q25", "q50", "q75", "count",
    "null_percentage",
]  # fmt: skip
_PRAGMA = re.compile(r"[\s\"'`\[]*(?:\w+[\"'`\]]?\.)?[\"'`\[]?(\w+)")
_TEXT = ("varchar", "text", "char", "string", "bpchar")
_MODIFIERS = frozenset({"FULL", "EXTENDED", "GLOBAL", "SESSION", "LOCAL"})


def summarize(relation: Relation) -> Relation:
    """DuckDB's SUMMARIZE: one row for each column of ``relation``."""
    outputs = relation.outputs
    if any(output.star == "names" for output in outputs):
        raise refusal("SUMMARIZE shows values of columns that are not in the index")
    tainted = [output for output in outputs if output.value.taint]
    taint = relation.taint
    hidden: set[str] = set()
    if tainted:
        hidden = {"min", "max"}
        if not all(_is_text(output.value) for output in tainted):
            hidden |= {"avg", "std", "q25", "q50", "q75"}
        if not all(output.value.direct for output in tainted) or relation.rows:
            hidden |= {"approx_unique", "null_percentage", "avg", "std", "q25", "q50", "q75"}
    if relation.rows:
        hidden.add("count")
    shown = [Output(name, Value(taint if name in hidden else frozenset()), shown=name) for name in _SUMMARY]
    return Relation(tuple(shown))


def describe(node: exp.Expr, query: Callable[[exp.Expr], Relation], walk: Walk) -> Relation:
    """DESCRIBE: names and types. MySQL's DESCRIBE of a query is an EXPLAIN."""
    inner = node.this
    if isinstance(inner, exp.Table) or (isinstance(inner, exp.Query) and walk.dialect == "duckdb"):
        return opaque()
    if isinstance(inner, exp.Query):
        query(inner)
        return explained(frozenset(walk.touched))
    raise refusal("the statement is not a read")


def inner_description(walk: Walk) -> Relation:
    """DESCRIBE inside a query of DuckDB: its columns, of which the default may repeat a value."""
    why = Sensitivity("credential", "text of the catalog that repeats values of sensitive columns")
    hidden = frozenset({Source("describe", "default", why)}) if walk.known.pairs else frozenset()
    names = ("column_name", "column_type", "null", "key", "default", "extra")
    return Relation(tuple(Output(name, Value(hidden if name == "default" else CLEAN), shown=name) for name in names))


def explained(touched: Taint) -> Relation:
    """A plan, after its query was read. It may hold values (constants that the optimizer looked up, bounds of dynamic
    filters, defaults, literals of views), so it is refused when a sensitive column is searched by or shown."""
    if touched:
        label = min(source.label for source in touched)
        raise refusal(f"the plan of a query over {label} may show values")
    return opaque()


def show(node: exp.Expr) -> Relation:
    """SHOW: what describes the catalog; not warnings (they quote values), grants or other sessions."""
    return show_text(str(node.this), "mysql")


def show_text(text: str, dialect: str) -> Relation:
    """SHOW as text: what sqlglot does not parse. Outside MySQL its words name a table or a setting."""
    words = [word for word in text.upper().split() if word not in _MODIFIERS]
    known = any("_".join(words[:count]).lower() in dialects.SHOWS for count in (1, 2))
    if not known and (dialect in ("mysql", "mariadb") or not 1 <= len(words) <= 4):
        raise refusal("this SHOW may show values or secrets")
    return opaque()


def pragma(text: str) -> Relation:
    """PRAGMA: the ones that only describe the catalog or read a setting."""
    match = _PRAGMA.match(text)
    name = match[1].lower() if match else ""
    if name not in dialects.PRAGMAS:
        raise refusal(f"PRAGMA {name} may show values or change something")
    return opaque()


def opaque() -> Relation:
    """Columns of unknown number that hold no value of a row."""
    return Relation((Output(None, Value(), star="any"),))


def _is_text(value: Value) -> bool:
    return value.direct and (value.type or "").startswith(_TEXT)
