"""The line that tells what is well and what is not."""

from __future__ import annotations

import pytest

from papertrade_site.dashboard.hosts import host_state
from papertrade_site.dashboard.level import Level
from papertrade_site.dashboard.server_part import errors_level, server_part
from papertrade_site.dashboard.summary import Verdict, verdicts
from papertrade_site.ops.incidents import Incidents
from papertrade_site.ops.jobs import JOBS, Condition, JobState, JobStates
from papertrade_site.ops.models import Incident
from papertrade_site.servers import SERVERS
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.resource import Host
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import Upstream

NOW_MS = 1_796_040_000_000

pytestmark = pytest.mark.django_db


def verdict(title: str, **parts: object) -> Verdict:
    """The verdict of a title where all is well but what is given: breakers, conditions, severities."""
    breakers = parts.get("breakers", [BreakerState.CLOSED] * 3)
    conditions = parts.get("conditions", [Condition.OK] * 3)
    severities = parts.get("severities", [])
    assert isinstance(breakers, list)
    assert isinstance(conditions, list)
    assert isinstance(severities, list)
    hosts = [
        host_state(Upstream(host, breaker, NOW_MS, None, None, (), ()), NOW_MS)
        for host, breaker in zip(Host, breakers, strict=True)
    ]
    jobs = [
        JobState(job, condition, None, None, None) for job, condition in zip(JOBS, conditions, strict=True)
    ]
    told = Incidents(tuple(Incident(title="x", severity=severity) for severity in severities), (), (), ())
    servers = [server_part(server, Period.HOUR) for server in SERVERS.values()]
    found = verdicts(servers, hosts, JobStates(tuple(jobs), ()), told)
    return next(each for each in found if each.title == title)


CLOSED, OPEN, PROBED = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN


@pytest.mark.parametrize(
    ("breakers", "text", "level"),
    [
        ([CLOSED, CLOSED, CLOSED], "all well", Level.GOOD),
        ([CLOSED, None, None], "all well", Level.QUIET),
        ([None, None, None], "not asked of late", Level.QUIET),
        ([CLOSED, OPEN, CLOSED], "Hyperliquid left alone after failures", Level.BAD),
        ([PROBED, None, OPEN], "Papertrade exchange, HyperEVM", Level.BAD),
    ],
)
def test_upstreams_that_are_not_well_are_named(
    breakers: list[BreakerState | None], text: str, level: Level
) -> None:
    told = verdict("Upstreams", breakers=breakers)
    assert (told.text, told.level, told.section) == (text, level, "upstreams")


OK, LATE, FAILING, UNKNOWN = Condition.OK, Condition.LATE, Condition.FAILING, Condition.UNKNOWN


@pytest.mark.parametrize(
    ("conditions", "text", "level"),
    [
        ([OK, OK, OK], "all well", Level.GOOD),
        ([OK, LATE, OK], "History recorder late", Level.BAD),
        ([FAILING, LATE, OK], "Wallet tracker, History recorder", Level.BAD),
        ([OK, OK, UNKNOWN], "Usage rollup unknown", Level.QUIET),
        ([UNKNOWN, UNKNOWN, UNKNOWN], "unknown", Level.QUIET),
    ],
)
def test_jobs_that_are_not_well_are_named(conditions: list[Condition], text: str, level: Level) -> None:
    told = verdict("Background jobs", conditions=conditions)
    assert (told.text, told.level) == (text, level)


@pytest.mark.parametrize(
    ("severities", "text", "level"),
    [
        ([], "none open", Level.GOOD),
        (["notice"], "1 open", Level.QUIET),
        (["degraded", "notice"], "2 open", Level.WARN),
        (["notice", "outage"], "2 open", Level.BAD),
    ],
)
def test_incidents_are_as_grave_as_the_gravest(severities: list[str], text: str, level: Level) -> None:
    told = verdict("Incidents", severities=severities)
    assert (told.text, told.level) == (text, level)


@pytest.mark.parametrize(
    ("errors", "calls", "level"),
    [
        (0, 0, Level.GOOD),
        (19, 19, Level.GOOD),
        (1, 20, Level.WARN),
        (4, 100, Level.GOOD),
        (5, 100, Level.WARN),
        (24, 100, Level.WARN),
        (25, 100, Level.BAD),
    ],
)
def test_many_errors_are_a_matter_of_their_share_once_there_are_calls(
    errors: int, calls: int, level: Level
) -> None:
    assert errors_level(errors, calls) is level
