"""Writes the stored expectations of the index tests, with the python writer: the reference says what an index holds.

    python tests/catalog/make_expected.py

Look at the difference before you commit it. A changed table or tokenizer rule needs another schema version too.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from catalog.index_snapshots import FIXTURES, NOW, SNAPSHOTS, classify, tables_of

from dbgraph_nb.catalog.index import build


def expected(name: str) -> str:
    """One line per row of the index of that snapshot, and what its build reports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.sqlite"
        report = build(SNAPSHOTS[name](), path, now=NOW, writer="python", classify=classify)
        lines = [["warning", text] for text in report.warnings] + [["dangling", text] for text in report.dangling]
        lines += [[table, *row] for table, rows in tables_of(path, shadow=False).items() for row in rows]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def main() -> None:
    """Writes all of them."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for name in SNAPSHOTS:
        (FIXTURES / f"{name}.jsonl").write_text(expected(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
