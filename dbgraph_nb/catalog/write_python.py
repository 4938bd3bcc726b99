"""The ``python`` writer: plain loops over the reference tokenizer. It says what an index holds.

In: the rows of a snapshot. Out: the rows of ``search`` and ``terms`` in the order of their keys. Never: numpy, numba,
or a result that differs from the other writer's.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator

from dbgraph_nb import text_reference
from dbgraph_nb.catalog.rows import Rows

NAME = "python"
_TEXTS = 3 * 1024  # per batch of terms: what bounds the memory


def search_rows(rows: Rows) -> Iterator[tuple[int, int, int | None, str, str, str]]:
    """One row per target: rowid, object_id, column_id, and the token streams of its three texts."""
    for position, (object_id, column_id) in enumerate(rows.owners):
        name, comment, values = text_reference.streams(rows.texts[3 * position : 3 * position + 3])
        yield position + 1, object_id, column_id, name, comment, values


def term_rows(rows: Rows) -> Iterator[tuple[str, int, int, int, int]]:
    """One row per distinct (term, target, field, kind), ascending, with how often the term occurs there."""
    found: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))  # document, kind, count, document, …
    for first in range(0, len(rows.texts), _TEXTS):
        texts = rows.texts[first : first + _TEXTS]
        batch = text_reference.term_batch(texts, key_docs=[place % 3 == 0 for place in range(len(texts))])
        for term, document, kind, count in zip(batch.term, batch.doc, batch.kind, batch.count, strict=True):
            found[batch.vocabulary[term]].extend((first + document, kind, count))
    for spelled in sorted(found):
        entries = iter(found[spelled])
        for document, kind, count in zip(entries, entries, entries, strict=True):
            yield spelled, document // 3 + 1, document % 3, kind, count
