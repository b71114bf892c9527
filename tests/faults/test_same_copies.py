"""How a caller spells something, and which headers he sends, change nothing of what is read and sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.test import Client
from pytest_django import Settings

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.docs.pages import pages_of
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from tests.discovery.places import HOSTS, PLACES, SHARED_HOST
from tests.simulated_calls import SimulatedCalls, simulated_calls

WALLET: Final = "wallet of a trader"
SPELLINGS: Final[dict[str, list[dict[str, Any]]]] = {
    "get_bust_map": [
        {"market": "BTC", "bucketUsd": 10, "wallets": 5},
        {"wallets": 5.0, "market": "btc", "bucketUsd": 10.0},
        {"bucketUsd": "10", "wallets": "5", "market": " Btc ", "cascadePercent": None},
    ],
    "get_wallet_distance_to_bust": [{"wallet": WALLET}, {"wallet": WALLET.upper(), "sessionId": "7"}],
    "get_history": [
        {"metric": "tvl", "interval": "1h", "limit": 24},
        {"limit": "24", "interval": "1H", "metric": " TVL", "_meta": {}},
    ],
    "get_top_traders": [
        {"window": "7d", "limit": 5},
        {"limit": 5.0, "window": " 7D "},
    ],
    "quote_position_outcome": [
        {"symbol": "ETH", "side": "short", "marginUsd": 200, "leverage": 100, "priceMovePct": -0.5},
        {"priceMovePct": "-0.50", "leverage": 100.0, "marginUsd": 200.0, "side": "SHORT", "symbol": "eth"},
    ],
}
"""For each tool ways to ask for one and the same."""

STRANGE_HEADERS: Final[tuple[dict[str, str], ...]] = (
    {"origin": "https://evil.example"},
    {"origin": "null", "referer": "https://evil.example/"},
    {"x-forwarded-host": "evil.example", "x-forwarded-proto": "https", "forwarded": "host=evil.example"},
    {"accept-language": "de", "user-agent": "x" * 500, "cookie": "session=7; lang=de"},
    {"mcp-session-id": "7", "cache-control": "no-cache", "x-original-url": "/admin/"},
    {"host": "analytics.example"},
)


@pytest.fixture(scope="module")
def calls() -> Iterator[SimulatedCalls]:
    with simulated_calls() as calls, calls.read_by_tools():
        yield calls


def _wallet(calls: SimulatedCalls) -> str:
    return next(owner for owner, account in calls.world.exchange.ledger.accounts.items() if account.positions)


def _spelt(arguments: dict[str, Any], wallet: str) -> dict[str, Any]:
    """The arguments with a real wallet in the place of the word for one, in the word's case."""
    places = {WALLET: wallet, WALLET.upper(): f"0x{wallet[2:].upper()}"}
    return {
        name: places.get(value, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


@pytest.mark.parametrize("tool", SPELLINGS)
def test_however_arguments_are_spelt_there_is_one_read_and_one_answer(
    calls: SimulatedCalls, tool: str
) -> None:
    server = next(server for server in (LIQUIDATIONS, ANALYTICS) if tool in server.tools_by_name)
    dispatcher, wallet = Dispatcher(server), _wallet(calls)
    first, *others = (
        Call(1, "tools/call", {"name": tool, "arguments": _spelt(arguments, wallet)})
        for arguments in SPELLINGS[tool]
    )
    answer, _ = dispatcher.handle(first)
    assert answer is not None
    assert not json.loads(answer)["result"]["isError"]
    before = calls.requests
    for other in others:
        again, handled = dispatcher.handle(other)
        assert handled.reused
        assert again == answer
    assert calls.requests == before


def test_no_header_changes_what_is_sent_to_anybody(
    client: Client, calls: SimulatedCalls, settings: Settings
) -> None:
    settings.SERVER_HOSTS = HOSTS
    settings.ALLOWED_HOSTS = [SHARED_HOST, *HOSTS, "testserver"]
    params = {"name": "get_market_stats", "arguments": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    def ask(headers: dict[str, str]) -> bytes:
        path = "/mcp" if headers.get("host") in HOSTS else "/analytics/mcp"
        content: bytes = client.post(path, body, content_type="application/json", headers=headers).content
        return content

    plain = ask({})
    assert not json.loads(plain)["result"]["isError"]
    before = calls.requests
    assert [ask(headers) for headers in STRANGE_HEADERS] == [plain] * len(STRANGE_HEADERS)
    assert ask({}) == plain
    assert calls.requests == before


def test_a_page_that_was_kept_for_one_host_is_never_shown_at_another(
    client: Client, settings: Settings
) -> None:
    settings.SERVER_HOSTS = HOSTS
    settings.ALLOWED_HOSTS = [SHARED_HOST, *HOSTS]
    settings.RATELIMIT_ENABLE = False
    connect = next(page.path for page in pages_of(ANALYTICS) if page.slug == "docs/connect")
    analytics = [place for place in PLACES if place.server is ANALYTICS]

    def read(place_number: int) -> str:
        place = analytics[place_number]
        return client.get(place.prefix + connect, headers={"host": place.host}).content.decode()

    first = [read(0), read(1)]
    assert [read(1), read(0)] == first[::-1]
    for place, other, page in zip(analytics, reversed(analytics), first, strict=True):
        assert f'href="{place.base}{connect}"' in page
        assert other.base + "/mcp" not in page
