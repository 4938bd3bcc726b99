"""What a statement may write to the scratch database.

In: a writing statement that the gate let pass, what is known. Out: ``Verdict``. Never: a sensitive value in a table
that was not written with sensitive values shown, a name of a mount that means something else, or an answer to a guess.

``CREATE TABLE … AS`` and ``INSERT … SELECT`` are traced like a query and write ``[REDACTED]``. Every other statement
that reads a relation with sensitive columns is refused. With sensitive values shown all run as they are, and the table
that was written is sensitive from then on, whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlglot import exp

from dbgraph_nb import redact
from dbgraph_nb.errors import BadArgument, RedactionRefused
from dbgraph_nb.model import AllowedQuery, RedactionPlan, Sensitivity

Pairs = Mapping[tuple[str, str], Sensitivity]
_MOUNT: Final = re.compile(r"f\d+")
_KINDS: Final = frozenset({"TABLE", "VIEW", "INDEX", "SEQUENCE"})
_SHOW: Final = (
    "First make a table of the columns you need: CREATE TABLE name AS SELECT …; or use --show-sensitive, "
    "which hides the written table in later cells."
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before a statement writes.

    Attributes:
        schema: the columns of each relation and their types.
        sensitive: the sensitive ones.
        secret: the relations that hold sensitive values; a table of the scratch database only if they were shown.
        views: of the scratch database, and what made them.
        mounts: names that mean files.
        query: the text of the query inside the statement; "" if there is none.
        tail: whether something follows that query, such as RETURNING.
        show_sensitive: whether sensitive values may be written as they are.
    """

    schema: Mapping[str, Mapping[str, str]]
    sensitive: Pairs
    secret: frozenset[str]
    views: Mapping[str, str]
    mounts: frozenset[str]
    query: str
    tail: bool
    show_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a statement runs.

    Attributes:
        table: what it writes.
        how: ``as_it_is``; ``redacted``: its query by ``plan``; ``shown``: as it is, and the table is sensitive then.
        makes: whether the table is a new one when the statement succeeds.
    """

    table: str
    how: Literal["as_it_is", "redacted", "shown"]
    plan: RedactionPlan | None = None
    makes: bool = False


def judge(allowed: AllowedQuery, known: Known) -> Verdict:
    """Checks a writing statement.

    Raises:
        BadArgument: the target is not a plain table of the scratch database (code ``scratch-target``), has the name of
            a mount (``mount-name``), or is temporary (``scratch-temporary``); a view reads a file (``view-of-file``).
        RedactionRefused: it reads a sensitive column in a way that is not traced.
    """
    tree = allowed.tree
    table = _target(tree, known.mounts)
    read = {fold(parts[-1]) for parts in allowed.relations} | ({fold(table)} if _reads_target(tree) else set())
    kind = str(tree.args.get("kind") or "").upper() if isinstance(tree, exp.Create) else ""
    if kind == "VIEW" and {fold(part) for parts in allowed.relations for part in parts} & known.mounts:
        raise BadArgument(
            "A view cannot read a file, which may be another one in the next cell.",
            code="view-of-file",
            hint="Make a table: CREATE TABLE name AS SELECT ….",
        )
    makes = kind == "TABLE" and not tree.args.get("exists")
    if kind == "VIEW" or not _is_risky(read, known):  # a view is traced whenever it is read
        return Verdict(table, "as_it_is", makes=makes)
    if known.show_sensitive:
        return Verdict(table, "shown")
    fills = (kind == "TABLE" or isinstance(tree, exp.Insert)) and isinstance(tree.expression, exp.Query)
    if not fills or known.tail or not known.query or _counts(tree):
        raise RedactionRefused("Not run: it reads a relation that has sensitive columns.", hint=_SHOW)
    plan = redact.plan(known.query, dialect="duckdb", schema=known.schema, sensitive=known.sensitive, views=known.views)
    if plan.refused:
        raise RedactionRefused(f"Not run: {plan.refused.rstrip('.')}.", hint=_SHOW)
    return Verdict(table, "redacted", plan, makes=makes)


def fold(name: str) -> str:
    """A name as it is compared; DuckDB folds less, so more is taken for the same."""
    return name.casefold()


def _reads_target(tree: Any) -> bool:
    """Whether values of the written table itself can come out, or decide."""
    return not isinstance(tree, exp.Create | exp.Drop | exp.TruncateTable)


def _is_risky(read: set[str], known: Known) -> bool:
    """Whether one of the relations holds sensitive values, by the last part of its name; a view is not looked into."""
    secret = {fold(part) for relation in known.secret for part in (relation, relation.rpartition(".")[2])}
    own = {fold(view) for view in known.views} if known.secret - known.mounts else set()
    return bool(read & (secret | own))


def _counts(tree: Any) -> bool:
    """Whether it advances a sequence, by which a later statement could tell how often."""
    return any(
        isinstance(node, exp.NextValueFor) or (isinstance(node, exp.Func) and fold(node.name) in ("nextval", "currval"))
        for node in tree.walk()
    )


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
    return names[-1] if isinstance(tree, exp.Alter) else names[0]


def _written(tree: Any) -> Iterator[str]:
    kind = str(tree.args.get("kind") or "TABLE").upper()
    if kind not in _KINDS:
        raise _not_plain(f"{kind} is not made or dropped here")
    properties = tree.args.get("properties") if isinstance(tree, exp.Create) else None
    if properties and any(isinstance(part, exp.TemporaryProperty) for part in properties.expressions):
        raise BadArgument(
            "A temporary table would be gone at the end of the cell.",
            code="scratch-temporary",
            hint="Leave TEMP out: the scratch database is removed when the kernel ends.",
        )
    for node in _nodes(tree):
        plain = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
        if not isinstance(node, exp.Index) and not (plain and not node.db and not node.catalog):
            raise _not_plain("only tables with a plain name are written")
        yield node.name


def _nodes(tree: Any) -> list[Any]:
    if isinstance(tree, exp.TruncateTable):
        return list(tree.expressions)
    if isinstance(tree, exp.Drop):
        return list(tree.args.get("tables") or [tree.this])
    this = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    nodes = [this, this.args.get("table")] if isinstance(this, exp.Index) else [this]
    return nodes + [action.this for action in tree.args.get("actions") or () if isinstance(action, exp.AlterRename)]


def _not_plain(why: str) -> BadArgument:
    return BadArgument(
        f"The scratch database has plain tables, views, indexes and sequences: {why}.",
        code="scratch-target",
        hint="Write CREATE TABLE name AS SELECT …, without a database or schema before the name.",
    )
