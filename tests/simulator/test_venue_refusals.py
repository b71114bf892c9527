"""Requests that the venue refuses."""

from __future__ import annotations

import json

import pytest

from papertrade_site.simulator.protocol import Answer, Request
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from tests.clocks import ManualClock

NOON_MS = 1_796_040_000_000
NOBODY = "0x" + "0" * 40


@pytest.fixture(scope="module")
def resting() -> SimulatedVenue:
    """A venue that stays at noon, for requests that change nothing."""
    return SimulatedVenue(World.create(seed=11, now_ms=NOON_MS, traders=40), clock=ManualClock(NOON_MS))


def status(venue: SimulatedVenue, path: str, *query: tuple[str, str], method: str = "GET") -> int:
    """The status of an answer; an error must carry a sentence."""
    answer = venue.answer(Request(method=method, path=path, query=query))
    assert isinstance(answer, Answer)
    document = json.loads(answer.body)
    assert answer.status == 200 or (document["ok"] is False and document["error"])
    return answer.status


@pytest.mark.parametrize(
    "query",
    [
        (),
        (("wallet", ""),),
        (("wallet", "0x12"),),
        (("wallet", "0x" + "A" * 40),),
        (("wallet", "0x" + "1" * 41),),
        (("wallet", "0x" + "1" * 40 + "\n"),),
        (("wallet", NOBODY), ("wallet", NOBODY)),
    ],
)
def test_a_wallet_that_is_none_is_refused(
    resting: SimulatedVenue, query: tuple[tuple[str, str], ...]
) -> None:
    assert status(resting, "/state/user/live", *query) == 400


@pytest.mark.parametrize(
    "query",
    [
        "pageSize=25&page=0",
        "page=0&page=0",
        "page=0&pageSize=201",
        "page=0&pageSize=0",
        "page=-1&pageSize=25",
        "page=x",
        "sortDir=up",
        "sortDir=asc",
        "sortKey=luck",
        "window=1h",
        "limit=5",
        "page=0&pageSize=25&sortDir=desc&window=all&sortKey=totalVolume",
    ],
)
@pytest.mark.parametrize("path", ["/state/leaderboard/accounts", "/state/leaderboard/positions"])
def test_a_bad_ranking_query_is_refused(resting: SimulatedVenue, path: str, query: str) -> None:
    pairs = tuple((pair.split("=")[0], pair.split("=")[1]) for pair in query.split("&"))
    assert status(resting, path, *pairs) == 400


@pytest.mark.parametrize("query", [(), (("instrumentId", "2"),), (("instrumentId", "BTC"),)])
def test_a_map_of_no_market_is_refused(resting: SimulatedVenue, query: tuple[tuple[str, str], ...]) -> None:
    assert status(resting, "/state/liquidation-map", *query) == 400


@pytest.mark.parametrize("path", ["/query/protocol/history", "/query/house/history"])
@pytest.mark.parametrize("query", [(), (("interval", "5m"),), (("interval", "1h"), ("interval", "1h"))])
def test_a_history_of_no_interval_is_refused(
    resting: SimulatedVenue, path: str, query: tuple[tuple[str, str], ...]
) -> None:
    assert status(resting, path, *query) == 400


@pytest.mark.parametrize(
    "path", ["/", "/state", "/state/trading/", "/intents", "/query/health", "/query/protocol/Summary"]
)
def test_any_other_path_is_not_found(resting: SimulatedVenue, path: str) -> None:
    assert status(resting, path) == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/state/trading"), ("DELETE", "/state/user/live"), ("GET", "/info"), ("GET", "/evm")],
)
def test_the_wrong_method_is_refused(resting: SimulatedVenue, method: str, path: str) -> None:
    assert status(resting, path, method=method) == 405


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("path", ["/info", "/evm"])
def test_a_body_that_is_no_json_is_refused(resting: SimulatedVenue, path: str, body: bytes) -> None:
    answer = resting.answer(Request(method="POST", path=path, body=body))
    assert isinstance(answer, Answer)
    assert answer.status == 400
