"""How each upstream is, and how much of its public limit is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from papertrade_site.dashboard.level import Level
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.public_limits import PUBLIC_LIMITS
from papertrade_site.upstream.resource import Host
from papertrade_site.usage.told import Requests, Upstream

TITLES: Final = {
    Host.EXCHANGE: "Papertrade exchange",
    Host.HYPERLIQUID: "Hyperliquid",
    Host.HYPEREVM: "HyperEVM",
}
MUCH: Final = 0.8
"""The part of a public limit from which an operator should look."""

LONG_MS: Final = 10 * 60_000
"""Time after which a failure that no success has followed is no longer news: nobody has asked since."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A public limit and what the last whole minute took of it, all machines together."""

    used: int
    limit: int
    unit: str

    @property
    def share(self) -> float:
        """How much that is, up to 1 and beyond."""
        return self.used / self.limit

    @property
    def width(self) -> float:
        """The same in percent, as far as there is room."""
        return round(min(self.share, 1.0) * 100, 2)

    @property
    def level(self) -> Level:
        """Whether that is much."""
        return Level.BAD if self.share >= 1 else Level.WARN if self.share >= MUCH else Level.GOOD


@dataclass(frozen=True, slots=True)
class HostState:
    """An upstream as the dashboard shows it.

    Attributes:
        minute: requests of the last whole minute, of all sources.
        hour: the same of the last hour, by what became of them.
        by_source: the last hour's, by source.
        allowance: None for a host that publishes no limit.
    """

    title: str
    level: Level
    words: str
    upstream: Upstream
    minute: int
    hour: Requests
    by_source: tuple[Requests, ...]
    allowance: Allowance | None

    @property
    def breaker(self) -> str:
        """The breaker's state in a word."""
        return "unknown" if self.upstream.breaker is None else self.upstream.breaker.value


def host_state(upstream: Upstream, now_ms: int) -> HostState:
    """Judge a host by what is reported of it."""
    allowance = _allowance(upstream)
    level, words = max(_health(upstream, now_ms), _thrift(allowance), key=lambda judged: judged[0])
    return HostState(
        title=TITLES[upstream.host],
        level=level,
        words=words,
        upstream=upstream,
        minute=sum(requests.count for requests in upstream.minute),
        hour=_total(upstream.hour),
        by_source=upstream.hour,
        allowance=allowance,
    )


def _health(upstream: Upstream, now_ms: int) -> tuple[Level, str]:
    success_ms, error_ms = upstream.last_success_ms or 0, upstream.last_error_ms or 0
    if upstream.breaker is BreakerState.OPEN:
        return Level.BAD, "left alone after failures"
    if upstream.breaker is BreakerState.HALF_OPEN:
        return Level.WARN, "to be tried again"
    if upstream.breaker is None:
        return Level.QUIET, "not asked of late"
    if error_ms > success_ms and now_ms - error_ms < LONG_MS:
        return Level.WARN, "failed when last asked"
    return Level.GOOD, "answers"


def _thrift(allowance: Allowance | None) -> tuple[Level, str]:
    if allowance is None or allowance.level is Level.GOOD:
        return Level.GOOD, "answers"
    return allowance.level, f"{'near' if allowance.share < 1 else 'over'} its public limit"


def _allowance(upstream: Upstream) -> Allowance | None:
    limit = PUBLIC_LIMITS.get(upstream.host)
    if limit is None:
        return None
    used = limit.used({requests.source: requests.count for requests in upstream.minute})
    return Allowance(used, limit.per_minute, limit.unit)


def _total(rows: tuple[Requests, ...]) -> Requests:
    return Requests(
        source="",
        answered=sum(row.answered for row in rows),
        limited=sum(row.limited for row in rows),
        unusable=sum(row.unusable for row in rows),
    )
