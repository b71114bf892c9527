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
from tests.faults.deployment import counted, deployed, pings_in_metrics, within
from tests.faults.pings import Pings, new_client
from tests.limits.valkey import OwnValkey
from tests.running import Running

LIMIT: Final = DEFAULTS.servers["analytics"].requests_per_minute
PAGES: Final = ("/", "/analytics/", "/analytics/docs/mcp", "/analytics/status", "/healthz", "/metrics")
ROLLUP_S: Final = 60
SOON_S: Final = 10

pytestmark = pytest.mark.slow


@contextmanager
def _full_for(pids: Iterable[int]) -> Iterator[None]:
    """Let no file grow that these processes write, within the block."""
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    yield
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_the_site_goes_on_and_what_was_counted_meanwhile_is_kept_once_there_is_room(
    valkey: OwnValkey, database: Path, tmp_path: Path, rollup: Running
) -> None:
    log = tmp_path / "log"
    with deployed(redis_url=valkey.url, database=database, log=log) as site:
        assert site.get("/healthz").status == 200
        (worker,) = psutil.Process(site.pid).children()
        pings = Pings(site)
        with _full_for([worker.pid, rollup.process.pid]):
            size = log.stat().st_size
            assert pings.of_one_client(2 * LIMIT) == [200] * LIMIT + [429] * LIMIT
            assert {path: site.get(path).status for path in PAGES} == dict.fromkeys(PAGES, 200)
            assert rollup.err.until("A round failed (OperationalError)")
            assert log.stat().st_size == size
            assert counted(database) == 0

        assert within(SOON_S, lambda: pings_in_metrics(site) == pings.made)
        assert within(ROLLUP_S, lambda: counted(database) == pings.made)
        assert pings.ping(new_client()).status == 200
        assert within(SOON_S, lambda: log.stat().st_size > size)
