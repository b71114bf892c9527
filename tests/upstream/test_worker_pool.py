"""Jobs of callers that share helpers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event, Lock, get_ident

import pytest

from papertrade_site.request_id import begin, end, request_id
from papertrade_site.upstream.worker_pool import WORKERS_PER_CALLER, WorkerPool


@pytest.fixture
def workers() -> Iterator[WorkerPool]:
    workers = WorkerPool(threads=8)
    yield workers
    workers.close()


def forever() -> float:
    return 10.0


def test_results_come_in_the_order_of_the_jobs(workers: WorkerPool) -> None:
    jobs = [partial(str, number) for number in range(100)]
    assert workers.run(jobs, seconds_left=forever) == [str(number) for number in range(100)]


def test_a_single_job_runs_on_the_callers_own_thread(workers: WorkerPool) -> None:
    assert workers.run([get_ident], seconds_left=forever) == [get_ident()]


def test_every_job_sees_the_context_of_its_caller(workers: WorkerPool) -> None:
    together = Barrier(WORKERS_PER_CALLER)

    def name_after_all_have_begun() -> str | None:
        together.wait(10)
        return request_id()

    token = begin("0123456789abcdef")
    try:
        names = workers.run([name_after_all_have_begun] * WORKERS_PER_CALLER, seconds_left=forever)
    finally:
        end(token)
    assert names == ["0123456789abcdef"] * WORKERS_PER_CALLER


def test_as_many_jobs_run_at_once_as_a_caller_may_have(workers: WorkerPool) -> None:
    together = Barrier(WORKERS_PER_CALLER)
    jobs = [partial(together.wait, 10)] * WORKERS_PER_CALLER
    assert sorted(index or 0 for index in workers.run(jobs, seconds_left=forever)) == list(
        range(WORKERS_PER_CALLER)
    )


def test_a_caller_leaves_helpers_to_others_however_many_jobs_he_has() -> None:
    workers, gate, started = WorkerPool(threads=WORKERS_PER_CALLER), Event(), Barrier(WORKERS_PER_CALLER + 1)
    first_of_all = iter(range(WORKERS_PER_CALLER))
    lock = Lock()

    def hold_a_worker() -> None:
        with lock:
            is_among_the_first = next(first_of_all, None) is not None
        if is_among_the_first:
            started.wait(10)
        gate.wait(10)

    meeting = Barrier(2)
    with ThreadPoolExecutor(1) as greedy:
        held = greedy.submit(workers.run, [hold_a_worker] * (2 * WORKERS_PER_CALLER), seconds_left=forever)
        started.wait(10)
        assert set(workers.run([partial(meeting.wait, 10)] * 2, seconds_left=forever)) == {0, 1}
        gate.set()
        held.result(10)
    workers.close()


def test_a_caller_gets_by_alone_when_every_helper_is_taken() -> None:
    workers, gate, busy = WorkerPool(threads=1), Event(), Event()

    def hold_the_helper() -> None:
        busy.set()
        gate.wait(10)

    with ThreadPoolExecutor(1) as other_caller:
        other_caller.submit(workers.run, [hold_the_helper, hold_the_helper], seconds_left=forever)
        assert busy.wait(10)
        assert workers.run([get_ident] * 5, seconds_left=forever) == [get_ident()] * 5
        gate.set()
    workers.close()


def test_a_job_that_a_helper_has_not_finished_in_time_is_none(workers: WorkerPool) -> None:
    gate, caller, helper_has_one = Event(), get_ident(), Event()

    def on_a_helper() -> str:
        if get_ident() == caller:
            assert helper_has_one.wait(10)
            return "done"
        helper_has_one.set()
        gate.wait(10)
        return "late"

    results = workers.run([on_a_helper, on_a_helper], seconds_left=lambda: 0.0)
    gate.set()
    assert sorted(map(str, results)) == ["None", "done"]


def test_a_jobs_exception_comes_out_and_the_other_jobs_still_run(workers: WorkerPool) -> None:
    done: list[int] = []

    def job(number: int) -> None:
        if number == 3:
            raise ZeroDivisionError
        done.append(number)

    with pytest.raises(ZeroDivisionError):
        workers.run([partial(job, number) for number in range(50)], seconds_left=forever)
    assert 3 not in done
