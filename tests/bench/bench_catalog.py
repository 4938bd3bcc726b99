"""What writing an index costs: both writers against the floor, and against ten times the catalog.

The floor inserts rows that were computed before, into the same tables
with the same settings, and puts the file in place just as the writers do. Goals: numba writer ≤ 1.6 floors and
≤ 0.8 python writers; ten times the catalog ≤ 16 times the cost.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from generate import catalog
from interleave import interleaved

from dbgraph_nb import text
from dbgraph_nb.catalog import index, write_python
from dbgraph_nb.catalog.atomic import replacing
from dbgraph_nb.catalog.rows import Rows, index_rows
from dbgraph_nb.model import Snapshot
from dbgraph_nb.progress import silent

NOW = "2026-11-30T00:00:00Z"
GOALS = {"numba / floor": ("<=", 1.6), "numba / python": ("<=", 0.8), "numba x10 / x1": ("<=", 16.0)}


class Precomputed:
    """A writer whose rows were made before."""

    NAME = "numba"

    def __init__(self, rows: Rows) -> None:
        self.search = list(write_python.search_rows(rows))
        self.terms = list(write_python.term_rows(rows))

    def search_rows(self, rows: Rows) -> object:
        return iter(self.search)

    def term_rows(self, rows: Rows) -> object:
        return iter(self.terms)


def floor(snapshot: Snapshot, path: Path) -> Callable[[], None]:
    """A function that only inserts and puts in place."""
    rows = index_rows(snapshot)
    ready = Precomputed(rows)
    meta = index._meta(snapshot, NOW, None)

    def insert() -> None:
        with replacing(path) as temporary:
            index._fill(temporary, meta, rows, ready, silent)  # type: ignore[arg-type]

    return insert


def measure(*, tables: int = 500, rounds: int = 7, times_ten: bool = True) -> dict[str, float]:
    """CPU milliseconds of each variant (median of ``rounds``) and the ratios that have a goal.

    Without numba, only the floor and the python writer are measured.
    """
    with tempfile.TemporaryDirectory() as folder:
        small, large = catalog(tables), catalog(10 * tables)
        path = Path(folder) / "index.sqlite"

        def writer(snapshot: Snapshot, name: index.WriterName) -> Callable[[], object]:
            return lambda: index.build(snapshot, path, now=NOW, writer=name)

        variants: dict[str, Callable[[], object]] = {"floor": floor(small, path), "python": writer(small, "python")}
        if text.backend() == "numba":
            variants["numba"] = writer(small, "numba")
            writer(catalog(3), "numba")()  # compile, or load the cache
            if times_ten:
                variants["numba x10"] = writer(large, "numba")
        spent = interleaved(variants, rounds, warm=False)
    result = {f"{name} ms": milliseconds for name, milliseconds in spent.items()}
    for above, below in (("numba", "floor"), ("numba", "python"), ("python", "floor")):
        if above in spent:
            result[f"{above} / {below}"] = spent[above] / spent[below]
    if "numba x10" in spent:
        result["numba x10 / x1"] = spent["numba x10"] / spent["numba"]
    return result
