"""Builds one index again and again until it is killed: ``kill_child.py PATH WRITER [COUNT]``.

Each build starts with a line on standard output. With a step as COUNT (a word), it builds once and stops there.
"""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.generate import catalog
from catalog.index_snapshots import NOW

from dbgraph_nb.catalog.index import build


def main(path: str, writer: str, until: str = "") -> None:
    """Builds ``until`` times, or for ever, or up to the step of that name."""
    snapshot = catalog(60, 12)

    def wait_at(fraction: float | None, message: str) -> None:
        if message == until:
            print(message, flush=True)
            time.sleep(600)

    for turn in range(int(until)) if until.isdigit() else count():
        print(turn, flush=True)
        build(snapshot, path, now=NOW, writer=writer, progress=wait_at)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
