"""Answers about the structure of a database from its index alone: schema, objects, columns, words.

In: a connection's name, patterns, words. Out: small tables and ranked hits. Never: a statement to the database.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dbgraph_nb import connection_store, text_reference
from dbgraph_nb.catalog import aliases as aliases_module
from dbgraph_nb.catalog import resolve as resolve_module
from dbgraph_nb.catalog.store import CatalogIndex, ColumnRow, ObjectRow, open_index
from dbgraph_nb.errors import BadArgument, UnknownName
from dbgraph_nb.explore import context
from dbgraph_nb.model import CatalogHit, Hits, SensitivePolicy
from dbgraph_nb.settings import Settings

if TYPE_CHECKING:
    from dbgraph_nb.result import ResultFrame

OBJECT_COLUMNS = ("name", "kind", "columns", "rows_estimate", "comment", "note")
COLUMN_COLUMNS = ("table", "column", "type", "key", "nullable", "default", "comment", "values", "sensitive")


def open_named(at: Settings, name: str) -> CatalogIndex:
    """The open index of a stored connection.

    Raises:
        UnknownName: there is no such connection.
        IndexUnavailable: it has no index yet, or one of another version or database.
    """
    stored = context.connection(name, at)
    index = open_index(context.index_path(at, stored.name), name=stored.name)
    if not context.belongs(at, stored):
        index.close()
        raise context.of_another_database(name)
    return index


def schema(name: str, table: str | None = None) -> ResultFrame:
    """All tables and views of a connection, or the columns of one table.

    Raises:
        UnknownName: no such connection or table (``unknown-connection``, ``unknown-table``).
        IndexUnavailable: there is no index yet.
    """
    return objects(name) if table is None else columns(name, table)


def objects(name: str, pattern: str | None = None, kind: str | None = None) -> ResultFrame:
    """Tables and views.

    Args:
        pattern: a name with ``*`` and ``?``, or words that are looked for in names and comments.
        kind: only this kind (``table``, ``view``, …).

    Returns:
        A frame with name, kind, columns (how many), rows_estimate, comment, note.

    Raises:
        BadArgument: a pattern that is no text (code ``not-text``), or a kind that there is not (``bad-kind``).
    """
    at = context.settings()
    _check_text(pattern=pattern or "")
    with open_named(at, name) as index:
        known = sorted({row.kind for row in index.objects()})
        if kind is not None and kind not in known:
            hint = f"It has {', '.join(known)}." if known else None
            raise BadArgument(f"{name} has no objects of kind {kind!r}.", code="bad-kind", hint=hint)
        wanted = _matching(index, pattern, "object")
        rows = [
            (_full(row), row.kind, row.column_count, row.row_estimate, row.comment or "", row.note or "")
            for row in index.objects()
            if kind in (None, row.kind) and (wanted is None or row.id in wanted)
        ]
    return _table(OBJECT_COLUMNS, rows, name)


def columns(name: str, table: str | None = None, pattern: str | None = None) -> ResultFrame:
    """Columns, of one table or of all.

    Args:
        table: only this table; its case need not be right.
        pattern: a name with ``*`` and ``?``, or words that are looked for in names, comments and sampled values.

    Returns:
        A frame with table, column, type, key, nullable, default, comment, values (declared or sampled; never of a
        sensitive column), sensitive (tier).
    """
    at = context.settings()
    _check_text(table=table or "", pattern=pattern or "")
    policy = context.policy(context.connection(name, at)) or SensitivePolicy(credential=False, identity=False)
    with open_named(at, name) as index:
        chosen = None if table is None else known_table(index, name, table)
        wanted = _matching(index, pattern, "column")
        links = _links(index)
        tables = {row.id: _full(row) for row in index.objects()}
        rows = [
            _column(tables[row.object_id], row, links.get(row.id, ""), policy)
            for row in index.columns(None if chosen is None else chosen.id)
            if wanted is None or row.id in wanted
        ]
    return _table(COLUMN_COLUMNS, rows, name)


def resolve(name: str, words: str, *, k: int = 10) -> Hits[CatalogHit]:
    """Ranks tables and columns for a term or a whole question, from the index alone.

    Args:
        words: what an analyst would say, Chinese or English.
        k: how many hits.

    Returns:
        ``Hits`` of ``.table``, ``.column`` (None for a table), ``.score`` and ``.reasons``.

    Raises:
        BadArgument: no words, or ``k`` is not positive.
    """
    at = context.settings()
    if not isinstance(words, str) or not words.strip():
        raise BadArgument(
            "There are no words to resolve.", code="no-words", hint='Give a term: dg.resolve("shop", "电话").'
        )
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadArgument(f"k is {k!r}; it must be a positive whole number.", code="bad-k")
    with open_named(at, name) as index:
        return resolve_module.resolve(index, words, k=k, aliases=read_aliases(at, name))


def alias(name: str, word: str, target: str) -> None:
    """Teaches a connection a word; it outranks everything else from now on.

    Args:
        word: what you say.
        target: a table, ``table.column``, ``table.column=value`` (the literal that the word stands for), or another
            word.

    Raises:
        BadArgument: an empty word or target.
        UnknownName: the target names a table or column that is not in the index.
    """
    at = context.settings()
    _check_text(word=word, target=target)
    with open_named(at, name) as index:
        aliases_module.add(aliases_path(at, name), word, target, index=index)


def aliases_path(at: Settings, name: str) -> Path:
    """Where the aliases of a connection are kept."""
    return connection_store.folder(at.home, name) / "aliases.txt"


def read_aliases(at: Settings, name: str) -> aliases_module.Aliases:
    """The aliases of a connection and the user's synonyms."""
    return aliases_module.read(aliases_path(at, name), at.home / "synonyms.txt")


