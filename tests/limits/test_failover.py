"""Who counts while the shared counters fail; ``tests/site/test_outage.py`` has when they are tried."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError, OutOfMemoryError

from papertrade_site.limits.charge import Charge
from papertrade_site.limits.failover import Failover

ONE = Charge(1, 30)


def _full() -> list[int]:
    raise OutOfMemoryError("OOM")


def _unreachable() -> list[int]:
    raise RedisConnectionError("refused by 203.0.113.7")


def test_the_shared_counters_count_while_they_answer(failover: Failover) -> None:
    counts = [failover.count("key", ONE, seconds=65, shared=lambda: [1001]) for _ in range(2)]
    assert counts == [[1001], [1001]]


@pytest.mark.parametrize("shared", [_full, _unreachable])
def test_clients_are_counted_in_the_process_while_they_do_not(
    failover: Failover, shared: Callable[[], list[int]]
) -> None:
    counts = [failover.count("key", ONE, seconds=65, shared=shared) for _ in range(40)]
    assert counts == [[count] for count in range(1, 41)]
    assert failover.count("another", Charge(5, 30), seconds=65, shared=shared) == [5]


def test_a_failure_is_logged_without_anything_of_the_client(
    failover: Failover, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        failover.count("key", ONE, seconds=65, shared=_unreachable)
    assert [record.getMessage() for record in caplog.records] == [
        "The shared counters failed (ConnectionError); each process limits clients on its own."
    ]
