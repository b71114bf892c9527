"""Fixtures for the whole suite, and how long a test may take."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache

from papertrade_site.clock import SystemClock
from papertrade_site.docs import kept
from papertrade_site.limits import cache
from papertrade_site.limits.failover import Failover
from papertrade_site.recorded import past
from papertrade_site.recorded.published import Published
from tests.clocks import ManualClock

SLOW_S = 300
A_LONG_TIME_S = 1_000_000

_tests = count()


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


@pytest.fixture(autouse=True)
def new_allowances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a new process does, in which no client has asked for anything yet."""
    monkeypatch.setattr(cache, "process_counts", Failover(SystemClock()))


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin long after whatever pages were made in the test before."""
    later = ManualClock()
    later.seconds = next(_tests) * A_LONG_TIME_S
    monkeypatch.setattr(kept, "process_clock", later)


@pytest.fixture(autouse=True)
def published(monkeypatch: pytest.MonkeyPatch) -> Published:
    """Where a test can publish a recorded past; tools see none of a service that runs on this machine."""
    published = Published(LocMemCache(uuid4().hex, {}), SystemClock())
    monkeypatch.setattr(past, "process_pasts", past.Pasts(published))
    return published