def known_table(index: CatalogIndex, name: str, table: str) -> ObjectRow:
    """The table of that name in the index of a connection.

    Raises:
        UnknownName: there is none (code ``unknown-table``), with the nearest names.
        BadArgument: ``table`` is no text (code ``not-text``).
    """
    _check_text(table=table)
    found = index.find_object(table)
    if found is None:
        near = difflib.get_close_matches(table, [_full(row) for row in index.objects()], n=3, cutoff=0.5)
        hint = f"Did you mean {', '.join(near)}?" if near else "%dbgraph objects lists them."
        raise UnknownName(f"{name} has no table named {table!r}.", code="unknown-table", hint=hint)
    return found


def _check_text(**given: object) -> None:
    for what, value in given.items():
        if not isinstance(value, str):
            raise BadArgument(f"{what} is a {type(value).__name__}; it must be text.", code="not-text")


def _matching(index: CatalogIndex, pattern: str | None, what: str) -> set[int] | None:
    """Ids of objects or columns that a pattern means; None means all."""
    if pattern is None or pattern in ("", "*"):
        return None
    rows: Iterable[ObjectRow | ColumnRow] = index.objects() if what == "object" else index.columns()
    folded = pattern.casefold()
    if any(sign in pattern for sign in "*?"):
        folded = folded.replace("[", "[[]")  # which means itself
        return {row.id for row in rows if fnmatch.fnmatchcase(row.name.casefold(), folded)}
    named = {row.id for row in rows if folded in row.name.casefold() or folded in (row.comment or "").casefold()}
    terms = [f'"{term}"' for term in dict.fromkeys(text_reference.streams([pattern], "query")[0].split())]
    if not terms:
        return named
    sql = f"SELECT rowid FROM search WHERE search MATCH ? AND column_id IS {'NULL' if what == 'object' else 'NOT NULL'}"
    return named | {row[0] for row in index.query(sql, (" OR ".join(terms),))}


def _links(index: CatalogIndex) -> dict[int, str]:
    """Column id → the column that its foreign key leads to."""
    tables = {row.id: _full(row) for row in index.objects()}
    names = {row.id: row.name for row in index.columns()}
    found: dict[int, str] = {}
    for edge in index.edges("fk"):
        if edge.src_column is None:
            continue
        if edge.dst_object is None or edge.dst_column is None:
            found[edge.src_column] = f"→ {edge.detail}"
        else:
            found[edge.src_column] = f"→ {tables[edge.dst_object]}.{names[edge.dst_column]}"
    return found


def _column(table: str, row: ColumnRow, link: str, policy: SensitivePolicy) -> tuple[object, ...]:
    key = " ".join(part for part in ("pk" if row.pk else ("unique" if row.unique else ""), link) if part)
    hidden = row.tier is not None
    values = "" if hidden or not row.enum_values else ", ".join(row.enum_values)
    shown = "" if row.tier is None else row.tier if policy.hides(row.tier) else f"{row.tier} (shown)"
    return (table, row.name, row.type, key, row.nullable, row.default, row.comment or "", values, shown)


def _full(row: ObjectRow) -> str:
    return f"{row.schema}.{row.name}" if row.schema else row.name


def _table(names: tuple[str, ...], rows: Sequence[tuple[object, ...]], name: str) -> ResultFrame:
    from dbgraph_nb import result

    return result.from_records(names, rows, result.ResultMeta(len(rows), source=f"index of {name}"))
