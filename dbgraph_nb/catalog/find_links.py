"""The foreign keys of one table, in both directions, as ways to join it.

In: an open index and a table. Out: ``Link``s in a fixed order. Never: a key whose other end is not in the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dbgraph_nb.catalog.store import CatalogIndex, ColumnRow, EdgeRow, ObjectRow


@dataclass(frozen=True, slots=True)
class Link:
    """One foreign key seen from a table: ``pairs`` are (column of the table, column of ``other``).

    ``outgoing`` keys belong to the table itself and lead to one row; the others lead to any number of rows. ``key`` are
    the columns that hold the key, wherever they are."""

    table: ObjectRow
    other: ObjectRow
    pairs: tuple[tuple[ColumnRow, ColumnRow], ...]
    outgoing: bool

    @property
    def key(self) -> tuple[ColumnRow, ...]:
        """The columns that hold the key: of the table if outgoing, else of the other one."""
        return tuple(pair[0 if self.outgoing else 1] for pair in self.pairs)

    @property
    def condition(self) -> str:
        """The join in words: ``orders.user_id = users.id``, the holder of the key first."""
        sides = [(f"{self.table.name}.{own.name}", f"{self.other.name}.{far.name}") for own, far in self.pairs]
        return " and ".join(" = ".join(side if self.outgoing else side[::-1]) for side in sides)


def links(index: CatalogIndex, table: ObjectRow) -> list[Link]:
    """All foreign keys from and to a table, each once; a table's key to itself is outgoing."""
    objects = index.objects()
    found: dict[tuple[int, bool, tuple[tuple[int, int], ...]], Link] = {}
    for rows in _keys(index, table.id):
        source, target = rows[0].src_object, rows[0].dst_object
        if target is None or any(row.src_column is None or row.dst_column is None for row in rows):
            continue
        outgoing = source == table.id
        other = objects[(target if outgoing else source) - 1]
        ends = [(row.src_column, row.dst_column) if outgoing else (row.dst_column, row.src_column) for row in rows]
        mine = {column.id: column for column in index.columns(table.id)}
        theirs = {column.id: column for column in index.columns(other.id)}
        pairs = tuple((mine[own], theirs[far]) for own, far in ends if own in mine and far in theirs)
        if len(pairs) == len(rows):
            identity = (other.id, outgoing, tuple((own.id, far.id) for own, far in pairs))
            found.setdefault(identity, Link(table, other, pairs, outgoing))
    return list(found.values())


def _keys(index: CatalogIndex, table: int) -> Iterator[list[EdgeRow]]:
    """The rows of each foreign key that begins or ends at a table; its first column has position 1."""
    rows = index.query(
        "SELECT * FROM edges WHERE kind = 'fk' AND (src_object = ? OR dst_object = ?) ORDER BY id", (table, table)
    )
    group: list[EdgeRow] = []
    for row in (EdgeRow(*values) for values in rows):
        if group and (row.position == 1 or row.src_object != group[0].src_object):
            yield group
            group = []
        group.append(row)
    if group:
        yield group
