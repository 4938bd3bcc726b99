"""What a statement may write to the scratch database, and what its tables then hold.

In: a writing statement that the gate let pass, what is known. Out: ``Effect``. Never: a table that hides
the origin of a sensitive column, a name of a mount that means something else, or an answer to a guess about a hidden
value.

``CREATE TABLE … AS`` and ``INSERT … SELECT`` are traced like a query, and the columns that they fill stay sensitive.
What is written in other ways may not mention a sensitive column at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

from dbgraph_nb import redact
from dbgraph_nb.errors import BadArgument, RedactionRefused
from dbgraph_nb.model import AllowedQuery, RedactionPlan, Sensitivity

Pairs = Mapping[tuple[str, str], Sensitivity]
_MOUNT: Final = re.compile(r"f\d+")
_KINDS: Final = frozenset({"TABLE", "VIEW", "INDEX", "SEQUENCE"})
_DERIVED: Final = Sensitivity("credential", "written beside a sensitive column")
_SHOW: Final = "Leave that column out, or write it with --show-sensitive; it stays hidden in later cells."


@dataclass(frozen=True, slots=True)
class Effect:
    """What a statement does to the knowledge about the scratch database.

    Attributes:
        table: the table that is written, in lower case.
        fills: which of its columns become sensitive, given all of them in their order.
        forgets: whether what was known of the table ends before.
    """

    table: str
    fills: Callable[[list[str]], dict[str, Sensitivity]] = lambda columns: {}
    forgets: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before a statement writes.

    Attributes:
        schema: the columns of each relation and their types.
        sensitive: the sensitive ones, and those that derive from them.
        views: of the scratch database, and what made them.
        mounts: names that mean files, in lower case.
        query: the text of the query inside the statement, if it has one.
        show_sensitive: whether sensitive columns may be written in ways that are not traced.
    """

    schema: Mapping[str, Mapping[str, str]]
    sensitive: Pairs
    views: Mapping[str, str]
    mounts: frozenset[str]
    query: str
    show_sensitive: bool = False


def effect(allowed: AllowedQuery, known: Known) -> Effect:
    """Checks a writing statement.

    Raises:
        BadArgument: the target is not a plain table of the scratch database (code ``scratch-target``), has the name of
            a mount (``mount-name``), or is temporary (``scratch-temporary``); a view reads a file (``view-of-file``).
        RedactionRefused: what would be written cannot be traced, or mentions a sensitive column.
    """
    tree = allowed.tree
    table = _target(tree, known.mounts)
    involved = {table, *(fold(".".join(parts)) for parts in allowed.relations)}
    hidden = {column for (relation, column) in known.sensitive if fold(relation) in involved}
    if isinstance(tree, exp.Create):
        return _create(tree, allowed, known, hidden, table)
    if isinstance(tree, exp.Drop):
        return Effect(table, forgets=True)
    if isinstance(tree, exp.Alter):
        _alter(tree, table, known.sensitive)
        return Effect(table)
    if isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Query):
        return _insert(tree, known, hidden, table)
    if hidden and _mentions(tree, hidden, involved):
        if not known.show_sensitive:
            raise RedactionRefused("Not run: the statement uses a sensitive column.", hint=_SHOW)
        return Effect(table, lambda columns: dict.fromkeys(columns, _DERIVED))
    return Effect(table)


def fold(name: str) -> str:
    """A name as it is compared; DuckDB folds less, so more is taken for the same."""
    return name.lower()


def _target(tree: Any, mounts: frozenset[str]) -> str:
    """The name of the one table that is written."""
    names = list(_written(tree))
    for name in names:
        if _MOUNT.fullmatch(fold(name)) or fold(name) in mounts:
            raise BadArgument(
                f"{name} is the name of a file; a table of the scratch database needs another one.",
                code="mount-name",
                hint="Names such as f0 always mean what -f mounts.",
            )
    if len(names) > 2 or (len(names) > 1 and isinstance(tree, exp.Drop)):
        raise _not_plain("one at a time")
    return fold(names[0])


def _written(tree: Any) -> Iterator[str]:
    kind = str(tree.args.get("kind") or "TABLE").upper()
    if kind not in _KINDS:
        raise _not_plain(f"{kind} is not made or dropped here")
    if isinstance(tree, exp.Create) and any(
        isinstance(part, exp.TemporaryProperty)
        for part in (tree.args.get("properties") or exp.Properties()).expressions
    ):
        raise BadArgument(
            "A temporary table would be gone at the end of the cell.",
            code="scratch-temporary",
            hint="Leave TEMP out: the scratch database is removed when the kernel ends.",
        )
    if isinstance(tree, exp.TruncateTable):
        nodes = list(tree.expressions)
    elif isinstance(tree, exp.Drop):
        nodes = list(tree.args.get("tables") or [tree.this])
    else:
        this = tree.this
        this = this.this if isinstance(this, exp.Schema) else this
        nodes = [this, this.args.get("table")] if isinstance(this, exp.Index) else [this]
        nodes += [action.this for action in tree.args.get("actions") or () if isinstance(action, exp.AlterRename)]
    for node in nodes:
        if isinstance(node, exp.Index) or (
            isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and not node.db and not node.catalog
        ):
            yield node.name
        else:
            raise _not_plain("only tables with a plain name are written")


