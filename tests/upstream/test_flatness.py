"""Upstream requests in a minute do not grow with the calls, whatever tools are called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any, Final

import httpx
import pytest

from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.servers import SERVERS
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream import quota
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from tests.clients.official import CALLS
from tests.simulated_calls import simulated_calls
from tests.simulated_clients import SimulatedTransport

MINUTE_S: Final = 60
FEW, MANY = 10, 1_000
"""Calls a second."""

BLOCK_S: Final = 2

WALLET: Final = "0x" + "ab" * 20

MADE_UP: Final = f"wallet=0x{'0' * 20}"
BOOKS: Final = (("/info", "l2Book BTC"), ("/info", "l2Book ETH"))
MOST_BOOKS: Final = MINUTE_S / DEFAULT_LIFETIMES["hyperliquid.book"].fresh_s

Asked = Counter[tuple[str, str]]

pytestmark = pytest.mark.slow


class _NamingTransport(SimulatedTransport):
    """Remembers what was asked for: by path, and by what tells resources at one path apart."""

    def __init__(self, venue: SimulatedVenue) -> None:
        super().__init__(venue)
        self.asked: Asked = Counter()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.read() or b"{}")
        kind = str(request.url.params)
        if request.url.path == "/info":
            kind = f"{body['type']} {body.get('coin') or body['req']['coin']}"
        self.asked[request.url.path, kind] += 1
        return super().handle_request(request)


def _varied_calls() -> list[tuple[str, dict[str, Any]]]:
    """Twenty calls of all tools, as arguments make them read different things."""
    calls = [(server, call.of(WALLET)) for server in CALLS for call in CALLS[server] if not call.refused]
    windows = [
        {"window": window, "sort": "totalVolume", "limit": 50} for window in ("24h", "7d", "30d", "all")
    ]
    calls += [("analytics", {"name": "get_top_traders", "arguments": each}) for each in windows]
    calls += [
        ("analytics", {"name": "get_history", "arguments": {"metric": "tvl", "interval": "1d"}}),
        ("analytics", {"name": "get_position_insights", "arguments": {"window": "7d"}}),
        ("liquidations", {"name": "get_bust_map", "arguments": {"market": "ETH"}}),
    ]
    assert {call["name"] for _, call in calls} == {
        name for server in SERVERS.values() for name in server.tools_by_name
    }
    return calls


class _Minute:
    """A minute of calls, so many a second, in a random order; every two seconds have each alike often.

    Attributes:
        asked: the requests that it has cost.
        busy: how many calls were told that wallets are used up.
    """

    def __init__(self, per_second: int, *, wallets: Callable[[], str] = lambda: WALLET) -> None:
        self.asked: Asked = Counter()
        self.busy = 0
        order, kinds = Random(8), _varied_calls()
        dispatchers = {slug: Dispatcher(server) for slug, server in SERVERS.items()}
        with simulated_calls(transport=_NamingTransport) as venue, venue.read_by_tools():
            for _ in range(MINUTE_S // BLOCK_S):
                block = kinds * (per_second * BLOCK_S // len(kinds))
                order.shuffle(block)
                for server, call in block:
                    params = _with_wallet(call, wallets)
                    message = dispatchers[server].answer(Call(1, "tools/call", params))
                    assert message is not None
                    self.busy += quota.SPENT.encode() in message
                    venue.clock.advance(1 / per_second)
            assert isinstance(venue.transport, _NamingTransport)
            self.asked += venue.transport.asked


def _with_wallet(call: dict[str, Any], wallets: Callable[[], str]) -> dict[str, Any]:
    if call["name"] != "get_wallet_distance_to_bust":
        return call
    return {**call, "arguments": {"wallet": wallets()}}


@pytest.fixture(scope="module")
def few() -> _Minute:
    return _Minute(FEW)


def test_1000_calls_a_second_cost_the_sources_what_10_cost_them(few: _Minute) -> None:
    many = _Minute(MANY)
    assert many.asked.keys() == few.asked.keys()
    assert _apart(many.asked, few.asked) == []
    for key in BOOKS:
        assert few.asked[key] <= many.asked[key] <= MOST_BOOKS
    assert many.asked.total() <= 1.1 * few.asked.total()


def test_ever_new_wallets_cost_their_quota_and_nothing_else_more_than_before(few: _Minute) -> None:
    numbers = count(1)
    new = _Minute(200, wallets=lambda: f"0x{next(numbers):040x}")
    wallets = {key: asked for key, asked in new.asked.items() if key[1].startswith(MADE_UP)}
    assert len(wallets) == sum(wallets.values()) == quota.DEFAULT_PER_MINUTE
    assert new.busy == next(numbers) - 1 - quota.DEFAULT_PER_MINUTE > 0
    others = Counter({key: asked for key, asked in new.asked.items() if key not in wallets})
    before = Counter({key: asked for key, asked in few.asked.items() if WALLET not in key[1]})
    assert others.keys() == before.keys()
    assert _apart(others, before) == []


def _apart(one: Asked, other: Asked) -> list[tuple[str, str]]:
    """What was asked for oftener in one minute than in the other, by more than one refresh.

    Books are left out: they are due so soon that few calls leave them lie for a moment.
    """
    return [key for key in one | other if key not in BOOKS and abs(one[key] - other[key]) > 1]
