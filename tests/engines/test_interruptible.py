from __future__ import annotations

import _thread
import threading
import time

import pytest

from dbgraph_nb.engines.interruptible import Stop, Turns, check_timeout, run_interruptible
from dbgraph_nb.errors import BadArgument, Cancelled, ConnectionFailed, QueryTimeout


class Work:
    """Work that ends only when it is cancelled (or given up), as a blocked driver call."""

    def __init__(self, *, cancels: bool = True, value: str = "invented") -> None:
        self.ended = threading.Event()
        self.cancels, self.value = cancels, value
        self.given_up = False

    def __call__(self) -> str:
        self.ended.wait(20)
        return self.value

    def cancel(self) -> None:
        if self.cancels:
            self.ended.set()

    def give_up(self) -> None:
        self.given_up = True
        self.ended.set()


def run(work: Work, stop: Stop, timeout: float = 20, **more: bool) -> str:
    return run_interruptible(work, stop=stop, cancel=work.cancel, give_up=work.give_up, timeout=timeout, **more)


def test_values_and_errors_pass_through() -> None:
    assert run_interruptible(lambda: 5, stop=Stop(), cancel=print, give_up=print, timeout=5) == 5
    with pytest.raises(ZeroDivisionError):
        run_interruptible(lambda: 1 // 0, stop=Stop(), cancel=print, give_up=print, timeout=5)


def test_an_interrupt_ends_the_work() -> None:
    work, stop = Work(), Stop()
    threading.Timer(0.1, _thread.interrupt_main).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(work, stop)
    assert time.monotonic() - started < 5
    assert work.ended.is_set()
    assert not work.given_up
    assert stop.reason == "interrupt"


@pytest.mark.parametrize("interrupt", [True, False])
def test_work_that_does_not_react_is_given_up(interrupt: bool) -> None:
    work = Work(cancels=False)
    if interrupt:
        threading.Timer(0.1, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt if interrupt else QueryTimeout):
        run(work, Stop(), timeout=20 if interrupt else 0.1)
    assert work.given_up


def test_a_cancel_that_hangs_or_fails_does_not_hold_anybody() -> None:
    work = Work(cancels=False)
    started = time.monotonic()
    with pytest.raises(QueryTimeout):
        run_interruptible(work, stop=Stop(), cancel=lambda: time.sleep(6), give_up=work.give_up, timeout=0.1)
    assert time.monotonic() - started < 5
    assert work.given_up


def test_a_value_after_the_timeout_is_not_trusted_unless_the_engine_says_so() -> None:
    with pytest.raises(QueryTimeout, match=r"longer than 0\.1 s"):
        run(Work(value="invented"), Stop(), timeout=0.1)
    assert run(Work(value="true"), Stop(), timeout=0.1, late_value=True) == "true"


def test_from_another_thread() -> None:
    raised: list[BaseException] = []

    def body() -> None:
        try:
            run(Work(), Stop(), timeout=0.1)
        except QueryTimeout as error:
            raised.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(20)
    assert len(raised) == 1


def call(turns: Turns, work: Work, timeout: float = 20) -> str:
    return turns.call(lambda stop: work(), cancel=work.cancel, give_up=work.give_up, timeout=timeout)


def test_cancel_from_another_thread() -> None:
    turns, work = Turns(), Work()
    threading.Timer(0.1, turns.cancel).start()
    with pytest.raises(Cancelled) as caught:
        call(turns, work)
    assert caught.value.code == "query-cancelled"
    turns.cancel()  # nothing runs: no effect
    work.ended.set()
    assert call(turns, work) == "invented"


def test_one_at_a_time_and_the_wait_counts() -> None:
    turns, slow = Turns(), Work()
    thread = threading.Thread(target=call, args=(turns, slow))
    thread.start()
    try:
        with pytest.raises(QueryTimeout):
            call(turns, Work(), timeout=0.1)
    finally:
        slow.ended.set()
        thread.join(20)


def test_closing_ends_what_runs_and_what_comes() -> None:
    turns, work, dropped = Turns(), Work(), []
    threading.Timer(0.1, turns.close, [lambda: dropped.append(1)]).start()
    with pytest.raises(Cancelled):
        call(turns, work)
    with pytest.raises(ConnectionFailed) as caught:
        call(turns, work)
    assert caught.value.code == "connection-closed"


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), "5", None, True, 1e6])
def test_timeouts_that_cannot_be(timeout: object) -> None:
    with pytest.raises(BadArgument) as caught:
        check_timeout(timeout)
    assert caught.value.code == "bad-timeout"
