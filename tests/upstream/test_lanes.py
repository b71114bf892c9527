from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event, Lock, get_ident

import pytest

from papertrade_site.upstream.lanes import LANES_PER_CALLER, Lanes


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    lanes = Lanes(threads=8)
    yield lanes
    lanes.close()


def forever() -> float:
    return 10.0


def test_results_come_in_the_order_of_the_jobs(lanes: Lanes) -> None:
    jobs = [partial(str, number) for number in range(100)]
    assert lanes.run(jobs, seconds_left=forever) == [str(number) for number in range(100)]


def test_a_single_job_runs_on_the_callers_own_thread(lanes: Lanes) -> None:
    assert lanes.run([get_ident], seconds_left=forever) == [get_ident()]


def test_as_many_jobs_run_at_once_as_a_caller_has_lanes(lanes: Lanes) -> None:
    together = Barrier(LANES_PER_CALLER)
    jobs = [partial(together.wait, 10)] * LANES_PER_CALLER
    assert sorted(index or 0 for index in lanes.run(jobs, seconds_left=forever)) == list(
        range(LANES_PER_CALLER)
    )


def test_never_more_jobs_of_a_caller_run_at_once_than_it_has_lanes(lanes: Lanes) -> None:
    lock, running, most = Lock(), 0, 0

    def job() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        with lock:
            running -= 1

    lanes.run([job] * 500, seconds_left=forever)
    assert most <= LANES_PER_CALLER


def test_a_caller_gets_by_alone_when_every_helper_is_taken() -> None:
    lanes, gate, busy = Lanes(threads=1), Event(), Event()

    def hold_the_helper() -> None:
        busy.set()
        gate.wait(10)

    with ThreadPoolExecutor(1) as other_caller:
        other_caller.submit(lanes.run, [hold_the_helper, hold_the_helper], seconds_left=forever)
        assert busy.wait(10)
        assert lanes.run([get_ident] * 5, seconds_left=forever) == [get_ident()] * 5
        gate.set()
    lanes.close()


def test_a_job_that_a_helper_has_not_finished_in_time_is_none(lanes: Lanes) -> None:
    gate, caller, helper_has_one = Event(), get_ident(), Event()

    def on_a_helper() -> str:
        if get_ident() == caller:
            assert helper_has_one.wait(10)
            return "done"
        helper_has_one.set()
        gate.wait(10)
        return "late"

    results = lanes.run([on_a_helper, on_a_helper], seconds_left=lambda: 0.0)
    gate.set()
    assert sorted(map(str, results)) == ["None", "done"]


def test_a_jobs_exception_comes_out_and_the_other_jobs_still_run(lanes: Lanes) -> None:
    done: list[int] = []

    def job(number: int) -> None:
        if number == 3:
            raise ZeroDivisionError
        done.append(number)

    with pytest.raises(ZeroDivisionError):
        lanes.run([partial(job, number) for number in range(50)], seconds_left=forever)
    assert 3 not in done
