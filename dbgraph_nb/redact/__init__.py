"""What is sensitive, which outputs derive from it, and the step that hides them.

In: names; a statement with the catalog's schema; raw rows. Out: ``Sensitivity``, ``RedactionPlan``, ``CleanRows``.
Never: a value of a sensitive column behind this door, and nothing heavy at import.

The parts: ``names`` (what is sensitive), ``lineage`` (which outputs derive from it), ``apply`` (hides them),
``scrub`` (error texts without values).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import CleanRows, Dialect, RawRows, RedactedColumn, RedactionPlan, Sensitivity

if TYPE_CHECKING:
    from dbgraph_nb.redact.known import ByName, Pairs, Schema

__all__ = ["REDACTED", "apply", "classify", "columns_hidden", "plan", "plan_tree", "scrub", "sensitive_fields"]

REDACTED = "[REDACTED]"


def classify(
    name: str,
    *,
    comment: str | None = None,
    type: str | None = None,  # noqa: A002 - the field's own word
    dialect: Dialect | None = None,
) -> Sensitivity | None:
    """Whether a column is sensitive by its name, comment and type: see ``names.classify``.

    In SQLite a declared type binds nothing, so with ``dialect="sqlite"`` it rules no credential out.

    >>> classify("支付密码")
    Sensitivity(tier='credential', rule='name: 密码')
    """
    from dbgraph_nb.redact import names

    _check_text(name, "name")
    _check_text(comment, "comment", optional=True)
    _check_text(type, "type", optional=True)
    _check_text(dialect, "dialect", optional=True)
    return names.classify(name, comment=comment, type=type, dialect=dialect)


def sensitive_fields(column: str, declared: str) -> list[tuple[str, Sensitivity]]:
    """The fields of a struct that their names make sensitive, as dotted columns: see ``nested.sensitive_fields``."""
    from dbgraph_nb.redact import nested

    _check_text(column, "column")
    _check_text(declared, "declared")
    return list(nested.sensitive_fields(column, declared))


def plan(
    sql: str,
    *,
    dialect: Dialect,
    schema: Schema,
    sensitive: Pairs,
    views: Mapping[str, str] | None = None,
    by_name: ByName | None = None,
) -> RedactionPlan:
    """Which outputs of ``sql`` to hide, or why it must not run: see ``lineage.plan``.

    >>> plan("SELECT * FROM users WHERE password = 'x'", dialect="sqlite",
    ...      schema={"users": {"id": "INT", "password": "TEXT"}}, sensitive=[("users", "password")]).refused
    'users.password (declared sensitive) is a credential and is used in WHERE, where the answer would tell about its \
value; it may only be counted or tested for NULL'
    """
    from dbgraph_nb.redact import lineage

    _check_text(sql, "sql")
    _check_known(schema, sensitive, views, by_name)
    return lineage.plan(sql, dialect=dialect, schema=schema, sensitive=sensitive, views=views, by_name=by_name)


def plan_tree(
    tree: Any,
    *,
    dialect: Dialect,
    schema: Schema,
    sensitive: Pairs,
    views: Mapping[str, str] | None = None,
    by_name: ByName | None = None,
    sql: str | None = None,
) -> RedactionPlan:
    """As ``plan`` for a sqlglot tree, which is not changed, and its text: see ``lineage.plan_tree``."""
    from dbgraph_nb.redact import lineage

    _check_text(sql, "sql", optional=True)
    _check_known(schema, sensitive, views, by_name)
    if sql is None and tree is None:
        raise _wrong("tree", "a parsed statement", tree)
    return lineage.plan_tree(
        tree, dialect=dialect, schema=schema, sensitive=sensitive, views=views, by_name=by_name, sql=sql
    )


def _check_text(value: object, argument: str, *, optional: bool = False) -> None:
    """Raises BadArgument (code ``redaction-text``) where a text is needed and something else was given."""
    if not isinstance(value, str) and not (optional and value is None):
        kind = value.__class__.__name__
        raise BadArgument(f"{argument} must be a text, not {kind}.", code="redaction-text", hint="Give a str.")


def _check_known(schema: object, sensitive: object, views: object, by_name: object) -> None:
    """Raises BadArgument (code ``redaction-argument``): with another kind of value nothing would be found sensitive."""
    if not isinstance(schema, Mapping):
        raise _wrong("schema", "a mapping of tables to mappings of columns", schema)
    if isinstance(sensitive, (str, bytes)) or not isinstance(sensitive, (Mapping, Iterable)):
        raise _wrong("sensitive", "a mapping, or pairs of table and column", sensitive)
    if views is not None and not isinstance(views, Mapping):
        raise _wrong("views", "a mapping of views to SQL", views)
    if by_name is not None and not callable(by_name):
        raise _wrong("by_name", "a function of a name", by_name)


def _wrong(argument: str, wanted: str, value: object) -> BadArgument:
    kind = value.__class__.__name__
    return BadArgument(f"{argument} must be {wanted}, not {kind}.", code="redaction-argument", hint=f"Give {wanted}.")


def apply(raw: RawRows, plan: RedactionPlan, *, by_name: ByName | None = None) -> CleanRows:
    """The rows with every value hidden that the plan names: see ``hiding.apply``."""
    from dbgraph_nb.redact import hiding

    if not isinstance(raw, RawRows):
        raise _wrong("raw", "RawRows", raw)
    if not isinstance(plan, RedactionPlan):
        raise _wrong("plan", "a RedactionPlan", plan)
    if by_name is not None and not callable(by_name):
        raise _wrong("by_name", "a function of a name", by_name)
    return hiding.apply(raw, plan, by_name=by_name)


def columns_hidden(headers: Sequence[str], plan: RedactionPlan) -> tuple[RedactedColumn, ...]:
    """The columns of a result with these headers that are hidden: see ``hiding.columns_hidden``."""
    from dbgraph_nb.redact import hiding

    return hiding.columns_hidden(headers, plan)


def scrub(text: str, keep: Collection[str] = ()) -> str:
    """An engine's error text without values: see ``errortext.scrub``.

    >>> scrub("Could not convert string 'S3CR3T' to INT32")
    "Could not convert string '…' to INT32"
    """
    from dbgraph_nb.redact import errortext

    _check_text(text, "text")
    return errortext.scrub(text, keep)
