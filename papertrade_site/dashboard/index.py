"""What the start page shows: usage of both servers, upstreams, copies, jobs, and what was changed.

All figures are those of ``usage.report``. Nothing here fails for a Redis or a database that is away: the page
shows what could be read, and says what could not.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from papertrade_site.dashboard.changes import RecentChanges, recent_changes
from papertrade_site.dashboard.hosts import HostState, host_state
from papertrade_site.dashboard.level import Level
from papertrade_site.dashboard.server_part import ServerPart, server_part
from papertrade_site.dashboard.summary import JOB_LEVELS, Verdict, verdicts
from papertrade_site.ops.incidents import Incidents, incidents
from papertrade_site.ops.jobs import JobState, job_states
from papertrade_site.servers import SERVERS
from papertrade_site.usage import report
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import CacheUse

PERIODS: Final = {Period.HOUR: "Last hour", Period.DAY: "24 hours", Period.WEEK: "7 days"}


@dataclass(frozen=True, slots=True)
class PeriodLink:
    """A period to choose."""

    period: Period
    title: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class JobRow:
    """A background job, and how it is coloured."""

    state: JobState
    level: Level


@dataclass(frozen=True, slots=True)
class Dashboard:
    """All that the page shows.

    Attributes:
        missing: sentences about what could not be read, each once.
    """

    now_ms: int
    period: Period
    periods: tuple[PeriodLink, ...]
    verdicts: tuple[Verdict, ...]
    servers: tuple[ServerPart, ...]
    hosts: tuple[HostState, ...]
    cache: CacheUse
    jobs: tuple[JobRow, ...]
    incidents: Incidents
    changes: RecentChanges
    missing: tuple[str, ...]

    @property
    def period_title(self) -> str:
        """The period's name."""
        return PERIODS[self.period]


def period_called(name: str | None) -> Period:
    """The period that an address names; the last hour for anything else."""
    return next((period for period in Period if period == name), Period.HOUR)


def dashboard(period: Period) -> Dashboard:
    """Read everything that the page shows."""
    now_ms = report.clock.now_ms()
    servers = tuple(server_part(server, period) for server in SERVERS.values())
    upstreams, cache, jobs = report.upstreams(), report.cache_use(period), job_states()
    hosts = tuple(host_state(upstream, now_ms) for upstream in upstreams.rows)
    told = incidents(datetime.fromtimestamp(now_ms / 1000, UTC))
    changes = recent_changes()
    missing = [
        *(sentence for part in servers for sentence in part.missing),
        *upstreams.missing,
        *cache.missing,
        *jobs.missing,
        *told.missing,
        *changes.missing,
    ]
    return Dashboard(
        now_ms=now_ms,
        period=period,
        periods=tuple(PeriodLink(each, title, each is period) for each, title in PERIODS.items()),
        verdicts=verdicts(servers, hosts, jobs, told),
        servers=servers,
        hosts=hosts,
        cache=cache,
        jobs=tuple(JobRow(state, JOB_LEVELS[state.condition]) for state in jobs.rows),
        incidents=told,
        changes=changes,
        missing=tuple(dict.fromkeys(missing)),
    )
