"""Calling tools as the kernel does, over sources that a test fills or over the embedded exchange."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch
from uuid import uuid4

import jsonschema_rs
from django.core.cache.backends.locmem import LocMemCache

from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import HOUR_MS, Interval, SortKey, Window
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.ahead import Ahead
from papertrade_site.upstream.budget import CALL_REQUESTS, CALL_SECONDS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.errors import UnreachableError, UpstreamError
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Resource
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.simulated_clients import SimulatedTransport, simulated_clients

NOW_MS = 1_796_040_000_000
"""2026-11-30 12:00:00 UTC, when the recorded bodies were sound."""

MAX_LEVERAGE = 14
BUST_BUFFER = 16

MARKETS = {"BTC": ("83065.0", "83066.1"), "ETH": ("2512.15", "2512.15")}
"""Best bid and ask; the midpoints are 83,065.5 and 2,512.15."""


@cache
def _bodies() -> dict[str, Any]:
    path = Path(__file__).parent / "upstream" / "bodies.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


def body(name: str) -> Any:  # noqa: ANN401
    """A fresh, sound body of a source."""
    return deepcopy(_bodies()[name])


def unreachable(source: str) -> UpstreamError:
    """What is raised for a source that is down and told when to be asked again."""
    return UnreachableError(f"{source} cannot be reached now.", source=source, retry_after_s=7)


def book(symbol: str, bid: str, ask: str) -> Any:  # noqa: ANN401
    """An order book of one level a side."""
    levels = [[{"px": price, "sz": "1", "n": 1}] for price in (bid, ask)]
    return {"coin": symbol, "time": NOW_MS, "levels": levels}


def hourly_candles(symbol: str, closes: list[str]) -> list[Any]:
    """Hourly candles that end with the hour under way, oldest first."""
    first_ms = NOW_MS - (len(closes) - 1) * HOUR_MS
    return [
        {
            "t": first_ms + place * HOUR_MS,
            "T": first_ms + (place + 1) * HOUR_MS - 1,
            "s": symbol,
            "i": "1h",
            **dict.fromkeys("ohlc", close),
        }
        for place, close in enumerate(closes)
    ]


def position_row(number: int, *, market: int = 0, is_long: bool = True, **changed: Any) -> list[Any]:  # noqa: ANN401
    """An open position in the venue's order of places: $100 at 100x from 83,065.5 unless changed."""
    row = {
        "entry": "830655",
        "margin": str(100 * WAD),
        "leverage": 100,
        "bust": "822740" if is_long else "838530",
        "opened": NOW_MS - 60_000,
        **changed,
    }
    places = (row[name] for name in ("entry", "margin", "leverage", "bust", "opened"))
    return [str(number), market, is_long, False, *places, None]


def address(number: int) -> str:
    """The address of a wallet that tests know by number."""
    return f"0x{number:040x}"


class _FilledSources(Sources):
    """Sources whose resources are what a test put there."""

    def __init__(self, venue: FilledVenue) -> None:
        super().__init__(
            clients=cast("Clients", None),
            reader=cast("CachedReader", None),
            budget=CallBudget(venue.clock),
            clock=venue.clock,
        )
        self._venue = venue

    def prefetch(self, *resources: Resource[Any]) -> None:
        for resource in resources:
            if resource.key not in self._outcomes:
                self._venue.asked.append(resource.name)
                self._outcomes[resource.key] = self._venue.read(resource)


