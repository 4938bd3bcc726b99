"""How long work reports what it is doing; silent unless somebody listens.

In: nothing. Out: the ``Progress`` protocol, the silent listener, and one that also ends the work.
Never: a widget or a print.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from dbgraph_nb.errors import Cancelled, QueryTimeout


class Progress(Protocol):
    """Called with the share done (0 to 1, or None when unknown) and a short message."""

    def __call__(self, fraction: float | None, message: str) -> None: ...


def silent(fraction: float | None, message: str) -> None:
    """Listens and says nothing."""


def guarded(
    listener: Progress, *, timeout: float | None, stop: threading.Event, clock: Callable[[], float] = time.monotonic
) -> Progress:
    """A listener that passes reports on, and ends the work at the next report after ``stop`` or ``timeout`` seconds.

    Raises (from inside the work):
        Cancelled: ``stop`` was set.
        QueryTimeout: the time is over (code ``work-timeout``).
    """
    end = None if timeout is None else clock() + timeout

    def report(fraction: float | None, message: str) -> None:
        if stop.is_set():
            raise Cancelled("The work was cancelled.")
        if end is not None and clock() > end:
            raise QueryTimeout(
                f"The work took longer than {timeout:g} s and was stopped while {message}.",
                code="work-timeout",
                hint="Give more time with timeout=, or choose a lower level.",
            )
        listener(fraction, message)

    return report
