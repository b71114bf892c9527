"""A disk that is full, for the database, the log and the metrics: the site goes on, and loses no count."""

from __future__ import annotations

import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest

from papertrade_site.limits.policy import DEFAULTS
from tests.faults.deployment import counted, deployed, environ_of, migrated, pings_in_metrics, within
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import manage, running

LIMIT: Final = DEFAULTS.servers["analytics"].requests_per_minute
PAGES: Final = ("/", "/analytics/", "/analytics/docs/mcp", "/analytics/status", "/healthz", "/metrics")
ROLLUP_S: Final = 60
SOON_S: Final = 10

pytestmark = pytest.mark.slow


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@contextmanager
def _full_for(pids: Iterable[int]) -> Iterator[None]:
    """Let no file grow that these processes write, within the block."""
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    yield
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_the_site_goes_on_and_what_was_counted_meanwhile_is_kept_once_there_is_room(
    valkey: OwnValkey, tmp_path: Path
) -> None:
    database, log = tmp_path / "papertrade.sqlite3", tmp_path / "log"
    migrated(database)
    rollup = running(
        manage("roll_up_usage"), environ_of(redis_url=valkey.url, database=database), give_up_s=280
    )
    with deployed(redis_url=valkey.url, database=database, log=log) as site, rollup as rolling:
        assert site.get("/healthz").status == 200
        (worker,) = psutil.Process(site.pid).children()
        with _full_for([worker.pid, rolling.process.pid]):
            size = log.stat().st_size
            statuses = [site.ping().status for _ in range(2 * LIMIT)]
            assert set(statuses) == {200, 429}
            assert statuses.count(200) <= LIMIT + 1
            assert {path: site.get(path).status for path in PAGES} == dict.fromkeys(PAGES, 200)
            assert rolling.err.until("A round failed (OperationalError)")
            assert log.stat().st_size == size
            assert counted(database) == 0

        assert within(SOON_S, lambda: pings_in_metrics(site) == len(statuses))
        assert within(ROLLUP_S, lambda: counted(database) == len(statuses))
        assert site.ping().status in {200, 429}
        assert within(SOON_S, lambda: log.stat().st_size > size)
