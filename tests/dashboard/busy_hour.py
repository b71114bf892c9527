"""A busy hour at the end of a busy week, as a process counts it, for tests and for looking at.

To see it on the dashboard of a running service, put it into the database and the Redis that the environment
names: ``manage.py shell -c "from tests.dashboard.busy_hour import main; main()"``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from django.test import RequestFactory

from papertrade_site.clock import SystemClock
from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS
from papertrade_site.mcp.admission import Exchange, Handled, Outcome
from papertrade_site.servers import SERVERS
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.errors import BusyError, SlowError, UpstreamError
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.tally import HostNews, Tally
from papertrade_site.usage import wire
from papertrade_site.usage.buffer import Buffer
from papertrade_site.usage.record import record
from papertrade_site.usage.rollup import Rollup
from papertrade_site.usage.store import Store, connection
from papertrade_site.usage.wire import HostState
from tests.clocks import ManualClock

HOURS: Final = 167
HOSTILE: Final = "\"><script>alert('client')</script>\x1b[31m\u202e{{ 7 }}%s"


@dataclass(frozen=True, slots=True)
class Caller:
    """A client: where it is, what it says it is, how busy it is, and how often it is limited."""

    address: str
    name: str | None
    agent: str
    share: float
    limited: float = 0.0


CALLERS: Final = (
    Caller("203.0.113.7", "claude-ai", "node", 0.34),
    Caller("203.0.113.8", "cursor-vscode", "node", 0.2, limited=0.18),
    Caller("198.51.100.9", "Visual Studio Code", "", 0.12),
    Caller("198.51.100.77", None, "python-httpx/0.28", 0.12, limited=0.55),
    Caller("2001:db8:7::1", "mcp", "python-mcp", 0.08),
    Caller("2001:db8:8::1", None, "Mozilla/5.0 (X11; Linux x86_64)", 0.05),
    Caller("198.51.100.3", "n8n", "", 0.04),
    Caller("192.0.2.66", HOSTILE, HOSTILE, 0.03),
    Caller("192.0.2.5", None, "curl/8.5", 0.02),
)
SOURCES: Final = {
    "hyperliquid.book": Host.HYPERLIQUID,
    "exchange.trading": Host.EXCHANGE,
    "exchange.summary": Host.EXCHANGE,
    "exchange.wallets": Host.EXCHANGE,
    "hyperliquid.candles": Host.HYPERLIQUID,
    "hyperevm.paper": Host.HYPEREVM,
}
TROUBLE: Final = range(22, 31)
"""Minutes of the hour in which the exchange is slow."""


class BusyHour:
    """Counts a week that ends at a time; ``clock`` stands there once it is told.

    Args:
        now_ms: the end.
        per_minute: messages of each server in an ordinary minute.
        hours: how far back it begins.
    """

    def __init__(self, now_ms: int, *, per_minute: int = 48, hours: int = HOURS) -> None:
        self.clock = ManualClock(now_ms)
        self._now_ms = now_ms
        self._per_minute = per_minute
        self._hours = hours
        self._dice = Random(7)
        self._buffer, self._tally = Buffer(self.clock), Tally(self.clock)
        self._store = Store(self.clock, self._buffer, self._tally)
        self._rollup = Rollup(self.clock)

    def tell(self) -> None:
        """Tell Redis and the database all of it."""
        hour_ms = self._now_ms - self._now_ms % HOUR_MS
        for hours_ago in range(self._hours, 1, -1):
            self.clock.ms = hour_ms - hours_ago * HOUR_MS + HOUR_MS // 2
            self._count(round(self._per_minute * 60 * self._tide()))
            self._end(is_rolled_up=True)
        for minutes_ago in range(120, -1, -1):
            self.clock.ms = self._now_ms - minutes_ago * MINUTE_MS
            self._count(self._in_minute(60 - minutes_ago), is_in_trouble=60 - minutes_ago in TROUBLE)
            self._end(is_rolled_up=minutes_ago % 10 == 2)
        self._tell_of_hosts()

    def _in_minute(self, minute: int) -> int:
        swell = 2.2 if 40 <= minute < 52 else 1.0
        return round(self._per_minute * swell * self._dice.uniform(0.7, 1.3) * self._tide())

    def _tide(self) -> float:
        """How busy the hour of the day is."""
        hour = self.clock.ms / HOUR_MS % 24
        return 0.65 + 0.35 * math.sin((hour - 9) / 24 * 2 * math.pi)

    def _count(self, messages: int, *, is_in_trouble: bool = False) -> None:
        for slug in SERVERS:
            for caller in CALLERS:
                count = round(messages * caller.share)
                handled = tuple(self._handled(slug, caller, is_in_trouble) for _ in range(count))
                self._exchange(
                    slug, caller, [each for each in handled if each.outcome is not Outcome.LIMITED]
                )
                self._exchange(slug, caller, [each for each in handled if each.outcome is Outcome.LIMITED])
        self._read(messages, is_in_trouble=is_in_trouble)

    def _exchange(self, slug: str, caller: Caller, handled: list[Handled]) -> None:
        if handled:
            request = RequestFactory().post("/mcp", REMOTE_ADDR=caller.address)
            request.META["HTTP_USER_AGENT"] = caller.agent
            exchange = Exchange(tuple(handled), handled[0].outcome, caller.name)
            record(slug, self._buffer)(request, exchange)

    def _handled(self, slug: str, caller: Caller, is_in_trouble: bool) -> Handled:
        tools = [tool.name for tool in SERVERS[slug].tools[:-1]]
        tool = self._dice.choices(tools, weights=range(len(tools), 0, -1))[0]
        if self._dice.random() < caller.limited:
            return Handled("tools/call", tool, Outcome.LIMITED, 0.0, reused=False)
        if self._dice.random() < 0.12:
            return Handled("tools/list", None, Outcome.OK, 0.0004, reused=False)
        if self._dice.random() < (0.2 if is_in_trouble else 0.012):
            return Handled("tools/call", tool, Outcome.FAILED, self._dice.uniform(0.5, 4), reused=False)
        is_reused = self._dice.random() < 0.6
        middle = math.log(0.0015 if is_reused else 0.3 if is_in_trouble else 0.09)
        return Handled(
            "tools/call", tool, Outcome.OK, self._dice.lognormvariate(middle, 0.6), reused=is_reused
        )

    def _read(self, messages: int, *, is_in_trouble: bool) -> None:
        for source, host in SOURCES.items():
            is_ill = is_in_trouble and host is Host.EXCHANGE
            self._tally.read((source, self._outcome(source, is_ill)) for _ in range(messages))
            for _ in range(2):
                slow = SlowError("exchange.wallets did not answer in time.", source=source)
                self._tally.asked(host, source, slow if is_ill and self._dice.random() < 0.6 else None)
        if self._dice.random() < 0.1:
            busy = BusyError("HyperEVM takes no further request right now.", source="hyperevm.paper")
            self._tally.asked(Host.HYPEREVM, "hyperevm.paper", busy)

    def _outcome(self, source: str, is_ill: bool) -> Reading[None] | UpstreamError:
        dice = self._dice.random()
        if is_ill and dice < 0.05:
            return SlowError("It did not answer in time.", source=source)
        state = State.STALE if dice < (0.6 if is_ill else 0.02) else State.FRESH
        return Reading(
            name=source,
            value=None,
            fetched_at_ms=self.clock.ms,
            observed_at_ms=None,
            state=state,
            is_new=dice > 0.9,
        )

    def _end(self, *, is_rolled_up: bool) -> None:
        """Let the minute end."""
        self._store.flush()
        if is_rolled_up:
            self._rollup.round(lambda: True)

    def _tell_of_hosts(self) -> None:
        """Tell how the process finds the hosts, which by itself it only knows of those that it asks."""
        news = self._tally.news()
        failed = HostNews(self._now_ms - 48_000, "The source is being left alone.", self._now_ms - 9_000)
        states = {
            Host.EXCHANGE: HostState(BreakerState.CLOSED, news[Host.EXCHANGE]),
            Host.HYPERLIQUID: HostState(BreakerState.CLOSED, news[Host.HYPERLIQUID]),
            Host.HYPEREVM: HostState(BreakerState.OPEN, failed),
        }
        minute = wire.key("minute", self._now_ms - self._now_ms % MINUTE_MS)
        connection().hset(minute, mapping=dict[Any, Any](wire.host_fields("busy", states)))
        connection().zadd(wire.key("answered"), {Host.HYPEREVM: self._now_ms - 48_000})


def main() -> None:
    """Feed a service."""
    BusyHour(SystemClock().now_ms()).tell()
