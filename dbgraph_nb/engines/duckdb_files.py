"""DuckDB over data files: fresh locked connections in which views read exactly the given files.

In: names with the SELECT of each, and the paths of the files. Out: as ``DuckdbEngine``. Never: another file, a view
that a statement replaced, or anything of one statement in the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbgraph_nb.engines.duckdb import DuckdbEngine
from dbgraph_nb.engines.duckdb_errors import translate
from dbgraph_nb.engines.duckdb_lock import Locked, open_locked
from dbgraph_nb.errors import DbgraphError, QueryFailed
from dbgraph_nb.model import Target


class DuckdbFiles(DuckdbEngine):
    """See ``engines.Engine``.

    Args:
        views: for each name the SELECT that it stands for.
        paths: the files that may be read.
        timeout: seconds for a catalog query.
    """

    def __init__(self, views: Sequence[tuple[str, str]], paths: Sequence[str], *, timeout: float = 30.0) -> None:
        self._views, self._paths = tuple(views), tuple(paths)
        super().__init__(Target("duckdb", "files"), timeout=timeout)

    def __repr__(self) -> str:
        return f"DuckdbFiles({', '.join(name for name, _ in self._views)})"

    def _open(self) -> Locked:
        import duckdb

        problem: DbgraphError
        try:
            return open_locked(paths=self._paths, views=self._views)
        except (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.BinderException, duckdb.IOException):
            problem = QueryFailed(
                "A file cannot be read as what its name says it is.",
                code="file-not-understood",
                hint="Open it in an editor, and check its encoding, its delimiter and whether it is complete.",
            )
        except duckdb.Error as error:
            problem = translate(error, "")
        raise problem
