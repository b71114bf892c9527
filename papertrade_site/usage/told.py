"""The figures of usage that people are told, as values."""

from __future__ import annotations

from dataclasses import dataclass

from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.resource import Host
from papertrade_site.usage.families import Family


@dataclass(frozen=True, slots=True)
class ServerUsage:
    """What a server did within a period.

    Attributes:
        calls: calls of tools that were answered, well or not.
        errors: those of them whose answer is an error.
        limited: messages of any kind that were turned away, as the client had used up its allowance.
        refused: messages that could not be read, or bodies.
        blocked: messages that the operator lets not through: of blocked networks, or for tools that are off.
        messages: all messages together.
        reused: calls that an earlier answer still served.
        p50_ms: milliseconds within which half of the calls were answered; None without any.
        p95_ms: those within which 95 of 100 were.
        missing: sentences about what could not be read.
    """

    calls: int
    errors: int
    limited: int
    refused: int
    blocked: int
    messages: int
    reused: int
    p50_ms: float | None
    p95_ms: float | None
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A server's figures in one slot of a period; the names are those of ``ServerUsage``."""

    start_ms: int
    calls: int
    errors: int
    limited: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """A period's slots, oldest first; the newest is still open."""

    slot_ms: int
    slots: tuple[Slot, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolUsage:
    """One tool's calls; ``tool`` is '' for calls of tools that the server does not have."""

    tool: str
    calls: int
    errors: int
    reused: int
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class ToolUsages:
    """The tools that were called within a period, by name."""

    rows: tuple[ToolUsage, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """All that is told of one server and period."""

    total: ServerUsage
    series: Series
    tools: ToolUsages


@dataclass(frozen=True, slots=True)
class ClientUsage:
    """What one client sent: the digits that stand for it, what kind of program it is, and messages."""

    client: str
    family: Family
    messages: int
    limited: int


@dataclass(frozen=True, slots=True)
class Clients:
    """The busiest clients, busiest first; clients are counted in whole hours, from ``since_ms``."""

    since_ms: int
    rows: tuple[ClientUsage, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LimitedClient:
    """A client that was turned away in the last minutes, and when it last was."""

    client: str
    family: Family
    last_ms: int


@dataclass(frozen=True, slots=True)
class LimitedClients:
    """The clients that were turned away in the last five minutes, newest first."""

    rows: tuple[LimitedClient, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceUse:
    """The reads of one source; see ``SourceCounts``."""

    source: str
    fresh: int
    stale: int
    fetched: int
    failed: int

    @property
    def reads(self) -> int:
        """All of them."""
        return self.fresh + self.stale + self.fetched + self.failed


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What became of all reads that tools made, and by source.

    Attributes:
        reused: answers of tools that were served again as they were, without a read.
    """

    fresh: int
    stale: int
    fetched: int
    failed: int
    reused: int
    rows: tuple[SourceUse, ...]
    missing: tuple[str, ...]

    @property
    def reads(self) -> int:
        """All reads, an answer that was reused counting as one."""
        return self.fresh + self.stale + self.fetched + self.failed + self.reused

    @property
    def hit_share(self) -> float | None:
        """The share of reads that did not wait for a source, 0 to 1; None without any."""
        return (self.fresh + self.stale + self.reused) / self.reads if self.reads else None

    @property
    def stale_share(self) -> float | None:
        """The share of reads that got an older copy, 0 to 1; None without any."""
        return self.stale / self.reads if self.reads else None


@dataclass(frozen=True, slots=True)
class Requests:
    """What became of requests for one source: answered, turned away as too many (429), or unusable."""

    source: str
    answered: int
    limited: int
    unusable: int

    @property
    def count(self) -> int:
        """All of them."""
        return self.answered + self.limited + self.unusable


@dataclass(frozen=True, slots=True)
class Upstream:
    """How a host is.

    Attributes:
        breaker: open when it is for any process; None when no process has asked the host of late.
        last_success_ms: when it last answered as it should, if any process has told of it within eight days.
        last_error: how it last failed within that time, in a sentence of ours.
        last_error_ms: when that was.
        minute: requests of the last whole minute, by source.
        hour: requests of the last hour.
    """

    host: Host
    breaker: BreakerState | None
    last_success_ms: int | None
    last_error: str | None
    last_error_ms: int | None
    minute: tuple[Requests, ...]
    hour: tuple[Requests, ...]


@dataclass(frozen=True, slots=True)
class Upstreams:
    """All hosts."""

    rows: tuple[Upstream, ...]
    missing: tuple[str, ...]
