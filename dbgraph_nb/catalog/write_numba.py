"""The ``numba`` writer: the same rows as the ``python`` writer's, from the kernels' arrays.

In: the rows of a snapshot. Out: the rows of ``search`` and ``terms`` in the order of their keys. Never: all rows at
once as Python objects; they are made in chunks, between which other threads run and the work can be stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from dbgraph_nb import text
from dbgraph_nb.catalog.rows import Rows
from dbgraph_nb.errors import DbgraphError, IndexUnavailable

T = TypeVar("T")

NAME = "numba"
_TARGETS = 2048  # per chunk of search rows
_TERMS = 8192  # per chunk of term rows: about 2 ms of work


def search_rows(rows: Rows) -> Iterator[tuple[int, int, int | None, str, str, str]]:
    """One row per target: rowid, object_id, column_id, and the token streams of its three texts.

    Raises:
        IndexUnavailable: the kernels failed (code ``writer-unavailable``).
    """
    for first in range(0, len(rows.owners), _TARGETS):
        streams = _kernel(text.streams, rows.texts[3 * first : 3 * (first + _TARGETS)])
        rowids = range(first + 1, first + 1 + len(streams) // 3)
        object_ids, column_ids = zip(*rows.owners[first : first + _TARGETS], strict=True)
        yield from zip(rowids, object_ids, column_ids, streams[0::3], streams[1::3], streams[2::3], strict=True)


def term_rows(rows: Rows) -> Iterator[tuple[str, int, int, int, int]]:
    """One row per distinct (term, target, field, kind), ascending, with how often the term occurs there.

    Raises:
        IndexUnavailable: the kernels failed (code ``writer-unavailable``).
    """
    batch = _kernel(text.term_batch, rows.texts, key_docs=[True, False, False] * len(rows.owners))
    documents, terms = np.asarray(batch.doc), np.asarray(batch.term)
    kinds, counts = np.asarray(batch.kind), np.asarray(batch.count)
    spelled = batch.vocabulary.__getitem__
    for first in range(0, len(documents), _TERMS):
        part = slice(first, first + _TERMS)
        target, field = np.divmod(documents[part], 3)
        yield from zip(
            map(spelled, terms[part].tolist()),
            (target + 1).tolist(),
            field.tolist(),
            kinds[part].tolist(),
            counts[part].tolist(),
            strict=True,
        )


def _kernel(call: Callable[..., T], *given: Any, **named: Any) -> T:
    try:
        return call(*given, **named)
    except DbgraphError:
        raise
    # A kernel is compiled when it is first called, and a compiler raises what it likes.
    except Exception as problem:
        raise IndexUnavailable(
            f"The numba writer failed ({type(problem).__name__}), so the index was not written.",
            code="writer-unavailable",
            hint='Choose writer="python".',
        ) from problem
