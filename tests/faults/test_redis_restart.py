"""A Redis that goes away and comes back empty: limits hold, operators are told, and the history is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from papertrade_site.limits.policy import DEFAULTS
from papertrade_site.ops.jobs import UNREADABLE
from papertrade_site.usage.gathered import NO_REDIS
from tests.faults.deployment import Deployment, counted, deployed, environ_of, migrated, within
from tests.faults.operator import Operator, make_operator
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import manage, running

LIMIT = DEFAULTS.servers["analytics"].requests_per_minute
ROLLUP_S = 40
SOON_S = 15

pytestmark = pytest.mark.slow


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "papertrade.sqlite3"
    migrated(path)
    return path


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def site(valkey: OwnValkey, database: Path, tmp_path: Path) -> Iterator[Deployment]:
    with deployed(redis_url=valkey.url, database=database, log=tmp_path / "log") as site:
        yield site


@pytest.fixture
def rollup(valkey: OwnValkey, database: Path) -> Iterator[None]:
    with running(manage("roll_up_usage"), environ_of(redis_url=valkey.url, database=database), give_up_s=280):
        yield


def _gauge(site: Deployment, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", site.get("/metrics").body.decode(), re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_limits_hold_operators_are_told_and_no_call_is_lost_from_the_history(
    site: Deployment, valkey: OwnValkey, database: Path, rollup: None
) -> None:
    before = [site.ping().status for _ in range(5)]
    assert within(ROLLUP_S, lambda: counted(database) == 5)
    assert within(SOON_S, lambda: "notes" not in site.get("/readyz").json())
    assert _gauge(site, "papertrade_redis_up") == 1
    make_operator(database)
    operator = Operator(site.port)
    assert NO_REDIS not in operator.page()

    with valkey.gone():
        during = [site.ping().status for _ in range(2 * LIMIT)]
        assert during.count(200) <= LIMIT + 1
        assert set(during) == {200, 429}
        assert site.get("/readyz").json()["notes"] == [UNREADABLE]
        assert _gauge(site, "papertrade_redis_up") == 0
        assert NO_REDIS in operator.page()
        assert within(SOON_S, lambda: _gauge(site, "papertrade_redis_failures_total") > 0)
        assert site.get("/analytics/").status == 200

    assert within(SOON_S, lambda: "notes" not in site.get("/readyz").json())
    assert NO_REDIS not in operator.page()
    after = [site.ping().status for _ in range(3)]
    assert set(after) <= {200, 429}
    calls = len(before) + len(during) + len(after)
    assert within(ROLLUP_S, lambda: counted(database) == calls)
    assert len(re.findall("The usage counters failed", site.log.read_text())) <= 1


def test_what_was_counted_last_is_told_when_the_site_stops(
    valkey: OwnValkey, database: Path, tmp_path: Path
) -> None:
    with deployed(redis_url=valkey.url, database=database, log=tmp_path / "log", workers=2) as site:
        names = [site.ping().headers["X-Request-Id"] for _ in range(20)]
    log = (tmp_path / "log").read_text()
    assert [name for name in names if name not in log] == []
    environ = environ_of(redis_url=valkey.url, database=database)
    with running(manage("roll_up_usage"), environ):
        assert within(ROLLUP_S, lambda: counted(database) == len(names))
