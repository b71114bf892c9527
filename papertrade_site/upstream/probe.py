"""Asking every address of the configured source once, for an operator who wants to know what answers."""

from __future__ import annotations

from collections.abc import Iterable
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


class Prober:
    """Asks for one resource after the other, past every cache."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answer: Answer | None = None
        self._clients = open_clients(clock, on_answer=self._note)

    def close(self) -> None:
        """Close all connections."""
        self._clients.close()

    def ask(self, resource: Resource[Value]) -> Finding[Value]:
        """Ask the resource's host for it and try to understand the answer."""
        self._answer = None
        client = self._clients.want(resource).client
        try:
            body = resource.fetch(client, CallBudget(self._clock, requests=REQUESTS_EACH))
            value = resource.parse(body, self._clock.now_ms())
        except UpstreamError as error:
            return Finding(resource.key, self._answer, problem=str(error))
        return Finding(resource.key, self._answer, value=value)

    def _note(self, answer: Answer) -> None:
        self._answer = answer


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


def of_market(symbol: str) -> Iterable[Resource[Any]]:
    """What Hyperliquid is asked about a market."""
    yield hyperliquid.book(symbol)
    yield hyperliquid.candles(symbol, interval=Interval.HOUR, count=WEEK_OF_HOURS)


def guessed(
    markets: Iterable[Instrument], *, liquidation_map_path: str, best_positions_path: str
) -> Iterable[Resource[Any]]:
    """The resources whose paths nobody outside the venue has confirmed."""
    for window in (Window.DAY, Window.ALL):
        yield exchange.best_positions(window, best_positions_path)
    for market in markets:
        yield exchange.liquidation_map(market, liquidation_map_path)
