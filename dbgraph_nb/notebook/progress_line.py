"""Shows the progress of long work in a cell, and takes it away when the work is done.

In: reports of a ``Progress``. Out: one line in the cell's output after a second. Never: a trace in a saved notebook.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from IPython.display import clear_output, display

from dbgraph_nb.progress import Progress, silent

QUIET = 1.0  # seconds without a word: quick work leaves no flicker
EVERY = 0.2  # seconds between two updates


@contextmanager
def progress_line(shell: Any, what: str) -> Iterator[Progress]:
    """A listener that shows ``what`` and how far it is, once the work takes longer than a second.

    Only clearing the cell takes a line away for good, and that takes what the cell printed before, too. A terminal
    cannot take lines back, and a program that runs a notebook (nbval, papermill: it takes no input) keeps what it was
    sent: there the work is silent.
    """
    if not getattr(getattr(shell, "kernel", None), "_allow_stdin", False):
        yield silent
        return
    started = time.monotonic()
    last = started - EVERY
    shown: Any = None

    def report(fraction: float | None, message: str) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - started < QUIET or now - last < EVERY:
            return
        last = now
        share = "" if fraction is None else f" {fraction:.0%}"
        line = {"text/plain": f"{what}{share}: {message}"}
        if shown is None:
            shown = display(line, raw=True, display_id=True)
        else:
            shown.update(line, raw=True)

    try:
        yield report
    finally:
        if shown is not None:
            clear_output()
