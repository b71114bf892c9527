"""What Hyperliquid is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from papertrade_site.clock import Clock
from papertrade_site.market.vocabulary import Interval
from papertrade_site.strict_json import Json
from papertrade_site.upstream import hyperliquid
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Resource
from tests.clocks import ManualClock

Asked = Callable[[Resource[Any]], Json]


@pytest.fixture
def asked(clock: Clock) -> Iterator[Asked]:
    """Fetch a resource and return the body of the request that it made."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json=[])

    client = HttpClient(
        base_url="https://book.example",
        clock=clock,
        expect_simulated=False,
        transport=httpx.MockTransport(answer),
    )

    def ask(resource: Resource[Any]) -> Json:
        assert resource.fetch(client, CallBudget(clock)) == []
        (request,) = seen
        assert (request.method, request.url.path) == ("POST", "/info")
        return json.loads(request.content)

    yield ask
    client.close()


def test_a_book_is_asked_for_by_coin(asked: Asked) -> None:
    assert asked(hyperliquid.book("ETH")) == {"type": "l2Book", "coin": "ETH"}


def test_candles_are_asked_for_from_the_start_of_a_bucket_up_to_now(
    asked: Asked, now_ms: int, clock: ManualClock
) -> None:
    clock.advance(1800)
    request = asked(hyperliquid.candles("BTC", interval=Interval.HOUR, count=169))
    assert request == {
        "type": "candleSnapshot",
        "req": {
            "coin": "BTC",
            "interval": "1h",
            "startTime": now_ms - 168 * Interval.HOUR.width_ms,
            "endTime": now_ms + 1_800_000,
        },
    }
