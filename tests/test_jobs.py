"""Background work: a handle that can be asked, awaited and cancelled, and progress that ends work."""

import threading

import pytest

from dbgraph_nb.errors import Cancelled, QueryTimeout
from dbgraph_nb.jobs import Job
from dbgraph_nb.progress import guarded, silent


def test_a_job_gives_its_value_again_and_again() -> None:
    job = Job("sum", lambda stop: 1 + 1)
    assert job.result(5) == 2
    assert job.result() == 2
    assert job.status == "done"


def test_a_job_that_still_runs_says_so_and_can_be_cancelled() -> None:
    started = threading.Event()

    def work(stop: threading.Event) -> None:
        started.set()
        report = guarded(silent, timeout=None, stop=stop)
        while not stop.wait(0.01):
            pass
        report(0.5, "waiting")

    job = Job("wait", work)
    assert started.wait(5)
    assert job.status == "running"
    with pytest.raises(QueryTimeout) as refused:
        job.result(0.01)
    assert refused.value.code == "job-running"
    job.cancel()
    with pytest.raises(Cancelled) as stopped:
        job.result(5)
    assert stopped.value.code == "cancelled"
    assert job.status == "cancelled"
    assert repr(job) == "Job('wait', cancelled)"


def test_a_failing_job_raises_what_its_work_raised() -> None:
    def work(stop: threading.Event) -> None:
        raise KeyError("gone")

    job = Job("fail", work)
    with pytest.raises(KeyError, match="gone"):
        job.result(5)
    assert job.status == "failed"


def test_progress_ends_work_whose_time_is_over() -> None:
    now = iter([0.0, 1.0, 3.0])
    heard: list[tuple[float | None, str]] = []
    report = guarded(
        lambda share, message: heard.append((share, message)),
        timeout=2,
        stop=threading.Event(),
        clock=lambda: next(now),
    )
    report(0.1, "first")
    with pytest.raises(QueryTimeout) as over:
        report(0.2, "second")
    assert over.value.code == "work-timeout"
    assert heard == [(0.1, "first")]
