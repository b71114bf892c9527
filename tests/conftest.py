"""Fixtures for the whole suite, and how long a test may take."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
import time_machine
from django.core.cache.backends.locmem import LocMemCache
from django.db import connection

from papertrade_site import reading
from papertrade_site.clock import SystemClock
from papertrade_site.docs import kept
from papertrade_site.limits import cache
from papertrade_site.limits.failover import Failover
from papertrade_site.limits.in_force import install
from papertrade_site.limits.policy import DEFAULTS
from papertrade_site.ops import request_log
from papertrade_site.ops.log_handler import PatientHandler
from papertrade_site.ops.request_lines import RequestLines
from papertrade_site.outage import Outage
from papertrade_site.recorded import past
from papertrade_site.recorded.published import Published
from tests.clocks import ManualClock
from tests.policies import InForce

SLOW_S = 300
A_LONG_TIME_S = 1_000_000

pytest.register_assert_rewrite("tests.mcp_analytics.world_checks", "tests.mcp_liquidations.world_checks")

_moments = count()
_silent = RequestLines(is_silent=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let slow tests take longer: they wait for programs that have a patience of their own."""
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.timeout(SLOW_S))


@pytest.fixture
def short_tmp_path() -> Iterator[Path]:
    """A private folder whose path leaves room for a unix socket's name within 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="pt-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def wall() -> Iterator[time_machine.Traveller]:
    """Stop the wall clock, by which windows begin and end."""
    with time_machine.travel(1_796_040_000, tick=False) as traveller:
        yield traveller


@pytest.fixture(autouse=True)
def new_allowances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a new process does, in which no client has asked for anything yet."""
    monkeypatch.setattr(cache, "process_counts", Failover(SystemClock()))


@pytest.fixture(autouse=True)
def nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a new process does, which finds out anew whether Redis and the database are there."""
    monkeypatch.setattr(reading, "process_redis", Outage(SystemClock(), "%s"))
    monkeypatch.setattr(reading, "process_database", reading.database_outage(SystemClock()))


@pytest.fixture(scope="session", autouse=True)
def silent_log() -> None:
    """Let what this process logs go to the tests alone, not to standard error, where it would come late."""
    for logger in (logging.getLogger(), logging.getLogger("django.security")):
        for handler in [each for each in logger.handlers if isinstance(each, PatientHandler)]:
            logger.removeHandler(handler)


@pytest.fixture(autouse=True)
def silent_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests leave no lines beside what the test's own say."""
    monkeypatch.setattr(request_log, "process_lines", _silent)


@pytest.fixture(autouse=True)
def in_force() -> Iterator[InForce]:
    """The limits in force: the defaults until the test changes them, and again after it."""
    yield InForce()
    install(DEFAULTS)


@pytest.fixture
def erasable_changes(transactional_db: None) -> Iterator[None]:
    """Let recorded changes be erased after a test that commits them, as the database otherwise refuses."""
    yield
    with connection.cursor() as cursor:
        triggers = cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'limits_change'"
        ).fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        cursor.execute("DELETE FROM limits_change")
        for _, statement in triggers:
            cursor.execute(statement)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin long after whatever pages were made in the test before."""
    monkeypatch.setattr(kept, "process_clock", _later())


@pytest.fixture(scope="module")
def same_moment() -> ManualClock:
    """One moment for a module that reads the same pages in all of its tests: by it they are made once."""
    return _later()


def _later() -> ManualClock:
    later = ManualClock()
    later.seconds = next(_moments) * A_LONG_TIME_S
    return later


@pytest.fixture(autouse=True)
def published(monkeypatch: pytest.MonkeyPatch) -> Published:
    """Where a test can publish a recorded past; tools see none of a service that runs on this machine."""
    published = Published(LocMemCache(uuid4().hex, {}), SystemClock())
    monkeypatch.setattr(past, "process_pasts", past.Pasts(published))
    return published
