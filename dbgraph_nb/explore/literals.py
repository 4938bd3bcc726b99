"""Values that stand in the catalog itself: a default or a check of a sensitive column, a constant in a view's body.

In: a dialect, a statement and its plan. Out: columns of the catalog to hide, and plans that hide them. Never: a text of
the catalog that repeats such a value, while sensitive columns are hidden.

Which of the texts hold one is not known without reading them, so a query over the catalog gets none of them. A form
that describes one table (``SHOW CREATE TABLE t``, ``DESCRIBE t``, ``PRAGMA table_info(t)``) loses them only if that
table has a sensitive column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from dbgraph_nb.model import AllowedQuery, Dialect, RedactionPlan, Sensitivity

WHY = Sensitivity("credential", "text of the catalog that repeats values of sensitive columns")
_STANDARD = (
    "information_schema.columns.column_default",
    "information_schema.columns.generation_expression",
    "information_schema.check_constraints.check_clause",
    "information_schema.views.view_definition",
    "information_schema.triggers.action_statement",
    "information_schema.triggers.action_condition",
    "information_schema.routines.routine_definition",
    "information_schema.parameters.parameter_default",
)
_SQLITE = ("sqlite_master.sql", "sqlite_schema.sql", "pragma_table_info.dflt_value", "pragma_table_xinfo.dflt_value")
_MYSQL = (
    "information_schema.partitions.partition_description",
    "information_schema.events.event_definition",
)
_POSTGRES = (
    "pg_attrdef.adbin",
    "pg_attribute.attmissingval",
    "pg_constraint.conbin",
    "pg_index.indexprs",
    "pg_index.indpred",
    "pg_indexes.indexdef",
    "pg_matviews.definition",
    "pg_policies.qual",
    "pg_policies.with_check",
    "pg_proc.prosrc",
    "pg_proc.proargdefaults",
    "pg_proc.prosqlbody",
    "pg_rewrite.ev_action",
    "pg_rewrite.ev_qual",
    "pg_rules.definition",
    "pg_trigger.tgqual",
    "pg_trigger.tgargs",
    "pg_views.definition",
)
_DUCKDB = (
    "duckdb_columns.column_default",
    "duckdb_constraints.constraint_text",
    "duckdb_constraints.expression",
    "duckdb_indexes.expressions",
    "duckdb_indexes.sql",
    "duckdb_tables.sql",
    "duckdb_views.sql",
)
_COLUMNS: Mapping[Dialect, tuple[str, ...]] = {
    "sqlite": _SQLITE,
    "mysql": (*_STANDARD, *_MYSQL),
    "mariadb": (*_STANDARD, *_MYSQL),
    "postgres": (*_STANDARD, *_POSTGRES),
    "duckdb": (*_STANDARD, *_POSTGRES, *_SQLITE, *_DUCKDB),
}
_FORMS = ("show", "describe", "pragma")
# Headers of these forms, where such a text stands.
_HEADERS = (
    "default", "dflt_value", "create table", "create view", "sql original statement", "statement", "create trigger",
    "create procedure", "create function", "create event", "create package", "create package body",
)  # fmt: skip
_CODE = re.compile(r"\b(?:triggers?|procedure|function|event|package)\b", re.IGNORECASE)  # names no table


def columns(dialect: Dialect) -> dict[tuple[str, str], Sensitivity]:
    """The columns of the catalog that repeat such values.

    >>> ("sqlite_master", "sql") in columns("sqlite")
    True
    """
    return {(table, column): WHY for name in _COLUMNS[dialect] for table, _, column in (name.rpartition("."),)}


def hidden_in_forms(
    plan: RedactionPlan, allowed: AllowedQuery, tables: Iterable[str] | None, views: Mapping[str, str]
) -> RedactionPlan:
    """The plan of a form that describes a table, so that it hides what repeats values, if the table has any.

    Args:
        tables: those that have a sensitive column; None where that is not known.
        views: the bodies of views; one that reads such a table counts as one.
    """
    if allowed.form not in _FORMS:
        return plan
    if tables is not None:
        named = set(tables)
        named |= {view for view, body in views.items() if not body or any(_names(body, table) for table in named)}
        if not named or not (_CODE.search(allowed.sql) or any(_names(allowed.sql, name) for name in named)):
            return plan
    return replace(plan, by_name=True, names={**plan.names, **dict.fromkeys(_HEADERS, WHY)})


def _names(text: str, name: str) -> bool:
    """Whether a text has the name in it, as a whole word."""
    last = name.rpartition(".")[2]
    return re.search(rf"(?<!\w){re.escape(last.casefold())}(?!\w)", text.casefold()) is not None
