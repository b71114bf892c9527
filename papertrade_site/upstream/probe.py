"""Asking every address of the configured source once, for an operator who wants to know what answers."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, Generic

from papertrade_site.clock import Clock
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, Window
from papertrade_site.upstream import exchange, hyperliquid
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.clients import open_clients
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.http import Answer
from papertrade_site.upstream.resource import Resource, Value

REQUESTS_EACH: Final = 4
"""One and its retry, and both again for a smaller page."""

SECONDS_EACH: Final = 5.0
"""The longest that one address is waited for, its retries included."""

WEEK_OF_HOURS: Final = 169


@dataclass(frozen=True, slots=True)
class Finding(Generic[Value]):
    """What asking for one resource came to.

    ``key`` is the resource's; ``answer`` is the last one, or None when no request could be made.
    Either ``problem`` says in our words what is wrong, or ``value`` is what was understood.
    """

    key: str
    answer: Answer | None
    problem: str | None = None
    value: Value | None = None


def ask(resource: Resource[Value], clock: Clock) -> Finding[Value]:
    """Ask the resource's host for it, past every cache, and try to understand the answer.

    A client of its own asks, so that no breaker and no pause after other failures stands in the way.
    """
    answers: list[Answer] = []
    value, problem = None, None
    with closing(open_clients(clock, on_answer=answers.append)) as clients:
        client = clients.want(resource).client
        try:
            body = resource.fetch(client, CallBudget(clock, requests=REQUESTS_EACH, seconds=SECONDS_EACH))
            value = resource.parse(body, clock.now_ms())
        except UpstreamError as error:
            problem = f"{error} ({error.detail})" if error.detail else str(error)
    return Finding(resource.key, answers[-1] if answers else None, problem=problem, value=value)


def documented() -> Iterable[Resource[Any]]:
    """Every documented resource of the exchange that needs nothing else to be known."""
    yield exchange.summary()
    for interval in Interval:
        yield exchange.history(interval)
        yield exchange.house_history(interval)
    yield exchange.market_stats()
    yield exchange.queue()
    yield exchange.recent_trades()
    yield exchange.relayer_health()


def of_markets(markets: Iterable[Instrument]) -> Iterable[Resource[Any]]:
    """What Hyperliquid is asked about each market."""
    for market in markets:
        yield hyperliquid.book(market.symbol)
        yield hyperliquid.candles(market.symbol, interval=Interval.HOUR, count=WEEK_OF_HOURS)


def guessed(
    markets: Iterable[Instrument], *, liquidation_map_path: str, best_positions_path: str
) -> Iterable[Resource[Any]]:
    """The resources whose paths nobody outside the venue has confirmed."""
    for window in (Window.DAY, Window.ALL):
        yield exchange.best_positions(window, best_positions_path)
    for market in markets:
        yield exchange.liquidation_map(market, liquidation_map_path)


def _assumed(number: int, symbol: str, *, price_scale: int) -> Instrument:
    """A market of which only what its addresses and their shapes depend on is filled in."""
    return Instrument(
        id=number,
        symbol=symbol,
        asset_index=0,
        price_scale=price_scale,
        active=True,
        paused=False,
        terminal=False,
        retired=False,
        close_only=False,
        frozen_bid=None,
        frozen_ask=None,
        paused_at_ms=None,
        rate_multiplier=0,
        position_multiplier=0,
        max_leverage=0,
        max_position_notional=0,
        bust_buffer=0,
        base_rate=0,
        reference_notional=0,
        long_oi=0,
        short_oi=0,
        long_cap=0,
        short_cap=0,
    )


ASSUMED_MARKETS: Final = (_assumed(0, "BTC", price_scale=10), _assumed(1, "ETH", price_scale=100))
"""What is asked about when the trading state does not tell the markets; for nothing but this probe."""