def _not_plain(why: str) -> BadArgument:
    return BadArgument(
        f"The scratch database has plain tables, views, indexes and sequences: {why}.",
        code="scratch-target",
        hint="Write CREATE TABLE name AS SELECT …, without a database or schema before the name.",
    )


def _create(tree: Any, allowed: AllowedQuery, known: Known, hidden: set[str], table: str) -> Effect:
    kind = str(tree.args.get("kind") or "").upper()
    forgets = bool(tree.args.get("replace"))
    query = tree.expression if isinstance(tree.expression, exp.Query) else None
    if kind == "VIEW":
        if {parts[0] for parts in allowed.relations} & known.mounts:
            raise BadArgument(
                "A view cannot read a file, which may be another one in the next cell.",
                code="view-of-file",
                hint="Make a table: CREATE TABLE name AS SELECT ….",
            )
        return Effect(table, forgets=forgets)  # it is traced whenever it is read
    if query is None:
        if _mentions(tree, {column for column in _own_columns(tree) if redact.classify(column)}, set()):
            raise RedactionRefused("Not run: a column is computed from a sensitive one.", hint="Leave that column out.")
        return Effect(table, forgets=forgets)
    plan = _traced(tree, known)
    if hidden and _mentions(_without(tree), hidden, set()):
        raise RedactionRefused("Not run: the statement uses a sensitive column.", hint=_SHOW)
    return Effect(table, lambda columns: _at(plan, columns), forgets)


def _own_columns(tree: Any) -> list[str]:
    return [definition.name for definition in tree.find_all(exp.ColumnDef)]


def _alter(tree: Any, table: str, sensitive: Pairs) -> None:
    adds = all(isinstance(action, exp.ColumnDef) for action in tree.args.get("actions") or ())
    if not adds and any(fold(relation) == table for relation, _ in sensitive):
        raise RedactionRefused(
            "Not run: the table has a sensitive column, and what it is called then is not followed.",
            hint="Make a new table from it: CREATE TABLE name AS SELECT ….",
        )


def _insert(tree: Any, known: Known, hidden: set[str], table: str) -> Effect:
    plan = _traced(tree, known)
    rest = _without(tree)
    if (
        (hidden or plan.columns)
        and (tree.args.get("returning") or _mentions(rest, hidden, set()))
        and not known.show_sensitive
    ):
        raise RedactionRefused("Not run: the statement uses a sensitive column.", hint=_SHOW)
    listed = [part.name for part in tree.this.expressions] if isinstance(tree.this, exp.Schema) else []
    if tree.args.get("by_name"):
        names = [plan.outputs[i] if plan.outputs else None for i in plan.columns]
        if None in names:
            return Effect(table, lambda columns: dict.fromkeys(columns, _DERIVED) if plan.columns else {})
        return Effect(table, lambda columns: dict.fromkeys(map(str, names), _DERIVED))
    return Effect(table, lambda columns: _at(plan, listed or columns))


def _traced(tree: Any, known: Known) -> RedactionPlan:
    if any(tree.args.get(key) is not None for key in ("with_", "with")):
        raise RedactionRefused(
            "Not run: WITH stands before INSERT, where its tables are not traced.", hint="Write it behind the table."
        )
    plan = redact.plan(known.query, dialect="duckdb", schema=known.schema, sensitive=known.sensitive, views=known.views)
    if plan.refused:
        raise RedactionRefused(f"Not run: {plan.refused.rstrip('.')}.", hint=_SHOW)
    return plan


def _without(tree: Any) -> Any:
    """The statement without the query that fills its table."""
    rest = tree.copy()
    rest.set("expression", None)
    for key in ("with_", "with"):
        rest.set(key, None)
    return rest


def _at(plan: RedactionPlan, columns: list[str]) -> dict[str, Sensitivity]:
    return {columns[i]: replace(plan.reasons.get(i, _DERIVED)) for i in plan.columns if i < len(columns)}


def _mentions(tree: Any, hidden: set[str], relations: set[str]) -> bool:
    """Whether an expression names a hidden column, every column, or a whole row."""
    names = {fold(column.partition(".")[0]) for column in hidden} | {
        fold(name.rpartition(".")[2]) for name in relations
    }
    aliases = {fold(alias.name) for alias in tree.find_all(exp.TableAlias)} if relations else set()
    for node in tree.walk():
        if isinstance(node, exp.Star) or (isinstance(node, exp.Join) and node.args.get("method") == "NATURAL"):
            return bool(hidden)
        if isinstance(node, exp.Column) and fold(node.name) in names | aliases:
            return True
        if isinstance(node, exp.Join) and any(fold(part.name) in names for part in node.args.get("using") or ()):
            return True
    return False
