"""Which outputs of a statement derive from a sensitive column, or why that cannot be proven.

In: one SQL statement (or its parsed tree), the catalog's schema and views, the sensitive columns. Out: a
``RedactionPlan``: positions to redact with the reason for each, or ``refused``. Never: a statement that is not a read,
a tree that is changed, or a column shown because its origin is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from dbgraph_nb.errors import BadArgument, RedactionRefused
from dbgraph_nb.model import Dialect, RedactionPlan, Sensitivity
from dbgraph_nb.redact import dialects, metadata, names
from dbgraph_nb.redact.known import ByName, Pairs, Schema, know
from dbgraph_nb.redact.parsing import check_text, first_word, parse_one
from dbgraph_nb.redact.queries import query
from dbgraph_nb.redact.scope import Env, Walk
from dbgraph_nb.redact.values import Output, Relation, Taint, flat, refusal

_EXPLAIN = re.compile(
    r"\s*(?:explain|analyze|describe|desc)\b"
    r"(?:\s+(?:query\s+plan|analyze|verbose|extended|partitions|format\s*=?\s*\w+)\b|"
    r"\s*\((?!\s*(?:select|with|from|values|table|\())[^()]*\))*\s*",
    re.I,
)
_QUERY_WORDS = frozenset(["select", "with", "from", "values", "table", "summarize", "pivot", "unpivot"])
# What is about a query or the catalog.
_ABOUT = frozenset({"explain", "analyze", "describe", "desc", "show", "pragma", "summarize"})
_BARE_DESCRIBE = re.compile(r"\s*(?:describe|desc)\s*;?\s*", re.I)
_FIRST_WORDS = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*\w+\s*", re.S)


def plan(
    sql: str,
    *,
    dialect: Dialect,
    schema: Schema,
    sensitive: Pairs,
    views: Mapping[str, str] | None = None,
    by_name: ByName | None = None,
) -> RedactionPlan:
    """Traces every output of ``sql`` to the columns it derives from.

    Args:
        dialect: sqlite | mysql | mariadb | postgres | duckdb.
        schema: ``{table: {column: type}}`` in the tables' column order; a table may be ``"schema.table"``.
        sensitive: pairs ``(table, column)``, triples with a ``Sensitivity``, or a mapping of pairs to one; a pair
            without one counts as a credential. A dotted column is a path inside a JSON or struct column.
        views: ``{view: sql}``, the query or the whole CREATE VIEW.
        by_name: for columns of tables that the schema does not know: what their names alone say (default:
            ``classify``, tiers credential and identity).

    Returns:
        ``columns`` are the positions to redact, ``nulls`` those where NULL may stay, ``reasons`` why; or ``refused``
        is the reason why it must not run.

    Raises:
        BadArgument: ``dialect`` is none of the five (code ``redaction-dialect``).

    >>> plan("SELECT id, upper(password) AS p FROM users", dialect="sqlite",
    ...      schema={"users": {"id": "INT", "password": "TEXT"}}, sensitive=[("users", "password")]).columns
    (1,)
    """
    walk = _walk(dialect, schema, sensitive, views, by_name)
    walk.plus = "+" in sql
    try:
        return _finish(_statement(sql, walk), walk)
    except RedactionRefused as error:
        return RedactionPlan(refused=error.message, unknown=error.token)
    except RecursionError:
        return RedactionPlan(refused="the statement is nested too deeply to trace")


def plan_tree(
    tree: exp.Expr,
    *,
    dialect: Dialect,
    schema: Schema,
    sensitive: Pairs,
    views: Mapping[str, str] | None = None,
    by_name: ByName | None = None,
    sql: str | None = None,
) -> RedactionPlan:
    """As ``plan``, for a statement that is parsed already (``AllowedQuery.tree``); the tree is not changed.

    ``sql`` is the text it was parsed from. Give it: only with it is checked that the parser dropped nothing."""
    walk = _walk(dialect, schema, sensitive, views, by_name)
    walk.plus = sql is None or "+" in sql
    try:
        word = first_word(sql) if sql is not None else ""
        if sql is not None and (word in _ABOUT or not isinstance(tree, exp.Expr)):
            return _finish(_statement(sql, walk), walk)
        if sql is not None:
            check_text(sql, tree, dialect, walk.known.is_relevant)
        return _finish(_tree(tree, walk), walk)
    except RedactionRefused as error:
        return RedactionPlan(refused=error.message, unknown=error.token)
    except RecursionError:
        return RedactionPlan(refused="the statement is nested too deeply to trace")


def _walk(
    dialect: Dialect, schema: Schema, sensitive: Pairs, views: Mapping[str, str] | None, by_name: ByName | None
) -> Walk:
    if dialect not in dialects.PARSER:
        raise BadArgument(
            f"The dialect {dialect!r} is unknown.",
            code="redaction-dialect",
            hint=f"Use one of {', '.join(dialects.PARSER)}.",
        )

    def read(node: exp.Expr, env: Env) -> Relation:
        return query(node, env, walk)

    walk = Walk(know(schema, sensitive, views, by_name or names.by_name_alone), dialect, read)
    return walk


def _statement(sql: str, walk: Walk) -> Relation:
    word = first_word(sql)
    if word == "show":
        return metadata.show_text(_FIRST_WORDS.sub("", sql, count=1).strip().rstrip(";"), walk.dialect)
    if word == "pragma":
        return metadata.pragma(_FIRST_WORDS.sub("", sql, count=1))
    if word == "explain" or (word in ("analyze", "describe", "desc") and walk.dialect in ("mysql", "mariadb")):
        return _explain(sql, walk)
    if _BARE_DESCRIBE.fullmatch(sql):
        return metadata.opaque()  # DuckDB lists the tables
    return _tree(parse_one(sql, walk.dialect, walk.known.is_relevant), walk)


def _explain(sql: str, walk: Walk) -> Relation:
    match = _EXPLAIN.search(sql)
    rest = sql[match.end() :] if match else ""
    if first_word(rest) in _QUERY_WORDS:
        tree = parse_one(rest, walk.dialect, walk.known.is_relevant)
        read = query(tree, Env(), walk)
        shown = read.taint if _plan_shows_values(sql[: len(sql) - len(rest)], tree, walk.dialect) else frozenset()
        return metadata.explained(frozenset(walk.touched) | shown)
    if walk.dialect in ("mysql", "mariadb") and re.fullmatch(r"[\w.`$]+(\s+[\w`'%]+)?\s*;?\s*", rest):
        return metadata.opaque()  # DESCRIBE table [column]
    raise refusal("only the plan of a query can be explained")


def _plan_shows_values(before: str, tree: exp.Expr, dialect: str) -> bool:
    """Whether a plan may hold values of what is only read: SQLite's program has defaults and literals of views, as
    PostgreSQL's VERBOSE has; DuckDB's plan has bounds of columns where rows are sorted, grouped or compared."""
    words = before.lower().split()
    if dialect == "sqlite":
        return "plan" not in words
    if dialect == "duckdb":
        return tree.find(exp.Order, exp.Group, exp.Distinct, exp.Window, exp.SetOperation, exp.Join) is not None
    return "verbose" in before.lower()


def _tree(tree: exp.Expr, walk: Walk) -> Relation:
    if isinstance(tree, exp.Command):
        rest = tree.expression.name if isinstance(tree.expression, exp.Expr) else str(tree.expression or "")
        return _statement(f"{tree.this} {rest}", walk)
    if isinstance(tree, exp.Pragma):
        return metadata.pragma(tree.this.sql() if isinstance(tree.this, exp.Expr) else str(tree.this))
    return query(tree, Env(), walk)


def _finish(relation: Relation, walk: Walk) -> RedactionPlan:
    outputs = relation.outputs
    taints = [flat(output.value.taint) for output in outputs]
    reasons = {i: _reason(taint) for i, taint in enumerate(taints) if taint}
    star = next((i for i, output in enumerate(outputs) if output.star), None)
    if star is not None and any(i >= star for i in reasons):
        why = reasons[max(reasons)]
        raise refusal(
            f"the position of {why.rule} in the result is not known, since a * covers columns that are not known"
        )
    declared: dict[str, Sensitivity] = {}
    for parts in walk.unknown.values():
        declared |= walk.known.named_columns(parts)
    if relation.unordered:
        raise refusal("several tables have this name and their columns differ, so a * has no known order")
    return RedactionPlan(
        columns=tuple(reasons),
        reasons=reasons,
        outputs=None if star is not None else tuple(_shown(output) for output in outputs),
        by_name=bool(walk.unknown),
        names=declared,
        nulls=tuple(i for i in reasons if outputs[i].value.shows_null),
    )


def _shown(output: Output) -> str | None:
    return output.shown


def _reason(taint: Taint) -> Sensitivity:
    """The strongest tier, and the columns it comes from."""
    ranked = sorted(taint, key=lambda source: (names.RANK[source.why.tier], source.label))
    labels = list(dict.fromkeys(source.label for source in ranked))
    more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
    return Sensitivity(ranked[0].why.tier, ", ".join(labels[:3]) + more)
