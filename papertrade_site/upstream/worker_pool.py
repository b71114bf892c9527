"""A bounded number of threads that help callers with several blocking jobs at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Event, Lock
from typing import Generic, TypeVar

from papertrade_site.upstream.budget import CALL_REQUESTS
from papertrade_site.upstream.gate import SLOTS
from papertrade_site.upstream.resource import Host

Result = TypeVar("Result")

THREADS = len(Host) * SLOTS
"""Helpers per process: as many as the hosts take requests at once."""

WORKERS_PER_CALLER = CALL_REQUESTS
"""Jobs of one caller that run at once, its own thread included: all that an ordinary call asks for.

No caller takes all helpers.
"""


class WorkerPool:
    """Runs jobs side by side; the caller's own thread always works too, so busy helpers only slow it down.

    Helpers see the caller's context variables, so what they log names the request that it was done for.
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._helpers = ThreadPoolExecutor(threads, thread_name_prefix="upstream")

    def run(
        self, jobs: Sequence[Callable[[], Result]], *, seconds_left: Callable[[], float]
    ) -> list[Result | None]:
        """The jobs' results in their order; None for a job that a helper has not finished in time.

        A job's exception comes out here. Jobs must end on their own when no seconds are left.
        """
        batch = _Batch(jobs)
        helpers = [
            self._helpers.submit(copy_context().run, batch.work)
            for _ in range(min(len(jobs), WORKERS_PER_CALLER) - 1)
        ]
        batch.work()
        batch.finished.wait(max(seconds_left(), 0))
        _raise_first(helpers)
        return list(batch.results)

    def close(self) -> None:
        """Let the helpers go once their present jobs end; no further call may be made."""
        self._helpers.shutdown(wait=False, cancel_futures=True)


class _Batch(Generic[Result]):
    """The jobs of one caller and what became of them."""

    def __init__(self, jobs: Sequence[Callable[[], Result]]) -> None:
        self.results: list[Result | None] = [None] * len(jobs)
        self.finished = Event()
        self._todo = deque(enumerate(jobs))
        self._unfinished = len(jobs)
        self._lock = Lock()

    def work(self) -> None:
        """Do jobs until none is left to begin."""
        while True:
            try:
                index, job = self._todo.popleft()
            except IndexError:
                return
            try:
                self.results[index] = job()
            finally:
                self._count_down()

    def _count_down(self) -> None:
        with self._lock:
            self._unfinished -= 1
            if self._unfinished == 0:
                self.finished.set()


def _raise_first(helpers: Sequence[Future[None]]) -> None:
    for helper in helpers:
        if not helper.cancel() and helper.done():
            helper.result()
