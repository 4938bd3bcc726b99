"""What is known about tables, views and sensitive columns, looked up by the names that a statement writes.

In: ``schema``, ``sensitive`` and ``views`` as callers have them. Out: the facts of one table at a time; nothing is
prepared for tables that a statement does not read. Never: a guess; a name that is not known is None, and where two
tables fit the facts of both count.

Names are compared without case. A table matches from its right end: ``users``, ``shop.users`` and ``def.shop.users``
mean each other as long as no part contradicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Sensitivity
from dbgraph_nb.redact.values import Output, Relation, Source, Value, refusal

Schema = Mapping[str, Mapping[str, str]]
Pairs = Mapping[tuple[str, str], Sensitivity] | Iterable[Sequence[object]]
Parts = tuple[str, ...]
ByName = Callable[[str], Sensitivity | None]

_DECLARED = Sensitivity("credential", "declared sensitive")


@dataclass(frozen=True, slots=True)
class Pair:
    """One sensitive column as it was given: the parts of its table and of its column path."""

    table: Parts
    column: str
    why: Sensitivity


@dataclass(slots=True)
class Known:
    """The catalog as lineage sees it."""

    schema: Schema
    by_name: ByName
    tables: dict[str, list[tuple[Parts, str]]] = field(default_factory=lambda: defaultdict(list))
    views: dict[str, list[tuple[Parts, str]]] = field(default_factory=lambda: defaultdict(list))
    pairs: dict[str, list[Pair]] = field(default_factory=lambda: defaultdict(list))
    columns: set[str] | None = None  # names of sensitive columns of any table, once they are asked for

    def is_relevant(self, name: str) -> bool:
        """Whether a lower-case name may lead to a sensitive column: a table, a view, or such a column."""
        if name in self.tables or name in self.views or self.by_name(name) is not None:
            return True
        if self.columns is None:
            columns = {pair.column for pairs in self.pairs.values() for pair in pairs}
            self.columns = columns | {column.partition(".")[0] for column in columns}
        return name in self.columns

    def table(self, parts: Parts) -> Relation | None:
        """The relation of a base table, or None if the schema does not know it."""
        found = [(key, spelled) for key, spelled in self.tables.get(parts[-1], ()) if _agree(key, parts)]
        found = [pair for pair in found if pair[0] == parts] or found
        relations = [self._relation(key, spelled) for key, spelled in found]
        if len(relations) < 2:
            return relations[0] if relations else None
        return _either(relations)

    def view(self, parts: Parts) -> tuple[Parts, str] | None:
        """The full name and the SQL of the view that ``parts`` name, or None."""
        found = [(key, body) for key, body in self.views.get(parts[-1], ()) if _agree(key, parts)]
        found = [pair for pair in found if pair[0] == parts] or found
        if len({body for _, body in found}) > 1:
            raise refusal(f"several views are called {parts[-1]} without regard to case, so which is read is not known")
        return next(iter(found), None)

    def sources(self, parts: Parts, column: str, columns: Iterable[str]) -> list[Source]:
        """The sensitive sources in one column of a table whose columns are ``columns`` (lower-case)."""
        listed = set(columns)
        label = parts[-1]
        sources = []
        for pair in self._pairs_of(parts):
            path = _path(pair, parts, column, listed)
            if path is not None:
                sources.append(Source(label, ".".join((column, *path)), pair.why, path))
        return sources

    def named(self, parts: Parts, column: str) -> list[Source]:
        """What the name alone says of a column of an unknown table, or of a key in a document."""
        sources = [
            Source(parts[-1] if parts else "", pair.column, pair.why)
            for pair in (self._pairs_of(parts) if parts else ())
            if pair.column == column or pair.column.startswith(f"{column}.")
        ]
        why = self.by_name(column)
        if why and not sources:
            sources.append(Source(parts[-1] if parts else "", column, why))
        return sources

    def named_columns(self, parts: Parts) -> dict[str, Sensitivity]:
        """The columns of an unknown table that were declared sensitive."""
        return {pair.column.partition(".")[0]: pair.why for pair in self._pairs_of(parts)}

    def _pairs_of(self, parts: Parts) -> list[Pair]:
        named = [pair for key in {*parts, ""} for pair in self.pairs.get(key, ())]
        return [pair for pair in named if _split(pair, parts)]

    def _relation(self, parts: Parts, spelled: str) -> Relation:
        columns = self.schema[spelled]
        lower = [column.lower() for column in columns]
        outputs = []
        for name, (column, declared) in zip(lower, columns.items(), strict=True):
            taint = frozenset(self.sources(parts, name, lower))
            kind = str(declared or "").lower() or None
            outputs.append(Output(name, Value(taint, direct=True, type=kind), shown=column))
        return Relation(tuple(outputs), table=parts[-1])


def know(schema: Schema, sensitive: Pairs, views: Mapping[str, str] | None, by_name: ByName) -> Known:
    """Prepares the lookups: one pass over the names of tables, views and sensitive columns."""
    known = Known(schema, by_name)
    for spelled in schema:
        for parts in _spellings(spelled):
            known.tables[parts[-1]].append((parts, spelled))
    for name, body in (views or {}).items():
        for parts in _spellings(name):
            known.views[parts[-1]].append((parts, body))
    entries = (
        ((*_checked(pair), why) for pair, why in sensitive.items()) if isinstance(sensitive, Mapping) else sensitive
    )
    split: dict[object, tuple[Parts, set[str]]] = {}  # many columns share a table
    for entry in entries:
        table, column, *rest = _checked(entry)
        if table not in split:
            lower = str(table or "").lower()
            parts = tuple(lower.split(".")) if lower else ()
            # "acct.profile" + "password" may be a schema's table, or a key in a column: kept under every part.
            split[table] = (parts, {*parts, lower})
        parts, keys = split[table]
        why = rest[0] if rest and isinstance(rest[0], Sensitivity) else _DECLARED
        pair = Pair(parts, str(column).lower(), why)
        for key in keys:
            known.pairs[key].append(pair)
    return known


def _checked(entry: Sequence[object]) -> Sequence[object]:
    """A pair as it is; a text would be taken apart into letters, and then nothing would be sensitive."""
    if isinstance(entry, (str, bytes)) or not isinstance(entry, Sequence) or len(entry) < 2:
        raise BadArgument(
            "sensitive must hold pairs of table and column.",
            code="redaction-argument",
            hint='Give pairs such as ("users", "password").',
        )
    return entry


def _spellings(name: str) -> list[Parts]:
    """A dotted name is a path of names, or one name with a dot in it (a file)."""
    lower = name.lower()
    return [(lower,)] if "." not in lower else [tuple(lower.split(".")), (lower,)]


def _agree(left: Parts, right: Parts) -> bool:
    return all(a == b for a, b in zip(reversed(left), reversed(right), strict=False))


def _split(pair: Pair, parts: Parts) -> list[Parts]:
    """The column paths that a pair may mean in the table ``parts``."""
    if not pair.table or _agree(pair.table, parts) or (".".join(pair.table),) == parts[-1:]:
        return [(pair.column,)]
    for cut in range(1, len(pair.table)):
        if _agree(pair.table[:cut], parts):
            return [(*pair.table[cut:], pair.column)]
    return []


def _path(pair: Pair, parts: Parts, column: str, columns: set[str]) -> Parts | None:
    """The path inside ``column`` that the pair names; () for the whole column, None for another column."""
    for names in _split(pair, parts):
        dotted = ".".join(names)
        if dotted == column:
            return ()
        first, *rest = dotted.split(".")
        if first == column and rest and dotted not in columns:
            return tuple(rest)
    return None


def _either(relations: list[Relation]) -> Relation:
    """Tables of one name in several schemas: every column of any, with the taint of all."""
    merged: dict[str | None, list[Output]] = defaultdict(list)
    for relation in relations:
        for output in relation.outputs:
            merged[output.name].append(output)
    outputs = []
    for name, same in merged.items():
        taint: frozenset[Source] = frozenset().union(*(output.value.taint for output in same))
        outputs.append(Output(name, Value(taint, direct=True), shown=same[0].shown))
    orders = {tuple(output.name for output in relation.outputs) for relation in relations}
    return Relation(tuple(outputs), table=relations[0].table, unordered=len(orders) > 1)
