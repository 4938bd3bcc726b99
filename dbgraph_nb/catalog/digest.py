"""A catalog in a few lines, for a person and for a prompt, kept where no database need be opened to read it.

In: an open index. Out: the digest text, at most 2 KB of UTF-8, and ``status.json``. Never: a value of a row (enum
values included), a line break from a comment, or half a character.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from dbgraph_nb.catalog.atomic import remove_leftovers, replacing
from dbgraph_nb.catalog.store import CatalogIndex, ObjectRow
from dbgraph_nb.catalog.tables import SCHEMA_VERSION
from dbgraph_nb.errors import IndexUnavailable

MAX_BYTES = 2048
_CENTRAL = 12  # tables that get a line of their own
_LINKS = 4  # references that are shown of a table
_NAME, _COMMENT = 64, 60  # characters that are shown of each


@dataclass(frozen=True, slots=True)
class Status:
    """What ``status.json`` holds; the names are those of its keys. Times are ISO 8601, "" where nothing was read."""

    name: str
    engine: str
    database: str
    path: str
    l1IndexedAt: str  # noqa: N815 - keys of a file format
    l2IndexedAt: str  # noqa: N815
    writer: str
    objects: int
    columns: int
    edges: int
    warnings: tuple[str, ...]
    digest: str
    schemaVersion: int = SCHEMA_VERSION  # noqa: N815


def status_of(index: CatalogIndex, *, warnings: Sequence[str] = ()) -> Status:
    """The status of an open index; ``warnings`` are those of its build."""
    meta = index.meta()
    return Status(
        name=index.name,
        engine=meta["engine"],
        database=meta["database"],
        path=str(index.path),
        l1IndexedAt=meta["l1IndexedAt"],
        l2IndexedAt=meta["l2IndexedAt"],
        writer=meta["writer"],
        objects=len(index.objects()),
        columns=sum(row.column_count for row in index.objects()),
        edges=len(index.edges()),
        warnings=tuple(warnings),
        digest=digest(index),
    )


def write_status(path: str | os.PathLike[str], status: Status) -> None:
    """Writes ``status`` to ``path`` (mode 0600) whole or not at all.

    Raises:
        IndexUnavailable: it could not be written (code ``index-write-failed``).
    """
    path = Path(path)
    text = json.dumps(asdict(status), ensure_ascii=False, indent=1) + "\n"
    try:
        remove_leftovers(path)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except OSError as error:
        raise IndexUnavailable(
            f"The status file {path} could not be written: {error}.",
            code="index-write-failed",
            hint="Check the free space and the rights of its folder.",
        ) from None


def read_status(path: str | os.PathLike[str]) -> Status | None:
    """What ``write_status`` wrote, or None if there is nothing. Opens no database.

    Raises:
        IndexUnavailable: the file is damaged (code ``status-corrupt``) or of another version
            (``index-schema-version``).
    """
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        version = found.get("schemaVersion")
        if version == SCHEMA_VERSION:
            known = {key: found[key] for key in (field.name for field in fields(Status))}
            return Status(**{**known, "warnings": tuple(known["warnings"])})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        raise IndexUnavailable(
            f"The status file {path} cannot be read.", code="status-corrupt", hint="Build the index again."
        ) from None
    raise IndexUnavailable(
        f"The status file {path} has schema version {version}, and this version reads {SCHEMA_VERSION}.",
        code="index-schema-version",
        hint="It is rebuilt with the index.",
    )


def digest(index: CatalogIndex, *, max_bytes: int = MAX_BYTES) -> str:
    """The catalog in at most ``max_bytes`` bytes of UTF-8, cut at the end of a line or of a name.

    First what, how much and how fresh, then the central tables (those tied to most others by foreign keys) with
    comments, keys and references, then the names of the rest, and how many are not named.
    """
    ranked, names = _ranked(index), _names(index)
    room = max_bytes - len(" … and 1,000,000 more".encode())
    head = _fitting(_head(index), room, separator=1)
    room -= _size(head, separator=1)
    # A fifth is kept for plain names: that a table exists is worth more than one more line about another.
    tables = _fitting([_table(index, row, names) for row in ranked[:_CENTRAL]], room * 4 // 5, separator=1)
    rest = [names[row.id] for row in ranked[len(tables) :]]
    if not rest:
        return "\n".join([*head, *tables])
    start = "Others: " if tables else "Tables: "
    shown = _fitting(rest, room - _size(tables, separator=1) - len(start), separator=2)
    more = f" … and {len(rest) - len(shown):,} more" if len(shown) < len(rest) else ""
    return "\n".join([*head, *tables, (start + ", ".join(shown) + more).strip()])


def _size(parts: list[str], separator: int) -> int:
    return sum(len(part.encode()) + separator for part in parts)


def _fitting(parts: list[str], room: int, separator: int) -> list[str]:
    """The first of ``parts`` that take at most ``room`` bytes, each with a separator of that many bytes."""
    kept = []
    for part in parts:
        room -= len(part.encode()) + separator
        if room < 0:
            break
        kept.append(part)
    return kept


def _head(index: CatalogIndex) -> list[str]:
    meta = index.meta()
    kinds = Counter(row.kind for row in index.objects())
    counts = [_counted(number, kind) for kind, number in sorted(kinds.items())]
    counts.append(_counted(len(index.columns()), "column"))
    counts.append(_counted(sum(edge.position == 1 for edge in index.edges("fk")), "foreign key"))
    level = f"keys read at {meta['l2IndexedAt']} (level l2)" if meta["l2IndexedAt"] else "keys not read yet (level l1)"
    engine = f"{meta['engine']} {meta['engineVersion']}".strip()
    lines = [
        f"{_short(index.name, _NAME)}: {_short(engine, _NAME)}, database {_short(meta['database'], 2 * _NAME)}",
        _short(", ".join(counts), 200),
        f"Names and types read at {meta['l1IndexedAt']}; {level}",
    ]
    tiers = Counter(column.tier for column in index.columns() if column.tier)
    if tiers:
        lines.append("Sensitive columns: " + ", ".join(f"{number:,} {tier}" for tier, number in sorted(tiers.items())))
    return lines


def _ranked(index: CatalogIndex) -> list[ObjectRow]:
    """Objects by the number of others they are tied to by foreign keys, most first; ties in the order of names."""
    ties = {frozenset((edge.src_object, edge.dst_object)) for edge in index.edges("fk") if edge.dst_object}
    degree = Counter(object_id for tie in ties for object_id in tie)
    return sorted(index.objects(), key=lambda row: (-degree[row.id], row.id))


def _names(index: CatalogIndex) -> dict[int, str]:
    """Id to name as it is shown: with the schema only where there are several."""
    several = len({row.schema for row in index.objects()}) > 1
    return {
        row.id: _short(f"{row.schema}.{row.name}" if several and row.schema else row.name, _NAME)
        for row in index.objects()
    }


def _table(index: CatalogIndex, row: ObjectRow, names: dict[int, str]) -> str:
    columns = index.columns(row.id)
    about = [_counted(row.column_count, "column")]
    if row.row_estimate is not None:
        about.append(f"about {_counted(row.row_estimate, 'row')}")
    key = [column.name for column in sorted(columns, key=lambda column: column.pk) if column.pk]
    if key:
        about.append("key " + ", ".join(key))
    own = {column.id: column.name for column in columns}
    links = [
        f"{own.get(edge.src_column or 0, '?')} → {names[edge.dst_object] if edge.dst_object else edge.detail}"
        for edge in index.edges("fk")
        if edge.src_object == row.id
    ]
    about += links[:_LINKS] + ([f"{len(links) - _LINKS} more references"] if len(links) > _LINKS else [])
    kind = "" if row.kind == "table" else f" ({row.kind})"
    comment = f" {_short(row.comment, _COMMENT)}" if row.comment else ""
    return _short(f"- {names[row.id]}{kind}{comment}: {'; '.join(about)}", 300)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _short(text: str, limit: int) -> str:
    """One line of at most ``limit`` characters, without control characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
