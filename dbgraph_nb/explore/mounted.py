"""What is known of the mounted relations: their columns, and which of them are sensitive.

In: opened mounts. Out: ``Relations``. Never: a column of a database's view that is shown because its origin was not
looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dbgraph_nb import redact
from dbgraph_nb.engines.duckdb_files import SCRATCH
from dbgraph_nb.localdata.databases import Table
from dbgraph_nb.localdata.opening import Opened
from dbgraph_nb.model import SensitivePolicy, Sensitivity

Schema = dict[str, dict[str, str]]
Pairs = dict[tuple[str, str], Sensitivity]

_VIEWS = f"SELECT view_name, sql FROM duckdb_views() WHERE database_name = '{SCRATCH}' AND NOT internal"
_COMPUTED = Sensitivity("credential", "computed in a table that has a sensitive column")
_SHOWN = Sensitivity("credential", "a table that was written with sensitive values shown")
_UNPROVEN = Sensitivity("credential", "a view whose columns cannot be traced")


@dataclass(frozen=True, slots=True)
class Relations:
    """The relations that a statement may read.

    Attributes:
        schema: for each name its columns and their types; that of a table in a database file is ``f0.table``.
        views: those of them that stand for a view of a database file, or a table with computed columns: the file's
            tables, that one, and the columns of all.
        scratch_views: the views of the scratch database, and the statement that made each.
        scratch: the tables and views of the scratch database.
        shown: its tables that hold sensitive values; all their columns are sensitive.
    """

    schema: Schema
    views: Mapping[str, tuple[Sequence[Table], Table, Schema]] = field(default_factory=dict)
    scratch_views: Mapping[str, str] = field(default_factory=dict)
    scratch: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(name.split(".", 1)) for name in self.schema)

    def listed(self) -> str:
        """The names, for a hint."""
        names = sorted(self.schema)
        return ", ".join(names[:20]) + (" …" if len(names) > 20 else "")

    def secret(self, policy: SensitivePolicy) -> frozenset[str]:
        """The relations that hold sensitive values: a table of the scratch database does so only if they were shown."""
        shown = {name.casefold() for name in self.shown}
        found = {relation for relation, _ in self.sensitive(policy)}
        return frozenset(name for name in found if name not in self.scratch or name.casefold() in shown)

    def sensitive(self, policy: SensitivePolicy) -> Pairs:
        """The columns that a policy hides, by their names, their fields' names, and for views by their origin."""
        found: Pairs = {}
        for relation, columns in self.schema.items():
            if relation not in self.scratch_views:
                found |= by_name(relation, columns, policy)
        for relation, (tables, view, schema) in self.views.items():
            found |= _of_view(relation, tables, view, self.schema[relation], schema, policy)
        if policy.credential:
            shown = {name.casefold() for name in self.shown}
            for relation, columns in self.schema.items():
                if relation.casefold() in shown:
                    found |= dict.fromkeys(((relation, column) for column in columns), _SHOWN)
        return found


def relations(local: Opened, shown: Iterable[str] | None = None) -> Relations:
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
                if table.view is not None or table.generated:
                    views[f"{name}.{table.called}"] = (tables, table, own)
                    if len(tables) == 1:
                        views[name] = (tables, table, own)
    scratch_views: dict[str, str] = {}
    if shown is not None:
        scratch_views = dict(local.engine.catalog(_VIEWS))
    scratch = frozenset(relation for where, relation, *_ in local.columns if where == SCRATCH)
    return Relations(schema, views, scratch_views, scratch, frozenset(shown or ()))


def by_name(relation: str, columns: Mapping[str, str], policy: SensitivePolicy) -> Pairs:
    """The columns of one relation that their names, or their fields' names, give away."""
    found: Pairs = {}
    for column, kind in columns.items():
        why = redact.classify(column, type=None if kind.startswith("ENUM") else kind)  # members may be values
        if why is not None and policy.hides(why.tier):
            found[relation, column] = why
        fields = redact.sensitive_fields(column, kind)
        found |= {(relation, path): tier for path, tier in fields if policy.hides(tier.tier)}
    return found


def _generated(table: Table, columns: Mapping[str, str], sensitive: Pairs) -> Pairs:
    """The columns of a table that are computed; whether from a sensitive one is not looked into."""
    has_one = any(of == table.called for of, _ in sensitive)
    return {(table.called, name): _COMPUTED for name in table.generated if has_one and name in columns}


def _of_view(
    relation: str,
    tables: Sequence[Table],
    view: Table,
    columns: Mapping[str, str],
    own: Schema,
    policy: SensitivePolicy,
) -> Pairs:
    """The columns of a file's view that derive from sensitive ones of the file; all where that cannot be told."""
    if view.view is None:
        named = by_name(view.called, columns, policy)
        return {(relation, column): why for (_, column), why in _generated(view, columns, named).items()}
    texts = {table.called: table.view for table in tables if table.view is not None}
    sensitive: Pairs = {}
    for name, of in own.items():
        if name not in texts:
            sensitive |= by_name(name, of, policy)
    for table in tables:
        sensitive |= _generated(table, own.get(table.called, {}), sensitive)
    plan = redact.plan(
        f"SELECT * FROM {_quoted(view.called)}", dialect="duckdb", schema=own, sensitive=sensitive, views=texts
    )
    if plan.refused:
        return {(relation, column): _UNPROVEN for column in columns}
    names = list(columns)
    return {(relation, names[i]): plan.reasons.get(i, _UNPROVEN) for i in plan.columns if i < len(names)}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
