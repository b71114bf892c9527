"""The dashboard in one line: what is well, and what is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from papertrade_site.dashboard.hosts import HostState
from papertrade_site.dashboard.level import Level, worst
from papertrade_site.dashboard.server_part import ServerPart
from papertrade_site.docs.words import counted, percent
from papertrade_site.ops.incidents import Incidents
from papertrade_site.ops.jobs import Condition, JobStates
from papertrade_site.ops.models import Severity

JOB_LEVELS: Final = {
    Condition.OK: Level.GOOD,
    Condition.UNKNOWN: Level.QUIET,
    Condition.LATE: Level.BAD,
    Condition.FAILING: Level.BAD,
}
INCIDENT_LEVELS: Final = {
    Severity.NOTICE.value: Level.QUIET,
    Severity.DEGRADED.value: Level.WARN,
    Severity.OUTAGE.value: Level.BAD,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one thing is, in a few words, and the id of the section that tells more."""

    title: str
    text: str
    level: Level
    section: str


def incident_level(severity: str) -> Level:
    """How an incident is coloured."""
    return INCIDENT_LEVELS.get(severity, Level.WARN)


def verdicts(
    servers: Sequence[ServerPart], hosts: Sequence[HostState], jobs: JobStates, incidents: Incidents
) -> tuple[Verdict, ...]:
    """One for each server, one for each thing that both need, and one where networks are blocked."""
    told = (_limited(servers), *_blocked(servers))
    return (*map(_server, servers), *told, _hosts(hosts), _jobs(jobs), _incidents(incidents))


def _server(part: ServerPart) -> Verdict:
    text = ", ".join(_server_words(part)) if part.limits.is_on else "switched off"
    return Verdict(part.server.slug.capitalize(), text, part.level, part.server.slug)


def _server_words(part: ServerPart) -> Iterator[str]:
    yield counted(part.total.calls, "call")
    if part.error_share is not None:
        yield f"{percent(part.error_share)} errors"
    if part.switched_off:
        yield f"{counted(len(part.switched_off), 'tool')} off"


def _limited(servers: Sequence[ServerPart]) -> Verdict:
    limited = {row.client: row.family for part in servers for row in part.limited}
    if limited:
        families = ", ".join(sorted({family.value for family in limited.values()}))
        section = next(part.server.slug for part in servers if part.limited)
        text = f"{counted(len(limited), 'client')}: {families}"
        return Verdict("Limited now", text, Level.WARN, f"{section}-limited")
    is_known = not any(part.missing for part in servers)
    level, text = (Level.GOOD, "nobody") if is_known else (Level.QUIET, "unknown")
    return Verdict("Limited now", text, level, f"{servers[0].server.slug}-limited")


def _blocked(servers: Sequence[ServerPart]) -> Iterator[Verdict]:
    """Nothing while no network is blocked, as is usual."""
    networks = {rule.network for part in servers for rule in part.blocked}
    if networks:
        section = next(part.server.slug for part in servers if part.blocked)
        yield Verdict("Blocked now", counted(len(networks), "network"), Level.WARN, section)


def _hosts(hosts: Sequence[HostState]) -> Verdict:
    level = worst(host.level for host in hosts)
    if all(host.level is Level.QUIET for host in hosts):
        return Verdict("Upstreams", "not asked of late", level, "upstreams")
    ill = {host.title: host.words for host in hosts if host.level > Level.QUIET}
    return Verdict("Upstreams", _told(ill), level, "upstreams")


def _jobs(jobs: JobStates) -> Verdict:
    level = worst(JOB_LEVELS[row.condition] for row in jobs.rows)
    if all(row.condition is Condition.UNKNOWN for row in jobs.rows):
        return Verdict("Background jobs", "unknown", level, "jobs")
    ill = {row.job.title: row.condition.value for row in jobs.rows if row.condition is not Condition.OK}
    return Verdict("Background jobs", _told(ill), level, "jobs")


def _told(ill: Mapping[str, str]) -> str:
    """What is not well: one with what it has, several by their names."""
    if len(ill) == 1:
        ((title, words),) = ill.items()
        return f"{title} {words}"
    return ", ".join(ill) or "all well"


def _incidents(incidents: Incidents) -> Verdict:
    if incidents.missing:
        return Verdict("Incidents", "unknown", Level.QUIET, "incidents")
    if not incidents.open:
        return Verdict("Incidents", "none open", Level.GOOD, "incidents")
    level = worst(incident_level(incident.severity) for incident in incidents.open)
    return Verdict("Incidents", f"{len(incidents.open)} open", level, "incidents")
