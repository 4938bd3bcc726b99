"""How a magic's call ends in a cell when something is to be said: in one line each.

In: the call. Out: its warnings as single lines, after it; an interrupt as one line instead of a traceback. Never: the
path of a file of ours in a saved notebook.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STOPPED = "KeyboardInterrupt: stopped; the connection stays usable."


@contextmanager
def one_line() -> Iterator[None]:
    """Warnings of the block become lines ``warning: …`` behind it, so that a cleared progress line takes none away."""
    said: list[str] = []

    def keep(message: Warning | str, *where: Any) -> None:
        said.append(" ".join(str(message).split()))

    try:
        with warnings.catch_warnings():
            warnings.showwarning = keep  # type: ignore[assignment]  # where it was raised is not shown
            yield
    except KeyboardInterrupt as interrupt:
        vars(interrupt)["_render_traceback_"] = lambda: [STOPPED]
        raise
    finally:
        for sentence in said:
            print(f"warning: {sentence}", file=sys.stderr)
