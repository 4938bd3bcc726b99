"""Which table and which columns the words of a ``find`` mean.

In: words and an index. Out: ``Candidate``s, best first; those that fit as well as the best are rivals. Never: a choice
between rivals, or a column that no foreign key of the table leads to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dbgraph_nb.catalog.aliases import Aliases
from dbgraph_nb.catalog.find_links import Link, links
from dbgraph_nb.catalog.fit import ALIAS, EXACT, SPELLED, Fit, Subject, fit, readings
from dbgraph_nb.catalog.phrases import Words, parse
from dbgraph_nb.catalog.score import rank
from dbgraph_nb.catalog.spans import Lexicon, Piece, analyse
from dbgraph_nb.catalog.store import CatalogIndex, ColumnRow, ObjectRow
from dbgraph_nb.model import CatalogHit

MARGIN = 0.1  # candidates closer than this to the best one fit as well as it
WHOLE = 0.72  # from here on a fit is the whole name or comment
VIEW = 0.12  # what a view costs beside a table
ASIDE = 0.5  # below: an abbreviation, or in the rest of a comment
LEAST = 0.3
TABLES = 60  # tables that are looked at closely
SHARED = 0.6  # a first word that so many names share says nothing
_TABLE_END = re.compile(r"(?:(?:信息|数据|主)?(?<![报图列代手仪外])表|[ _]tables?)$", re.IGNORECASE)
_NOISE = tuple(parse(word) for word in ("t", "tb", "tbl", "tab", "table"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table, or a column of the entity's table or (by ``link``) of a neighbour, with its quality and why."""

    table: ObjectRow
    column: ColumnRow | None
    quality: float
    reasons: tuple[str, ...]
    link: Link | None = None

    @property
    def place(self) -> str:
        """``table`` or ``table.column``."""
        return f"{self.table.name}.{self.column.name}" if self.column else self.table.name

    @property
    def hit(self) -> CatalogHit:
        """The candidate as a hit; a join is one of its reasons."""
        by = (f"joined by {self.link.condition}",) if self.link else ()
        name = self.column.name if self.column else None
        return CatalogHit(self.table.name, name, round(self.quality, 4), (*self.reasons, *by), self.table.schema)