class FilledVenue:
    """A venue whose every answer is sound until a test changes it."""

    def __init__(self) -> None:
        self.clock = ManualClock(NOW_MS)
        self.asked: list[str] = []
        self._bodies: dict[str, Any] = {}
        self._errors: dict[str, UpstreamError] = {}
        for name in ("trading", "market_stats", "house_history", "queue", "paper"):
            self.put(NAMED[name], body(name))
        for symbol, (bid, ask) in MARKETS.items():
            self.put(hyperliquid.book(symbol), book(symbol, bid, ask))
            self.put_closes(symbol, ["100"] * 144 + ["80"] * 24 + ["83065.5"])

    def put(self, resource: Resource[Any], document: Any) -> None:  # noqa: ANN401
        """Answer this to whoever asks for the resource."""
        self._bodies[resource.key] = document

    def put_closes(self, symbol: str, closes: list[str]) -> None:
        """Let a market have closed at these prices in the last hours, oldest first."""
        self.put(_candles(symbol), hourly_candles(symbol, closes))

    def put_tracked(self, *wallets: Sequence[Any]) -> None:
        """Let the leaderboard list wallets ``address(1)``, ``address(2)`` and so on with these positions."""
        addresses = [address(place) for place in range(1, len(wallets) + 1)]
        for owner, rows in zip(addresses, wallets, strict=True):
            self.put(
                exchange.wallet(owner), {**body("wallet"), "address": owner, "openPositions": list(rows)}
            )
        self.put_leaderboard(addresses[:25], addresses[25:50])

    def put_leaderboard(self, *pages: Sequence[str]) -> None:
        """Let the leaderboard of open notional list these addresses, at 25 a page."""
        document = body("leaderboard")
        account = document["accounts"][0]
        for page, addresses in enumerate(pages):
            accounts = [{**account, "address": owner} for owner in addresses]
            info = {"page": page, "pageSize": 25, "totalPages": sum(map(bool, pages))}
            self.put(leaderboard_page(page), {**document, "accounts": accounts, "pageInfo": info})

    def put_market(self, number: int, **places: Any) -> None:  # noqa: ANN401
        """Change places of one market's row, named like ``at14``."""
        document = self._bodies[NAMED["trading"].key]
        for place, value in places.items():
            document["instruments"][number][int(place.removeprefix("at"))] = value

    def put_trading(self, **members: Any) -> None:  # noqa: ANN401
        """Change members of the trading state; None takes one away."""
        document = self._bodies[NAMED["trading"].key]
        document.update(members)
        for name in [name for name, value in members.items() if value is None]:
            del document[name]

    def fail(self, *sources: str) -> None:
        """Let every resource of these names fail from now on."""
        self._errors |= {source: unreachable(source) for source in sources}

    def fail_one(self, resource: Resource[Any]) -> None:
        """Let this resource fail from now on, and no other of its name."""
        self._errors[resource.key] = unreachable(resource.name)

    def read(self, resource: Resource[Any]) -> Reading[Any] | UpstreamError:
        """What reading a resource comes to."""
        for failing in (resource.name, resource.key):
            if failing in self._errors:
                return self._errors[failing]
        try:
            value = resource.parse(deepcopy(self._bodies[resource.key]), self.clock.ms)
        except UpstreamError as error:
            return error
        return Reading(
            name=resource.name,
            value=value,
            fetched_at_ms=self.clock.ms,
            observed_at_ms=None,
            state=State.FRESH,
        )

    def call(self, tool: Tool[Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured content of a success, which is checked against the tool's schema."""
        return self.answer(tool, arguments)[0]

    def answer(self, tool: Tool[Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The structured content of a success and the summary."""
        with self.read_by_tools():
            return _answered(tool, arguments)

    def dispatch(self, server: Server, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The whole JSON-RPC message that answers a call."""
        params = {"name": tool, "arguments": arguments}
        with self.read_by_tools():
            message = Dispatcher(server).answer(Call(1, "tools/call", params))
        assert message is not None
        return cast("dict[str, Any]", json.loads(message))

    def read_by_tools(self) -> AbstractContextManager[object]:
        """While it lasts, tools read from here."""
        return patch.object(process_sources, "for_call", lambda **_: _FilledSources(self))


def leaderboard_page(page: int) -> Resource[Any]:
    """A page of the leaderboard that ranks wallets by open notional."""
    return exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=page, page_size=25)


def _candles(symbol: str) -> Resource[Any]:
    return hyperliquid.candles(symbol, interval=Interval.HOUR, count=169)


NAMED: dict[str, Resource[Any]] = {
    "trading": exchange.trading(),
    "market_stats": exchange.market_stats(),
    "house_history": exchange.house_history(Interval.HOUR),
    "queue": exchange.queue(),
    "paper": hyperevm.paper(),
}


def _answered(tool: Tool[Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    answer = tool.answer(tool.checked(arguments))
    structured = json.loads(answer.result.model_dump_json(by_alias=True))
    jsonschema_rs.validate(tool.output_schema, structured)
    assert "\n" not in answer.summary
    return structured, answer.summary


class SimulatedCalls:
    """Tools over the embedded exchange, through the real clients and cache but no socket.

    ``transport`` is the way to the exchange; ``waiters`` is how many callers may wait on it at once.
    """

    def __init__(
        self,
        *,
        seed: int = 11,
        traders: int = 60,
        transport: type[SimulatedTransport] = SimulatedTransport,
        waiters: int = 4,
    ) -> None:
        self.clock = ManualClock(NOW_MS)
        self.world = World.create(seed=seed, now_ms=NOW_MS, traders=traders)
        self.transport = transport(SimulatedVenue(self.world, clock=self.clock))
        self._clients = simulated_clients(self.transport, self.clock)
        self._cache = LocMemCache(uuid4().hex, {})
        self._waiters = waiters
        self._reader = self._new_reader()

    @property
    def requests(self) -> int:
        """How many requests have reached the exchange."""
        return self.transport.requests

    def stored(self, resource: Resource[Any]) -> dict[str, Any]:
        """Read a resource, and give the row that is kept of it for all processes."""
        want = self._clients.want(resource)
        self._reader.read(want, CallBudget(self.clock))
        return cast("dict[str, Any]", self._cache.get(want.keys.copy_key))

    def become_another_process(self) -> None:
        """Keep of all that was read only what is in the shared cache."""
        self._reader.close()
        self._reader = self._new_reader()

    def ahead(self) -> Ahead:
        """What refreshes copies before they are due."""
        return Ahead(clients=self._clients, reader=self._reader, clock=self.clock)

    def call(self, tool: Tool[Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured content of a success, which is checked against the tool's schema."""
        with self.read_by_tools():
            return _answered(tool, arguments)[0]

    def read_by_tools(self) -> AbstractContextManager[object]:
        """While it lasts, tools read from here."""
        return patch.object(process_sources, "for_call", self._sources)

    def close(self) -> None:
        """Let threads and clients go."""
        self._reader.close()
        self._clients.close()

    def _new_reader(self) -> CachedReader:
        return CachedReader(self._cache, self.clock, waiters=self._waiters)

    def _sources(self, *, requests: int = CALL_REQUESTS, seconds: float = CALL_SECONDS) -> Sources:
        budget = CallBudget(self.clock, requests=requests, seconds=seconds)
        return Sources(clients=self._clients, reader=self._reader, budget=budget, clock=self.clock)


@contextmanager
def simulated_calls(
    *,
    seed: int = 11,
    traders: int = 60,
    transport: type[SimulatedTransport] = SimulatedTransport,
    waiters: int = 4,
) -> Iterator[SimulatedCalls]:
    """Tools over the embedded exchange, for a while."""
    calls = SimulatedCalls(seed=seed, traders=traders, transport=transport, waiters=waiters)
    try:
        yield calls
    finally:
        calls.close()
