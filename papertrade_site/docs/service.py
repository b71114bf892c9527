"""How one server is as a whole, for its status page: in a word, in figures, and what its operators say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from papertrade_site.clock import Clock, SystemClock
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.mcp.server import Server
from papertrade_site.ops import health
from papertrade_site.ops.incidents import Incidents, incidents
from papertrade_site.ops.jobs import JobStates, job_states
from papertrade_site.ops.models import Severity
from papertrade_site.upstream.readiness import Condition, SourceState
from papertrade_site.usage import report
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import ServerUsage

clock: Clock = SystemClock()
"""By which incidents are open or over."""


class State(StrEnum):
    """How a server is as a whole."""

    WORKING = "working"
    DEGRADED = "degraded"
    OUTAGE = "outage"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Service:
    """All that a status page shows.

    Attributes:
        reasons: why the state is not ``WORKING``, each in a few words of ours.
        missing: sentences about what could not be read, each once.
    """

    state: State
    reasons: tuple[str, ...]
    sources: tuple[SourceState, ...]
    day: ServerUsage
    jobs: JobStates
    incidents: Incidents
    missing: tuple[str, ...]
    now_ms: int


def service_now(server: Server) -> Service:
    """Read how a server is; never fails for a source, Redis or a database that is away."""
    now_ms = clock.now_ms()
    sources = health.current_sources()
    day, jobs = report.server_usage(server.slug, Period.DAY), job_states()
    told = incidents(datetime.fromtimestamp(now_ms / 1000, UTC), slug=server.slug)
    state, reasons = _judged(server, sources, told)
    return Service(
        state=state,
        reasons=reasons,
        sources=tuple(sources),
        day=day,
        jobs=jobs,
        incidents=told,
        missing=tuple(dict.fromkeys((*day.missing, *jobs.missing, *told.missing))),
        now_ms=now_ms,
    )


def _judged(server: Server, sources: Sequence[SourceState], told: Incidents) -> tuple[State, tuple[str, ...]]:
    if not limits_for(server.slug).is_on:
        return State.OFF, ("its operators have switched it off",)
    failed = [source for source in sources if source.state is Condition.FAILED]
    off = [tool.name for tool in server.tools if (server.slug, tool.name) in policy().switched_off]
    severities = {incident.severity for incident in told.open}
    reasons = []
    if severities - {Severity.NOTICE.value}:
        reasons.append("an incident is open")
    if failed:
        reasons.append(f"{len(failed)} of {len(sources)} sources cannot be read")
    if off:
        reasons.append(f"{_list(off)} {'is' if len(off) == 1 else 'are'} switched off")
    if Severity.OUTAGE in severities or (sources and len(failed) == len(sources)):
        return State.OUTAGE, tuple(reasons)
    return (State.DEGRADED if reasons else State.WORKING), tuple(reasons)


def _list(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
