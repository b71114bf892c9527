"""A venue whose answers a test fills in, and tools over it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Any, cast
from unittest.mock import patch

from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.errors import UnreachableError, UpstreamError
from papertrade_site.upstream.exchange import SMALL_PAGE
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Resource
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.tool_calls import answered
from tests.venue_bodies import MARKETS, NOW_MS, address, body, book, hourly_candles


def unreachable(source: str) -> UpstreamError:
    """What is raised for a source that is down and told when to be asked again."""
    return UnreachableError(f"{source} cannot be reached now.", source=source, retry_after_s=7)


class _FilledReader:
    """Reads what a test put there, where the service has its clients and its cache."""

    def __init__(self, venue: FilledVenue) -> None:
        self._venue = venue

    def want(self, resource: Resource[Any]) -> Resource[Any]:
        return resource

    def read_many(
        self, resources: Sequence[Resource[Any]], _: CallBudget
    ) -> list[Reading[Any] | UpstreamError]:
        outcomes = {resource.key: self._venue.read(resource) for resource in resources}
        self._venue.asked += {resource.key: resource.name for resource in resources}.values()
        return [outcomes[resource.key] for resource in resources]


class FilledVenue:
    """A venue whose every answer is sound until a test changes it."""

    def __init__(self) -> None:
        self.clock = ManualClock(NOW_MS)
        self.asked: list[str] = []
        self._bodies: dict[str, Any] = {}
        self._errors: dict[str, UpstreamError] = {}
        self._old: set[str] = set()
        for name in ("trading", "market_stats", "house_history", "queue", "paper"):
            self.put(NAMED[name], body(name))
        for symbol, (bid, ask) in MARKETS.items():
            self.put(hyperliquid.book(symbol), book(symbol, bid, ask))
            self.put_closes(symbol, ["100"] * 144 + ["80"] * 24 + ["83065.5"])

    def put(self, resource: Resource[Any], document: Any) -> None:  # noqa: ANN401
        """Answer this to whoever asks for the resource."""
        self._bodies[resource.key] = document

    def sent(self, resource: Resource[Any]) -> Any:  # noqa: ANN401
        """What is answered to whoever asks for the resource, to change in place."""
        return self._bodies[resource.key]

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
        account = body("leaderboard")["accounts"][0]
        self.put_accounts(*([{**account, "address": owner} for owner in page] for page in pages))

    def put_accounts(
        self,
        *pages: Sequence[dict[str, Any]],
        window: Window = Window.ALL,
        sort: SortKey = SortKey.OPEN_NOTIONAL,
        total_pages: int | None = None,
    ) -> None:
        """Let a leaderboard consist of these accounts, page by page, in this order, whatever it should be."""
        document, total = body("leaderboard"), total_pages or sum(map(bool, pages))
        for page, accounts in enumerate(pages):
            info = {"page": page, "pageSize": SMALL_PAGE, "totalPages": total}
            resource = exchange.leaderboard(window, sort, page=page, page_size=SMALL_PAGE)
            self.put(resource, {**document, "accounts": list(accounts), "pageInfo": info})

    def put_market(self, number: int, **places: Any) -> None:  # noqa: ANN401
        """Change places of one market's row, named like ``at14``."""
        document = self.sent(NAMED["trading"])
        for place, value in places.items():
            document["instruments"][number][int(place.removeprefix("at"))] = value

    def put_trading(self, **members: Any) -> None:  # noqa: ANN401
        """Change members of the trading state; None takes one away."""
        document = self.sent(NAMED["trading"])
        document.update(members)
        for name in [name for name, value in members.items() if value is None]:
            del document[name]

    def fail(self, *sources: str, error: UpstreamError | None = None) -> None:
        """Let every resource of these names fail from now on, as unreachable unless told otherwise."""
        self._errors |= {source: error or unreachable(source) for source in sources}

    def fail_one(self, resource: Resource[Any]) -> None:
        """Let this resource fail from now on, and no other of its name."""
        self._errors[resource.key] = unreachable(resource.name)

    def let_age(self, *sources: str) -> None:
        """Let what is read of these names be an old copy whose refresh failed, from now on."""
        self._old.update(sources)

    def recover(self) -> None:
        """Let nothing fail or be old any more."""
        self._errors.clear()
        self._old.clear()

    def read(self, resource: Resource[Any]) -> Reading[Any] | UpstreamError:
        """What reading a resource comes to."""
        for failing in (resource.name, resource.key):
            if failing in self._errors:
                return self._errors[failing]
        try:
            value = resource.parse(deepcopy(self._bodies[resource.key]), self.clock.ms)
        except UpstreamError as error:
            return error
        is_old = resource.name in self._old
        return Reading(
            name=resource.name,
            value=value,
            fetched_at_ms=self.clock.ms,
            observed_at_ms=None,
            state=State.STALE if is_old else State.FRESH,
            degraded=is_old,
            note=f"Not refreshed: {unreachable(resource.name)}" if is_old else None,
        )

    def call(self, tool: Tool[Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured content of a success, which is checked against the tool's schema."""
        return self.answer(tool, arguments)[0]

    def answer(self, tool: Tool[Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The structured content of a success and the summary."""
        with self.read_by_tools():
            return answered(tool, arguments)

    def dispatch(self, server: Server, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The whole JSON-RPC message that answers a call."""
        params = {"name": tool, "arguments": arguments}
        with self.read_by_tools():
            message = Dispatcher(server).answer(Call(1, "tools/call", params))
        assert message is not None
        return cast("dict[str, Any]", json.loads(message))

    def read_by_tools(self) -> AbstractContextManager[object]:
        """While it lasts, tools read from here."""
        return patch.object(process_sources, "for_call", lambda **_: self._sources())

    def _sources(self) -> Sources:
        reader = _FilledReader(self)
        return Sources(
            clients=cast("Clients", reader),
            reader=cast("CachedReader", reader),
            budget=CallBudget(self.clock),
            clock=self.clock,
        )


def leaderboard_page(page: int) -> Resource[Any]:
    """A page of the leaderboard that ranks wallets by open notional."""
    return exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=page, page_size=SMALL_PAGE)


def _candles(symbol: str) -> Resource[Any]:
    return hyperliquid.candles(symbol, interval=Interval.HOUR, count=169)


NAMED: dict[str, Resource[Any]] = {
    "trading": exchange.trading(),
    "market_stats": exchange.market_stats(),
    "house_history": exchange.house_history(Interval.HOUR),
    "queue": exchange.queue(),
    "paper": hyperevm.paper(),
}
