"""One DuckDB connection made ahead, so that a statement does not wait the 20 ms that making one takes.

In: nothing. Out: a prepared connection that nobody used before. Never: a connection twice, a temporary folder that
stays behind, or one that crosses a fork.

What is not needed any more is closed in the same background thread.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
import time

from dbgraph_nb.engines.duckdb_lock import Locked, prepared

_PAUSE = 0.1  # seconds, in which the statement that just ended is shown


class _Spare:
    def __init__(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._ready: Locked | None = None
        self._work: queue.SimpleQueue[Locked | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended = False
        self.busy = 0  # connections that wait to be closed, and the one that is

    def take(self) -> Locked:
        with self._lock:
            found, self._ready = self._ready, None
        return found or prepared()

    def retire(self, used: Locked, *, at_once: bool) -> None:
        """Closes ``used`` and makes the next one, later."""
        with self._lock:
            ended = self._ended
        if at_once or ended:
            _closed(used)
        if ended:
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="dbgraph_nb spare connection", daemon=True)
                self._thread.start()
            self.busy += 1
        self._work.put(used)

    def settle(self) -> None:
        """Waits until nothing is left to close, and closes the spare one; for the end of the process, and tests."""
        with self._lock:
            self._ended = True
            thread, self._thread = self._thread, None
        if thread is not None:
            self._work.put(None)
            thread.join(5.0)
        with self._lock:
            found, self._ready = self._ready, None
            self._ended = False
        if found is not None:
            found.close()

    def _run(self) -> None:
        while (used := self._work.get()) is not None:
            try:
                self._next(used)
            finally:
                with self._lock:
                    self.busy -= 1

    def _next(self, used: Locked) -> None:
        _closed(used)
        with self._lock:
            wanted = self._ready is None and not self._ended
        if not wanted:
            return
        time.sleep(_PAUSE)
        try:
            made = prepared()
            _warm(made)
        except Exception:  # noqa: BLE001 - the next statement makes its own, and says what is wrong
            return
        with self._lock:
            is_wanted = self._ready is None and not self._ended
            if is_wanted:
                self._ready = made
        if not is_wanted:
            made.close()


def _closed(used: Locked) -> None:
    """Closes a connection; one that still works on something that was given up is interrupted, and left at last."""
    for _ in range(20):
        try:
            used.close()
        except Exception:  # noqa: BLE001 - whatever it is, the thread must go on for the others
            with contextlib.suppress(Exception):
                used.connection.interrupt()
            time.sleep(0.05)
        else:
            return


def _warm(made: Locked) -> None:
    """What an engine does for the first time takes longer: let it sniff a CSV, and parse."""
    small = made.folder / "warm.csv"
    small.write_bytes(b"a,b\n1,x\n")
    made.connection.execute("FROM sniff_csv($1)", [str(small)]).fetchall()
    made.connection.execute("SELECT json_serialize_sql('SELECT 1')").fetchall()
    small.unlink()


_spare = _Spare()
_left: list[_Spare] = []  # of the parent of a fork, whose threads are not here: nothing may end its connections


def _own() -> _Spare:
    """A child process starts anew: the threads of its parent's connections are not in it."""
    global _spare
    if _spare._pid != os.getpid():
        _left.append(_spare)
        _spare = _Spare()
    return _spare


def take() -> Locked:
    """A prepared connection that nobody used.

    Raises:
        OSError: there is no place for temporary files.
    """
    return _own().take()


def retire(used: Locked, *, at_once: bool = False) -> None:
    """Gives a connection away; it is closed soon, and its folder removed.

    ``at_once``: it is closed before this returns, since DuckDB attaches a file only once in a process.
    """
    _own().retire(used, at_once=at_once)


def is_busy() -> bool:
    """Whether something is being closed or made ahead."""
    return _own().busy > 0


def settle() -> None:
    """Closes what is left; the next statement starts anew."""
    _own().settle()


atexit.register(settle)
