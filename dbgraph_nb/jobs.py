"""Work in the background: a handle that can be asked, awaited and cancelled.

In: a function that takes a stop event. Out: a ``Job``. Never: a killed thread; cancelling is cooperative.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from dbgraph_nb.errors import Cancelled, QueryTimeout

T = TypeVar("T")
JobStatus = Literal["running", "done", "failed", "cancelled"]


class Job(Generic[T]):
    """A piece of work that runs in a daemon thread.

    Attributes:
        name: what the work is, for people.
        message: the last progress message.
    """

    def __init__(self, name: str, work: Callable[[threading.Event], T]) -> None:
        self.name = name
        self.message = ""
        self._stop = threading.Event()
        self._done = threading.Event()
        self._value: T | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), name=f"dbgraph_nb {name}", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[threading.Event], T]) -> None:
        try:
            self._value = work(self._stop)
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the result
            self._error = error
        finally:
            self._done.set()

    @property
    def status(self) -> JobStatus:
        """``running``, ``done``, ``failed`` or ``cancelled``."""
        if not self._done.is_set():
            return "running"
        if self._error is None:
            return "done"
        return "cancelled" if isinstance(self._error, Cancelled) else "failed"

    def result(self, timeout: float | None = None) -> T:
        """Waits at most ``timeout`` seconds and returns the value; raises what the work raised.

        Raises:
            QueryTimeout: the work still runs after ``timeout`` seconds (code ``job-running``).
        """
        if not self._done.wait(timeout):
            raise QueryTimeout(
                f"{self.name} is still running after {timeout:g} s.",
                code="job-running",
                hint="Ask again later, or call .cancel().",
            )
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # set whenever no error is

    def cancel(self) -> None:
        """Asks the work to stop at its next step; returns at once."""
        self._stop.set()

    def __repr__(self) -> str:
        return f"Job({self.name!r}, {self.status})"
