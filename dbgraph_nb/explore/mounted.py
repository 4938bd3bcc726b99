"""What is known of the mounted relations: their columns, and which of them are sensitive.

In: opened mounts. Out: ``Relations``. Never: a column of a database's view that is shown because its origin was not
looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dbgraph_nb import redact
from dbgraph_nb.engines.duckdb_files import SCRATCH
from dbgraph_nb.localdata.databases import Table
from dbgraph_nb.localdata.opening import Opened
from dbgraph_nb.model import SensitivePolicy, Sensitivity

Schema = dict[str, dict[str, str]]
Pairs = dict[tuple[str, str], Sensitivity]

_VIEWS = f"SELECT view_name, sql FROM duckdb_views() WHERE database_name = '{SCRATCH}' AND NOT internal"
_UNPROVEN = Sensitivity("credential", "a view whose columns cannot be traced")


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations that a statement may read.

    Attributes:
        schema: for each name its columns and their types; that of a table in a database file is ``f0.table``.
        views: those of them that stand for a view of a database file: the file's own names, and the view.
        scratch_views: the views of the scratch database, and the statement that made each.
        written: columns of its tables that derive from sensitive ones.
    """

    schema: Schema
    views: Mapping[str, tuple[Sequence[Table], Table, Schema]] = field(default_factory=dict)
    scratch_views: Mapping[str, str] = field(default_factory=dict)
    written: Pairs = field(default_factory=dict)

    @property
    def names(self) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(name.split(".", 1)) for name in self.schema)

    def listed(self) -> str:
        """The names, for a hint."""
        names = sorted(self.schema)
        return ", ".join(names[:20]) + (" …" if len(names) > 20 else "")

    def sensitive(self, policy: SensitivePolicy) -> Pairs:
        """The columns that a policy hides, by their names, their fields' names, and for views by their origin."""
        found: Pairs = {}
        for relation, columns in self.schema.items():
            if relation not in self.scratch_views:
                found |= by_name(relation, columns, policy)
        for relation, (_, view, schema) in self.views.items():
            found |= _of_view(relation, view, self.schema[relation], schema, policy)
        for (relation, column), why in self.written.items():
            if policy.hides(why.tier):
                found |= dict.fromkeys(_spelled(self.schema, relation, column), why)
        return found


def _spelled(schema: Schema, relation: str, column: str) -> Iterator[tuple[str, str]]:
    """A table and a column in lower case as they are written."""
    for name, columns in schema.items():
        if name.lower() == relation:
            yield from ((name, own) for own in columns if own.lower() == column)


def relations(local: Opened, written: Pairs | None = None) -> Relations:
    """What a statement may read in opened mounts, and in the scratch database if it is open."""
    schema: Schema = {}
    for where, relation, column, kind in local.columns:
        name = relation if where in ("memory", SCRATCH) else f"{where}.{relation}"
        schema.setdefault(name, {})[column] = kind
    views: dict[str, tuple[Sequence[Table], Table, Schema]] = {}
    for number, tables in local.tables.items():
        first = local.mounts[number].names[0]
        own = {table.called: schema.get(f"{first}.{table.called}", {}) for table in tables}
        for name in local.mounts[number].names:
            for table in tables:
                if table.view is not None:
                    views[f"{name}.{table.called}"] = (tables, table, own)
                    if len(tables) == 1:
                        views[name] = (tables, table, own)
    scratch_views: dict[str, str] = {}
    if written is not None:
        scratch_views = dict(local.engine.catalog(_VIEWS))
    return Relations(schema, views, scratch_views, written or {})


def by_name(relation: str, columns: Mapping[str, str], policy: SensitivePolicy) -> Pairs:
    """The columns of one relation that their names, or their fields' names, give away."""
    found: Pairs = {}
    for column, kind in columns.items():
        why = redact.classify(column, type=kind)
        if why is not None and policy.hides(why.tier):
            found[relation, column] = why
        fields = redact.sensitive_fields(column, kind)
        found |= {(relation, path): tier for path, tier in fields if policy.hides(tier.tier)}
    return found


def _of_view(relation: str, view: Table, columns: Mapping[str, str], own: Schema, policy: SensitivePolicy) -> Pairs:
    """The columns of a file's view that derive from sensitive ones of the file; all where that cannot be told."""
    assert view.view is not None
    tables = {name: of for name, of in own.items() if name != view.called}
    sensitive: Pairs = {}
    for name, of in tables.items():
        sensitive |= by_name(name, of, policy)
    plan = redact.plan(f"SELECT * FROM {_quoted(view.called)}", dialect="duckdb", schema=own, sensitive=sensitive,
                       views={view.called: view.view})  # fmt: skip
    if plan.refused:
        return {(relation, column): _UNPROVEN for column in columns}
    names = list(columns)
    return {(relation, names[i]): plan.reasons.get(i, _UNPROVEN) for i in plan.columns if i < len(names)}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
