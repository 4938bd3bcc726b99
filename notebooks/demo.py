"""`make demo`: runs the first tutorial from scratch, prints its answers and writes an HTML copy.

Everything it makes lies in .demo/, which can be deleted at any time. No server, no network.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "notebooks" / "01_start.ipynb"


def prepare(folder: Path) -> None:
    """A new home and work folder; only the compiled kernels of an earlier run stay, so that the second run is quick."""
    for old in ("home", "work"):
        shutil.rmtree(folder / old, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    os.environ["DBGRAPH_NB_HOME"] = str(folder / "home")
    os.environ["DBGRAPH_NB_NUMBA_CACHE"] = str(folder / "numba")
    os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
    os.environ["IPYTHONDIR"] = str(folder / "ipython")


def show(cell: dict[str, object]) -> None:
    """A cell's source and its outputs as text."""
    print("\n".join(f"In  │ {line}" for line in str(cell["source"]).splitlines()))
    for output in cell.get("outputs", []):  # type: ignore[attr-defined]
        kind = output["output_type"]
        text = output.get("text") if kind == "stream" else output.get("data", {}).get("text/plain")
        if kind == "error":
            text = f"{output['ename']}: {output['evalue']}"
        print("\n".join(f"    │ {line}" for line in str(text or "").rstrip().splitlines()))
    print()


def main() -> int:
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    started = time.monotonic()
    folder = ROOT / ".demo"
    prepare(folder)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder / "work")}}
    )
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            show(cell)
    html, _ = HTMLExporter().from_notebook_node(notebook)
    copy = folder / "01_start.html"
    copy.write_text(html, encoding="utf-8")
    print(f"The notebook as it ran: {copy.relative_to(ROOT)}")
    print("To work with it yourself: .venv/bin/jupyter lab notebooks/01_start.ipynb")
    print(f"Done in {time.monotonic() - started:.1f} s.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
