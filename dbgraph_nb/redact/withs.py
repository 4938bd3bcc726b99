"""WITH: names for queries, recursive ones included.

In: the WITH clause. Out: a scope in which its names resolve. Never: a name resolved to a table that the engine would
resolve to the WITH query: SQLite, MySQL and MariaDB (and PostgreSQL under RECURSIVE) see later names too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbgraph_nb.redact.scope import Env, Walk
from dbgraph_nb.redact.sources import check_args, renamed
from dbgraph_nb.redact.values import Output, Relation, Value, join, refusal

_READS = (exp.Query, exp.Values, exp.Pivot, exp.Summarize, exp.Describe)


def with_names(node: exp.Expr | None, env: Env, walk: Walk) -> Env:
    """``env`` with the names of a WITH clause; their queries are read when a name is used, and once at the end."""
    if node is None:
        return env
    check_args(node, frozenset({"expressions", "recursive", "search", "cycle"}))
    numbered = bool(node.args.get("search") or node.args.get("cycle"))
    recursive = bool(node.args.get("recursive"))
    forward = walk.dialect == "sqlite" or (recursive and walk.dialect != "duckdb")
    names: dict[str, Callable[[], Relation]] = dict(env.ctes)
    scope = replace(env, ctes=names)
    entries = []
    own: set[str] = set()
    for cte in node.expressions:
        if cte.alias.lower() in own:
            raise refusal(f"two WITH names are {cte.alias} but for their case, so which is read is not known")
        own.add(cte.alias.lower())
        check_args(cte, frozenset({"this", "alias", "materialized", "key_expressions"}))
        entry = Entry(cte, scope, walk, numbered)
        entries.append(entry)
        if forward:
            names[cte.alias.lower()] = entry.relation
            continue
        # Earlier names only, and its own under RECURSIVE; a fresh mapping, since queries are read later.
        name = cte.alias.lower()
        entry.env = replace(env, ctes={**names, name: entry.relation} if recursive else dict(names))
        names[name] = entry.relation
    for entry in entries:
        entry.relation()  # an unused name may still hold a predicate, or something that is no read
    return scope


@dataclass(slots=True)
class Entry:
    """One WITH query, read at first use."""

    node: exp.Expr
    env: Env
    walk: Walk
    numbered: bool = False  # SEARCH or CYCLE add columns
    known: Relation | None = None
    estimate: Relation | None = None
    active: bool = False

    def is_called(self, name: str) -> bool:
        """Whether the engine surely takes a name, as it is written, for this entry's."""
        own = self.node.alias
        return name == own or (name.isascii() and own.isascii() and not self._has_case(name))

    def _has_case(self, name: str) -> bool:
        """PostgreSQL folds what is not quoted, and keeps what is; the others ignore the case of plain letters."""
        if self.walk.dialect != "postgres":
            return False
        alias = self.node.args.get("alias")
        quoted = bool(alias is not None and alias.this is not None and alias.this.args.get("quoted"))
        return quoted and self.node.alias != self.node.alias.lower()

    @property
    def key(self) -> str:
        """A name for this entry that is unique in the proof."""
        return f"{self.node.alias.lower()}/{id(self)}"

    def relation(self) -> Relation:
        """The relation of the query; inside its own recursion, what is known of it so far."""
        if self.known is not None:
            return self.known
        if self.active:
            return self._so_far()
        self.active = True
        found = self._read()
        while self.estimate is not None and self.key in self.walk.circular:
            wider = _wider(self.estimate, found)
            if wider == self.estimate:
                break
            self.estimate = wider
            self.walk.spend(100)
            found = _wider(wider, self._read())
        self.active = False
        self.walk.circular.discard(self.key)
        found = self._finished(found)
        if not self.walk.circular:  # else it was read under another name's unfinished recursion
            self.known = found
        return found

    def _read(self) -> Relation:
        if not isinstance(self.node.this, _READS):
            raise refusal("WITH holds a statement that is not a read")
        return self._renamed(self.walk.query(self.node.this, self.env))

    def _finished(self, found: Relation) -> Relation:
        if not self.numbered:
            return found
        if found.taint or any(output.star for output in found.outputs):
            raise refusal("SEARCH and CYCLE add columns that may hold a sensitive value")
        return replace(found, outputs=(*found.outputs, Output(None, Value(), star="any")))

    def _so_far(self) -> Relation:
        self.walk.circular.add(self.key)
        if self.estimate is None:
            anchor = self.node.this
            while isinstance(anchor, (exp.SetOperation, exp.Subquery)):
                anchor = anchor.this
            if not isinstance(self.node.this, exp.SetOperation):
                raise refusal(f"{self.node.alias} reads itself")
            # Read as an own, unfinished entry, so that an anchor that reads itself ends here.
            self.estimate = Relation((), table="?")
            self.estimate = self._renamed(self.walk.query(anchor, self.env))
        elif self.estimate.table == "?":
            raise refusal(f"{self.node.alias} reads itself before its first row")
        return self.estimate

    def _renamed(self, relation: Relation) -> Relation:
        alias = self.node.args.get("alias")
        columns = alias.args.get("columns") if alias is not None else None
        return renamed(replace(relation, table=""), [column.name for column in columns or ()])


def _wider(left: Relation, right: Relation) -> Relation:
    if len(left.outputs) != len(right.outputs):
        raise refusal("a recursive query changes its number of columns")
    outputs = [_united(a, b) for a, b in zip(left.outputs, right.outputs, strict=True)]
    return Relation(tuple(outputs), rows=left.rows | right.rows)


def _united(left: Output, right: Output) -> Output:
    value = join([left.value, right.value])
    return replace(left, value=Value(value.taint, direct=value.direct and left.value.direct))
