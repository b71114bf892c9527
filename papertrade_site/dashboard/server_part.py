"""The part of the dashboard that is about one server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from papertrade_site.dashboard.charts.calls import CallsChart, calls_chart
from papertrade_site.dashboard.charts.latency import LatencyChart, latency_chart
from papertrade_site.dashboard.level import Level
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.limits.networks import NetworkRule
from papertrade_site.limits.policy import ServerLimits
from papertrade_site.mcp.server import Server
from papertrade_site.usage import report
from papertrade_site.usage.periods import Period
from papertrade_site.usage.told import ClientUsage, LimitedClient, ServerUsage, ToolUsage

MOST_CLIENTS: Final = 8
MOST_LIMITED: Final = 8

MANY_ERRORS: Final = 0.05
"""The part of calls from which an operator should look at what fails."""

MOSTLY_ERRORS: Final = 0.25
FEW_CALLS: Final = 20
"""Below so many calls a share of them says little."""


def errors_level(errors: int, calls: int) -> Level:
    """Whether many of some calls fail."""
    if calls < FEW_CALLS or errors < calls * MANY_ERRORS:
        return Level.GOOD
    return Level.BAD if errors >= calls * MOSTLY_ERRORS else Level.WARN


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool's calls; ``width`` compares them with the most called tool's, in percent."""

    usage: ToolUsage
    width: float

    @property
    def errors_level(self) -> Level:
        """Whether many of them fail."""
        return errors_level(self.usage.errors, self.usage.calls)


@dataclass(frozen=True, slots=True)
class ClientRow:
    """A client's messages; ``width`` compares them with the busiest client's, in percent."""

    usage: ClientUsage
    width: float


@dataclass(frozen=True, slots=True)
class ServerPart:
    """All that is shown of one server.

    Attributes:
        clients_since_ms: from when clients are counted.
        switched_off: each tool that is off, and why.
        blocked: the networks that are blocked here now.
        limited: every client that was limited in the last minutes.
        uncalled: tools that nobody called.
    """

    server: Server
    limits: ServerLimits
    total: ServerUsage
    calls: CallsChart
    latency: LatencyChart
    tools: tuple[ToolRow, ...]
    uncalled: tuple[str, ...]
    switched_off: tuple[tuple[str, str], ...]
    blocked: tuple[NetworkRule, ...]
    clients: tuple[ClientRow, ...]
    clients_since_ms: int
    limited: tuple[LimitedClient, ...]
    missing: tuple[str, ...]

    @property
    def more_limited(self) -> int:
        """How many limited clients there is no room for."""
        return len(self.limited) - len(self.shown_limited)

    @property
    def shown_limited(self) -> tuple[LimitedClient, ...]:
        """Those that there is room for, the newest first."""
        return self.limited[:MOST_LIMITED]

    @property
    def turned_away(self) -> int:
        """Messages that were refused, those that the operator lets not through among them."""
        return self.total.refused + self.total.blocked

    @property
    def error_share(self) -> float | None:
        """The part of calls that were answered with an error; None without any call."""
        return self.total.errors / self.total.calls if self.total.calls else None

    @property
    def errors_level(self) -> Level:
        """Whether many calls fail."""
        return errors_level(self.total.errors, self.total.calls)

    @property
    def level(self) -> Level:
        """How the server is as a whole."""
        if not self.limits.is_on:
            return Level.BAD
        return max(self.errors_level, Level.WARN if self.switched_off else Level.GOOD)


def server_part(server: Server, period: Period) -> ServerPart:
    """Read what there is of a server; what cannot be read is in ``missing``."""
    usage = report.usage(server.slug, period)
    clients = report.top_clients(server.slug, period, MOST_CLIENTS)
    limited = report.limited_now(server.slug, period)
    off = {tool: reason for (slug, tool), reason in policy().switched_off.items() if slug == server.slug}
    now_ms = report.clock.now_ms()
    blocked = [
        rule for rule in policy().networks.rules if rule.is_blocked and rule.holds_for(server.slug, now_ms)
    ]
    called = {row.tool for row in usage.tools.rows}
    return ServerPart(
        server=server,
        limits=limits_for(server.slug),
        total=usage.total,
        calls=calls_chart(usage.series, period),
        latency=latency_chart(usage.series, period),
        tools=_tool_rows(usage.tools.rows),
        uncalled=tuple(tool.name for tool in server.tools if tool.name not in called),
        switched_off=tuple(sorted(off.items())),
        blocked=tuple(blocked),
        clients=_client_rows(clients.rows),
        clients_since_ms=clients.since_ms,
        limited=limited.rows,
        missing=(*usage.total.missing, *clients.missing, *limited.missing),
    )


def _tool_rows(rows: Sequence[ToolUsage]) -> tuple[ToolRow, ...]:
    most = max((row.calls for row in rows), default=0)
    ranked = sorted(rows, key=lambda row: (-row.calls, row.tool))
    return tuple(ToolRow(row, _width(row.calls, most)) for row in ranked)


def _client_rows(rows: Sequence[ClientUsage]) -> tuple[ClientRow, ...]:
    most = max((row.messages for row in rows), default=0)
    return tuple(ClientRow(row, _width(row.messages, most)) for row in rows)


def _width(count: int, most: int) -> float:
    return round(count * 100 / most, 2) if most else 0.0