@dataclass(slots=True)
class Matcher:
    """Matches words against one index; keeps what it read of tables."""

    index: CatalogIndex
    aliases: Aliases
    lexicon: Lexicon = field(init=False)
    _links: dict[int, list[Link]] = field(init=False, default_factory=dict)
    _around: dict[int, tuple[tuple[Words, ...], tuple[Words, ...]]] = field(init=False, default_factory=dict)
    _cuts: dict[str, list[list[Piece]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.lexicon = self.aliases.lexicon(self.index)

    def links(self, table: ObjectRow) -> list[Link]:
        """The foreign keys of a table."""
        if table.id not in self._links:
            self._links[table.id] = links(self.index, table)
        return self._links[table.id]

    def tables(self, word: str) -> list[Candidate]:
        """The tables that a word may name, best first."""
        named = [target.table for target in self.aliases.targets(self.index, word) if target.column is None]
        if named:
            return [Candidate(table, None, ALIAS, (f"alias {word} → {table.name}",)) for table in named]
        objects = self.index.objects()
        exact = [row for row in objects if word.strip() in (row.name, f"{row.schema}.{row.name}")]
        plain = _TABLE_END.sub("", word.strip()) or word
        ranked = rank(self.index, analyse(plain, self.lexicon)).tables[:TABLES]
        cuts = readings(plain, self.lexicon)
        noise = _NOISE + _shared_first([row.name for row in objects[:2000]])
        found = []
        for row in dict.fromkeys([*exact, *(objects[target - 1] for target, _ in ranked)]):
            one = fit(word, cuts, _table_subject(row, noise))
            if one is not None:
                cost = VIEW if "view" in row.kind.lower() and one.quality < EXACT - 0.05 else 0.0
                found.append(Candidate(row, None, one.quality - cost, one.reasons))
        return _sorted(found)

    def own_columns(self, table: ObjectRow, word: str) -> list[Candidate]:
        """The columns of a table that a word may name, best first."""
        return self._columns(table, word, None)

    def columns(self, table: ObjectRow, word: str) -> list[Candidate]:
        """The columns of a table, or of one that a foreign key joins it to, that a word may name, best first.

        The table's own columns come first: neighbours only count if none fits, or only an abbreviation or an aside of a
        comment does. If one of them has the very name where the table has but a part of it, both remain: it is for the
        person to say."""
        named = [target for target in self.aliases.targets(self.index, word) if target.column and target.value is None]
        if named:
            return self._aliased(table, word, [(target.table, target.column) for target in named if target.column])
        own = self.own_columns(table, word)
        if own and own[0].quality >= WHOLE:
            return own
        joined = _sorted([one for link in self.links(table) for one in self._columns(link.other, word, link)])
        if not own or not joined:
            return own or joined
        if own[0].quality < ASIDE and joined[0].quality >= WHOLE:
            return joined + own
        named_so = [one for one in joined if one.quality >= EXACT - MARGIN]
        level = max([own[0].quality, *(one.quality for one in named_so)])
        equal = [replace(one, quality=level) for one in rivals(own)]
        return equal + named_so

    def _aliased(self, table: ObjectRow, word: str, named: Sequence[tuple[ObjectRow, ColumnRow]]) -> list[Candidate]:
        found = []
        for owner, column in named:
            reasons = (f"alias {word} → {owner.name}.{column.name}",)
            if owner.id == table.id:
                return [Candidate(owner, column, ALIAS, reasons)]
            ways = [link for link in self.links(table) if link.other.id == owner.id]
            found += [Candidate(owner, column, ALIAS, reasons, link) for link in ways]
        return found

    def _columns(self, table: ObjectRow, word: str, link: Link | None) -> list[Candidate]:
        if word not in self._cuts:
            self._cuts[word] = readings(word, self.lexicon)
        cuts = self._cuts[word]
        around, near = self.around(table)
        keys = {column.id for known in self.links(table) if known.outgoing for column in known.key}
        key = link.key if link else ()
        via = tuple(parse(text) for column in key for text in (column.name, column.comment or ""))
        to_itself = link is not None and link.other.id == link.table.id
        found = []
        for column in self.index.columns(table.id):
            written = (f"{table.name}.{column.name}",) if link else (column.name, f"{table.name}.{column.name}")
            subject = Subject(
                column.name, column.comment, written, around, near, via, column.id in keys, column.type_class
            )
            one = fit(word, cuts, subject)
            if one is None or (to_itself and not _by_key(one)):
                continue
            found.append(Candidate(table, column, one.quality, one.reasons, link))
        return _sorted([one for one in found if one.quality >= LEAST])

    def around(self, table: ObjectRow) -> tuple[tuple[Words, ...], tuple[Words, ...]]:
        """What a table says of all its columns: its name and comment, word by word and in the other language, and a
        first word that most of its columns share. Then the words that are only near those."""
        if table.id not in self._around:
            words: dict[str, None] = {}
            near: dict[str, None] = {}
            for text in (table.name, _head(table.comment)):
                for piece in (piece for pieces in readings(text, self.lexicon) for piece in pieces):
                    if not piece.stop:
                        words[piece.text] = None
                        for origin, other in piece.others:
                            (near if origin == "near" else words)[other] = None
            shared = _shared_first([column.name for column in self.index.columns(table.id)])
            self._around[table.id] = (*map(parse, words), *shared), tuple(map(parse, near))
        return self._around[table.id]


def rivals(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that fit as well as the best one, which is the first.

    Beside a name as it was written, one that only reads alike (``first_name`` for ``first name``) is none."""
    best = candidates[0].quality
    margin = SPELLED / 2 if EXACT - 3.5 * SPELLED < best <= EXACT else MARGIN
    return [one for one in candidates if one.quality > best - margin]


def _by_key(one: Fit) -> bool:
    return any(reason.startswith("its key") for reason in one.reasons)


def _sorted(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: (-round(one.quality, 6), (one.column or one.table).id))


def _table_subject(row: ObjectRow, noise: tuple[Words, ...]) -> Subject:
    written = (row.name, f"{row.schema}.{row.name}")
    comment = _TABLE_END.sub("", row.comment.strip()) if row.comment else None
    return Subject(_TABLE_END.sub("", row.name) or row.name, comment, written, noise)


def _head(comment: str | None) -> str:
    return re.split(r"[,，。;；:：(（\n]", comment, maxsplit=1)[0] if comment else ""


def _shared_first(names: Sequence[str]) -> tuple[Words, ...]:
    """The first Latin word of most of some names, if they are at least four and have another word too."""
    firsts = Counter(words.latin[0] for name in names if len((words := parse(name)).latin) > 1)
    return tuple(parse(word) for word, count in firsts.items() if count >= 4 and count >= SHARED * len(names))
