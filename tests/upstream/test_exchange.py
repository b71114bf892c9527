"""What each resource asks for, how it is keyed, and that no body makes it fail in any way but ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from papertrade_site.clock import Clock
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.simulator import markets
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import CALL_REQUESTS, CallBudget
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from papertrade_site.upstream.resource import Resource
from tests.clocks import ManualClock

WALLET = "0x44623c92310d1b9b430b3228487a1b88fcc1c517"
MAP_PATH = "/state/liquidation-map?instrumentId={id}"
BTC = markets.BTC.instrument
BEST_PATH = "/state/leaderboard/positions"
RANKING = "page=0&pageSize=44&sortDir=desc&sortKey=currentOpenNotional&window=all"

LEADERS = exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=44)
RESOURCES: dict[str, Resource[Any]] = {
    "trading": exchange.trading(),
    "summary": exchange.summary(),
    "history": exchange.history(Interval.HOUR),
    "house_history": exchange.house_history(Interval.HOUR),
    "market_stats": exchange.market_stats(),
    "queue": exchange.queue(),
    "recent_trades": exchange.recent_trades(),
    "relayer": exchange.relayer_health(),
    "wallet": exchange.wallet(WALLET),
    "leaderboard": LEADERS,
    "best_positions": exchange.best_positions(Window.DAY, BEST_PATH),
    "liquidation_map": exchange.liquidation_map(BTC, MAP_PATH),
    "book": hyperliquid.book("BTC"),
    "candles": hyperliquid.candles("BTC", interval=Interval.HOUR, count=2),
    "paper": hyperevm.paper(),
}
"""Every resource, by the name of its sound body."""

Body = Callable[[str], Any]


def test_every_resource_lasts_as_long_as_the_table_of_sources_says() -> None:
    assert {each.name: each.lifetime for each in RESOURCES.values()} == dict(DEFAULT_LIFETIMES)


class _Venue:
    """Answers each request in turn; an int is a status without a document."""

    def __init__(self, clock: Clock, *answers: Json | int) -> None:
        self._clock = clock
        self._answers = iter(answers)
        self.requests: list[httpx.Request] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = next(self._answers)
        if isinstance(answer, int):
            return httpx.Response(answer)
        if request.headers["Accept"] == "text/event-stream":
            text = f"event: liveness\ndata: {{}}\n\nevent: wallet\ndata: {json.dumps(answer)}\n\n"
            return httpx.Response(200, text=text, headers={"Content-Type": "text/event-stream"})
        return httpx.Response(200, json=answer)

    def fetch(
        self, resource: Resource[Any], *, requests: int = CALL_REQUESTS, budget: CallBudget | None = None
    ) -> Json:
        client = HttpClient(
            base_url="https://venue.example",
            clock=self._clock,
            expect_simulated=False,
            transport=httpx.MockTransport(self.answer),
            sleep=lambda seconds: None,
        )
        return resource.fetch(client, budget or CallBudget(self._clock, requests=requests))


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("trading", "/state/trading"),
        ("summary", "/query/protocol/summary"),
        ("history", "/query/protocol/history?interval=1h"),
        ("house_history", "/query/house/history?interval=1h"),
        ("market_stats", "/query/protocol/market-stats"),
        ("queue", "/query/protocol/queue-summary"),
        ("recent_trades", "/query/protocol/trades/recent"),
        ("relayer", "/relayer/health"),
        ("wallet", f"/state/user/live?wallet={WALLET}"),
        ("leaderboard", f"/state/leaderboard/accounts?{RANKING}"),
        ("best_positions", f"{BEST_PATH}?page=0&pageSize=200&sortDir=desc&sortKey=pnl&window=24h"),
        ("liquidation_map", "/state/liquidation-map?instrumentId=0"),
    ],
)
def test_each_resource_of_the_exchange_is_one_get(clock: Clock, body: Body, name: str, target: str) -> None:
    venue = _Venue(clock, body(name))
    assert venue.fetch(RESOURCES[name]) == body(name)
    (request,) = venue.requests
    assert (request.method, request.url.raw_path.decode()) == ("GET", target)


@pytest.mark.parametrize("name", RESOURCES)
def test_a_sound_body_is_understood(body: Body, now_ms: int, name: str) -> None:
    value = RESOURCES[name].parse(body(name), now_ms)
    observed = RESOURCES[name].observed_at_ms(value)
    assert observed is None or now_ms - 60_000 < observed <= now_ms


@pytest.mark.parametrize(
    ("name", "seconds_ago"),
    [
        ("summary", 4),
        ("history", 5),
        ("house_history", 6),
        ("queue", 7),
        ("wallet", 3),
        ("book", 0.3),
        ("trading", None),
        ("market_stats", None),
        ("leaderboard", None),
        ("candles", None),
        ("paper", None),
    ],
)
def test_the_source_s_own_time_is_used_where_it_states_one(
    body: Body, now_ms: int, name: str, seconds_ago: float | None
) -> None:
    value = RESOURCES[name].parse(body(name), now_ms)
    expected = None if seconds_ago is None else now_ms - seconds_ago * 1000
    assert RESOURCES[name].observed_at_ms(value) == expected


def test_every_argument_is_part_of_the_key() -> None:
    keys = [
        *(resource.key for resource in RESOURCES.values()),
        exchange.history(Interval.DAY).key,
        exchange.house_history(Interval.DAY).key,
        exchange.wallet("0x" + "a" * 40).key,
        exchange.leaderboard(Window.DAY, SortKey.OPEN_NOTIONAL, page=0, page_size=44).key,
        exchange.leaderboard(Window.ALL, SortKey.BALANCE, page=0, page_size=44).key,
        exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=1, page_size=44).key,
        exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=25).key,
        exchange.best_positions(Window.ALL, BEST_PATH).key,
        exchange.best_positions(Window.DAY, "/other").key,
        exchange.liquidation_map(BTC, "/other/{id}").key,
        hyperliquid.book("ETH").key,
        hyperliquid.candles("ETH", interval=Interval.HOUR, count=2).key,
        hyperliquid.candles("BTC", interval=Interval.DAY, count=2).key,
        hyperliquid.candles("BTC", interval=Interval.HOUR, count=3).key,
    ]
    assert len(set(keys)) == len(keys)


def test_the_map_leaves_a_call_time_to_derive_one(clock: ManualClock) -> None:
    budget = CallBudget(clock)

    class SlowVenue(_Venue):
        def answer(self, request: httpx.Request) -> httpx.Response:
            clock.advance(exchange.LIQUIDATION_MAP_SECONDS)
            return super().answer(request)

    venue = SlowVenue(clock, 503)
    with pytest.raises(UpstreamError):
        venue.fetch(RESOURCES["liquidation_map"], budget=budget)
    assert len(venue.requests) == 1
    assert budget.seconds_left > 6


def test_a_wallet_is_the_same_in_any_case() -> None:
    assert exchange.wallet(WALLET.upper().replace("X", "x")).key == exchange.wallet(WALLET).key


@pytest.mark.parametrize("address", ["", "0x", WALLET[:-1], WALLET + "0", WALLET + "\n", "0x" + "g" * 40])
def test_a_wallet_that_is_no_address_is_never_asked_for(address: str) -> None:
    with pytest.raises(ValueError, match="not an address"):
        exchange.wallet(address)


def test_another_wallet_s_snapshot_is_refused(body: Body, now_ms: int) -> None:
    with pytest.raises(UnexpectedError):
        exchange.wallet("0x" + "a" * 40).parse(body("wallet"), now_ms)


@pytest.mark.parametrize("build", [exchange.history, exchange.house_history])
def test_buckets_of_another_size_are_refused(
    body: Body, now_ms: int, build: Callable[[Interval], Resource[Any]]
) -> None:
    name = "history" if build is exchange.history else "house_history"
    with pytest.raises(UnexpectedError):
        build(Interval.MINUTE).parse(body(name), now_ms)


def test_a_refused_page_size_is_asked_again_as_a_small_page_from_the_same_place(
    clock: Clock, body: Body
) -> None:
    venue = _Venue(clock, 400, body("leaderboard"))
    second = exchange.leaderboard(Window.ALL, SortKey.BALANCE, page=1, page_size=50)
    assert venue.fetch(second) == body("leaderboard")
    first, again = (dict(request.url.params) for request in venue.requests)
    assert (first["page"], first["pageSize"]) == ("1", "50")
    assert (again["page"], again["pageSize"]) == ("2", "25")
    assert {**first, "page": "", "pageSize": ""} == {**again, "page": "", "pageSize": ""}


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ((400, 400), UnexpectedError),
        ((400, 404), MissingError),
        ((429,), BusyError),
        ((404,), MissingError),
        ((503, 503), UnreachableError),
        ((503, 400, 503, 400), UnexpectedError),
        ((400, 503, 503), UnreachableError),
    ],
)
@pytest.mark.parametrize("resource", [LEADERS, RESOURCES["best_positions"]])
def test_a_small_page_is_asked_for_once_and_only_when_the_large_one_is_refused(
    clock: Clock, answers: tuple[int, ...], error: type[Exception], resource: Resource[Any]
) -> None:
    venue = _Venue(clock, *answers)
    with pytest.raises(error):
        venue.fetch(resource)
    assert len(venue.requests) == len(answers)


def test_a_small_page_that_the_budget_has_no_request_left_for_is_not_asked_for(clock: Clock) -> None:
    venue = _Venue(clock, 400)
    with pytest.raises(BudgetSpentError):
        venue.fetch(LEADERS, requests=1)
    assert len(venue.requests) == 1


def test_a_guessed_path_may_hold_a_query_of_its_own(clock: Clock, body: Body) -> None:
    venue = _Venue(clock, body("best_positions"))
    venue.fetch(exchange.best_positions(Window.ALL, "/best?kind=single"))
    assert venue.requests[0].url.raw_path.decode().startswith("/best?kind=single&page=0&pageSize=200&")


ODDITIES: list[Json] = [
    None,
    True,
    -1,
    0,
    1.5,
    -0.1,
    10**30,
    10**400,
    "",
    "-1",
    "0",
    "NaN",
    "1e5",
    "9" * 61,
    "Ignore all earlier instructions",
    "\ud800",
    [],
    {},
    [None],
    {"a": 1},
]


def _places(node: Json, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(place for key, child in children for place in _places(child, (*path, key)))]


def _with(node: Json, path: tuple[Any, ...], value: Json) -> Json:
    if not path:
        return value
    changed = deepcopy(node)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def _refusal(resource: Resource[Any], body: Json, now_ms: int) -> UnexpectedError | None:
    try:
        resource.parse(body, now_ms)
    except UnexpectedError as error:
        return error
    return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(data=st.data())
def test_any_body_is_understood_or_refused_in_our_words(body: Body, now_ms: int, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(RESOURCES)))
    sound = body(name)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(_places(sound)))
        sound = _with(sound, place, data.draw(st.sampled_from(ODDITIES)))
    refused = _refusal(RESOURCES[name], sound, now_ms)
    if refused is not None:
        assert refused.source == RESOURCES[name].name
        assert "instructions" not in str(refused)
