"""A Redis that goes away and comes back empty: limits hold, operators are told, and the history is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from papertrade_site.limits.policy import DEFAULTS
from papertrade_site.ops.jobs import UNREADABLE
from papertrade_site.usage.gathered import NO_REDIS
from tests.faults.deployment import Deployment, counted, deployed, within
from tests.faults.operator import Operator, make_operator
from tests.faults.pings import Pings
from tests.limits.valkey import OwnValkey
from tests.running import Running

LIMIT = DEFAULTS.servers["analytics"].requests_per_minute
ROLLUP_S = 40
SOON_S = 15

pytestmark = pytest.mark.slow


@pytest.fixture
def site(valkey: OwnValkey, database: Path, tmp_path: Path) -> Iterator[Deployment]:
    with deployed(redis_url=valkey.url, database=database, log=tmp_path / "log") as site:
        yield site


def _gauge(site: Deployment, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", site.get("/metrics").body.decode(), re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_limits_hold_operators_are_told_and_no_call_is_lost_from_the_history(
    site: Deployment, valkey: OwnValkey, database: Path, rollup: Running
) -> None:
    pings = Pings(site)
    assert pings.of_one_client(5) == [200] * 5
    assert within(ROLLUP_S, lambda: counted(database) == pings.made)
    assert within(SOON_S, lambda: "notes" not in site.get("/readyz").json())
    assert _gauge(site, "papertrade_redis_up") == 1
    make_operator(database)
    operator = Operator(site.port)
    assert NO_REDIS not in operator.page()

    with valkey.gone():
        assert pings.of_one_client(2 * LIMIT) == [200] * LIMIT + [429] * LIMIT
        assert site.get("/readyz").json()["notes"] == [UNREADABLE]
        assert _gauge(site, "papertrade_redis_up") == 0
        assert NO_REDIS in operator.page()
        assert within(SOON_S, lambda: _gauge(site, "papertrade_redis_failures_total") > 0)
        assert site.get("/analytics/").status == 200

    assert within(SOON_S, lambda: "notes" not in site.get("/readyz").json())
    assert NO_REDIS not in operator.page()
    assert pings.of_one_client(3) == [200] * 3
    assert within(ROLLUP_S, lambda: counted(database) == pings.made)
    assert len(re.findall("The usage counters failed", site.log.read_text())) <= 1


def test_what_was_counted_last_is_told_when_the_site_stops(
    valkey: OwnValkey, database: Path, tmp_path: Path, rollup: Running
) -> None:
    with deployed(redis_url=valkey.url, database=database, log=tmp_path / "log", workers=2) as site:
        names = [site.ping().headers["X-Request-Id"] for _ in range(20)]
    log = (tmp_path / "log").read_text()
    assert [name for name in names if name not in log] == []
    assert within(ROLLUP_S, lambda: counted(database) == len(names))
