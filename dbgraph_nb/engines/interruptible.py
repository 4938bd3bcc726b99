"""A statement that can be stopped: by the user, by a timeout, by another thread.

In: the work, and the engine's own ways to stop it. Out: its value. Never: a wait that an interrupt cannot end, and
never a value that a stopped statement made up.

A driver's call blocks inside C code or a socket, where Python cannot deliver an interrupt. So the work runs in a
thread of its own, and the calling thread only waits.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

from dbgraph_nb.errors import BadArgument, Cancelled, ConnectionFailed, QueryTimeout

T = TypeVar("T")
Reason = Literal["interrupt", "timeout", "cancel"]

_SLICE = 0.05  # seconds; how often a waiting thread looks at the clock (and, on Windows, at an interrupt)
_GRACE = 0.8  # seconds that the engine's own cancel has before the connection is given up


class Stop:
    """Shared by the waiting thread and the working one: whether, and why, the work has to end."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.reason: Reason | None = None

    def set(self, reason: Reason) -> None:
        """Asks the work to end; the first reason stays."""
        if self.reason is None:
            self.reason = reason
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Sleeps until the work has to end, at most ``seconds``; returns whether it has to."""
        return self._event.wait(seconds)

    def __bool__(self) -> bool:
        return self._event.is_set()


class Stopped(Exception):
    """Raised by the work itself when it sees ``Stop``; never leaves this package."""


class _Outcome(Generic[T]):
    """What the working thread leaves behind."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None

    def work(self, function: Callable[[], T]) -> None:
        try:
            self.value = function()
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            self.error = error
        finally:
            self.done.set()

    def take(self) -> T:
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # set when there is no error


def run_interruptible(
    function: Callable[[], T],
    *,
    stop: Stop,
    cancel: Callable[[], object],
    give_up: Callable[[], object],
    timeout: float,
    late_value: bool = False,
    tick: Callable[[], object] | None = None,
) -> T:
    """Runs ``function`` in a thread and waits for it.

    Args:
        function: the work; it may look at ``stop`` between its steps.
        stop: set here when the work must end; another thread may set it too.
        cancel: the driver's own way to stop the running statement; may block or fail.
        give_up: drops the connection when ``cancel`` did not help; must not block.
        timeout: seconds.
        late_value: whether a value that arrives after a timeout is a true one. A server may answer a killed statement
            with an invented value, so only an engine that knows better says True.
        tick: called about 20 times a second in the waiting thread; must not block.

    Raises:
        KeyboardInterrupt: the user interrupted; the statement has ended, or its connection is given up.
        QueryTimeout: the time is over (code ``query-timeout``).
        Cancelled: another thread asked for it (code ``query-cancelled``).
        BaseException: whatever the work raised by itself.
    """
    outcome: _Outcome[T] = _Outcome()
    thread = threading.Thread(target=outcome.work, args=(function,), name="dbgraph_nb query", daemon=True)
    deadline = time.monotonic() + timeout
    interrupt: KeyboardInterrupt | None = None
    try:
        thread.start()
        while not outcome.done.wait(min(_SLICE, max(0.0, deadline - time.monotonic()))):
            if stop:
                break
            if time.monotonic() >= deadline:
                stop.set("timeout")
                break
            if tick is not None:
                tick()
        else:
            if not stop:
                return outcome.take()
    except KeyboardInterrupt as caught:
        stop.set("interrupt")
        interrupt = caught
    _end(outcome.done, cancel, give_up)
    if interrupt is not None:
        raise interrupt
    if stop.reason == "timeout":
        if late_value and outcome.done.is_set() and outcome.error is None:
            return outcome.take()
        raise timed_out(timeout)
    raise Cancelled("The statement was cancelled.", code="query-cancelled")


def _end(done: threading.Event, cancel: Callable[[], object], give_up: Callable[[], object]) -> None:
    """Stops the work within about a second, whatever the driver does; a second interrupt ends the wait at once."""
    helper = threading.Thread(target=cancel, name="dbgraph_nb cancel", daemon=True)
    try:
        if not done.is_set():
            helper.start()
            end = time.monotonic() + _GRACE
            while not done.wait(_SLICE) and time.monotonic() < end:
                pass
    finally:
        if not done.is_set():
            give_up()


class Turns:
    """Lets an engine do one thing at a time, each interruptible."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop = Stop()
        self._closed = False

    def call(
        self,
        work: Callable[[Stop], T],
        *,
        cancel: Callable[[], object],
        give_up: Callable[[], object],
        timeout: float,
        late_value: bool = False,
        tick: Callable[[], object] | None = None,
    ) -> T:
        """Waits for its turn and runs ``work`` as ``run_interruptible`` does; ``timeout`` covers both."""
        started = time.monotonic()
        if not self._lock.acquire(timeout=timeout):
            raise timed_out(timeout)
        try:
            if self._closed:
                raise ConnectionFailed("The connection is closed.", code="connection-closed")
            stop = self._stop = Stop()
            return run_interruptible(
                lambda: work(stop),
                stop=stop,
                cancel=cancel,
                give_up=give_up,
                timeout=max(0.001, timeout - (time.monotonic() - started)),
                late_value=late_value,
                tick=tick,
            )
        finally:
            self._lock.release()

    def cancel(self) -> None:
        """Asks what runs now to end; does not wait for it."""
        self._stop.set("cancel")

    def close(self, drop: Callable[[], object]) -> None:
        """Ends what runs, lets nothing new begin, then drops the connection; once."""
        self._closed = True
        self.cancel()
        with self._lock:
            drop()


def timed_out(timeout: float) -> QueryTimeout:
    """The error of a statement that took longer than ``timeout`` seconds."""
    return QueryTimeout(
        f"The statement took longer than {round(timeout, 2):g} s and was stopped.",
        hint="Ask for less (a filter, a LIMIT, an aggregate), or give it more time with timeout=.",
    )


def check_timeout(timeout: Any) -> float:
    """The timeout as a number of seconds.

    Raises:
        BadArgument: it is no positive, finite number (code ``bad-timeout``).
    """
    number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not number or not math.isfinite(timeout) or not 0 < timeout <= 86_400:
        raise BadArgument("The timeout must be a number of seconds above 0 and at most 86,400.", code="bad-timeout")
    return float(timeout)
