"""The venue's answers, path by path, as a client gets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.protocol import Answer, EventStream, Request
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from tests.clocks import ManualClock

NOON_MS = 1_796_040_000_000
NOBODY = "0x" + "0" * 40

Document = dict[str, Any]
Ask = Callable[..., Document]


@pytest.fixture
def ask(venue: SimulatedVenue) -> Ask:
    """Ask for a path and get its document; the status must be 200."""

    def ask_for(path: str, **query: str) -> Document:
        answer = venue.answer(Request(method="GET", path=path, query=tuple(query.items())))
        assert isinstance(answer, Answer)
        assert answer.status == 200
        document: Document = json.loads(answer.body)
        return document

    return ask_for


def wallet(venue: SimulatedVenue, address: str) -> Document:
    """The snapshot that a wallet's stream opens with."""
    stream = venue.answer(Request(method="GET", path="/state/user/live", query=(("wallet", address),)))
    assert isinstance(stream, EventStream)
    liveness, snapshot, rest = stream.opening.decode().split("\n\n")
    assert liveness == 'event: liveness\ndata: {"heartbeatIntervalMs":10000}'
    assert snapshot.startswith("event: wallet\ndata: {")
    assert rest == ""
    assert stream.heartbeat() == b"event: heartbeat\ndata: null\n\n"
    document: Document = json.loads(snapshot.removeprefix("event: wallet\ndata: "))
    return document


def leaders(ask: Ask, **changed: str) -> Document:
    """A page of the leaderboard."""
    wanted = {
        "page": "0",
        "pageSize": "200",
        "sortDir": "desc",
        "sortKey": "currentOpenNotional",
        "window": "all",
    }
    return ask("/state/leaderboard/accounts", **(wanted | changed))


def test_the_summary_agrees_with_the_last_point_of_every_history(ask: Ask) -> None:
    summary = ask("/query/protocol/summary")
    for interval in ("1m", "1h", "1d"):
        history = ask("/query/protocol/history", interval=interval)
        last = {name: column[-1] for name, column in history["columns"].items()}
        assert last["tvl"] == int(summary["balances"]["tvl"]) / 10**18
        assert last["volume"] == int(summary["activity"]["volume"]) / 10**18
        assert last["paperSupply"] == int(summary["paper"]["supply"]) / 10**18
        assert last["paperStaked"] == int(summary["paper"]["staked"]) / 10**18
        assert last["volume"] == pytest.approx(last["volumeBtc"] + last["volumeEth"])
        assert history["totals"]["tvlRaw"] == summary["balances"]["tvl"]
        assert history["totals"]["volumeRaw"] == summary["activity"]["volume"]
        assert int(history["totals"]["usersRaw"]) == last["users"]
        assert int(history["totals"]["tradesRaw"]) == last["trades"]
        assert int(history["totals"]["liquidationRaw"]) / 10**18 == last["liquidation"]
        assert int(history["totals"]["rewardsRaw"]) / 10**18 == last["stakingRewards"]
        assert history["source"]["asOfMs"] == summary["source"]["at"] == NOON_MS
        house = ask("/query/house/history", interval=interval)
        assert house["columns"]["lp"][-1] == int(summary["balances"]["lp"]) / 10**18


@pytest.mark.parametrize(("interval", "points", "width"), [("1m", 1_440, 60_000), ("1h", 168, 3_600_000)])
def test_histories_hold_the_venues_retention_up_to_the_open_bucket(
    ask: Ask, interval: str, points: int, width: int
) -> None:
    history = ask("/query/protocol/history", interval=interval)
    house = ask("/query/house/history", interval=interval)
    first = NOON_MS - (points - 1) * width
    assert {len(column) for column in history["columns"].values()} == {points}
    assert {len(column) for column in house["columns"].values()} == {points}
    assert (history["startMs"], history["intervalMs"]) == (first, width)
    assert (house["baseTimeMs"], house["intervalMs"]) == (first, width)
    assert house["timeOffsetsMs"] == [index * width for index in range(points)]


def test_days_go_back_to_genesis(ask: Ask) -> None:
    genesis = ask("/query/protocol/summary")["source"]["genesis"]
    history = ask("/query/protocol/history", interval="1d")
    assert genesis == 1_791_326_520_000
    assert history["startMs"] == 1_791_244_800_000
    assert len(history["columns"]["tvl"]) == 56


def test_the_house_book_the_leaderboard_and_the_map_hold_the_same_notional(ask: Ask) -> None:
    columns = ask("/query/house/history", interval="1m")["columns"]
    pages = leaders(ask)["pageInfo"]["totalPages"]
    rows = [row for page in range(pages) for row in leaders(ask, page=str(page))["accounts"]]
    book = [columns[name][-1] for name in ("bl", "bs", "el", "es")]
    assert sum(int(row["currentOpenNotional"]) for row in rows) / 10**18 == pytest.approx(sum(book))
    maps = [ask("/state/liquidation-map", instrumentId=str(number))["buckets"] for number in (0, 1)]
    by_map = [
        sum(int(bucket[side]) for bucket in buckets)
        for buckets in maps
        for side in ("longNotional", "shortNotional")
    ]
    assert [notional / 10**18 for notional in by_map] == book
    summary = ask("/query/protocol/summary")
    assert sum(row["currentOpenPositionCount"] for row in rows) == summary["activity"]["open"]
    counts = [bucket[side] for buckets in maps for bucket in buckets for side in ("longCount", "shortCount")]
    assert sum(counts) == summary["activity"]["open"]


def test_every_wallets_stream_agrees_with_its_leaderboard_row_and_the_margins_with_the_summary(
    venue: SimulatedVenue, ask: Ask
) -> None:
    rows = [row for row in leaders(ask)["accounts"] if row["currentOpenPositionCount"]]
    assert len(rows) < 200
    margin = 0
    for row in rows:
        state = wallet(venue, row["address"])
        positions = state["openPositions"]
        assert state["address"] == row["address"]
        assert state["balance"] == row["currentBalance"]
        assert state["lifetime"]["realizedPnlRaw"] == row["realizedPnl"]
        assert state["lifetime"]["tradedNotionalRaw"] == row["totalVolume"]
        assert len(positions) == row["currentOpenPositionCount"]
        assert sum(int(each[5]) * each[6] for each in positions) == int(row["currentOpenNotional"])
        assert sum(int(each[5]) for each in positions) == int(state["locked"])
        assert int(state["balance"]) - int(state["locked"]) == int(state["funds"]["availableBalance"])
        assert int(state["paper"]["balance"]) + int(state["paper"]["staked"]) == int(row["paperTotal"])
        assert [int(each[0]) for each in positions] == sorted(
            (int(each[0]) for each in positions), reverse=True
        )
        margin += int(state["locked"])
    assert margin == int(ask("/query/protocol/summary")["balances"]["margin"])


def test_an_unknown_wallet_is_an_empty_one(venue: SimulatedVenue) -> None:
    state = wallet(venue, NOBODY)
    assert (state["balance"], state["locked"], state["queued"], state["openPositions"]) == ("0", "0", "0", [])
    assert set(state["lifetime"].values()) == {"0"}


def test_open_interest_in_the_trading_state_is_in_coins_at_entry(world: World, ask: Ask) -> None:
    state = ask("/state/trading")
    assert state["schemaVersion"] == 1
    for row, mid, column in zip(state["instruments"], world.prices.mids, ("bl", "el"), strict=True):
        assert len(row) == 23
        notional = ask("/query/house/history", interval="1m")["columns"][column][-1]
        assert int(row[19]) / 10**18 * mid / int(row[3]) == pytest.approx(notional, rel=0.2)


def test_market_volume_is_that_of_the_last_day(ask: Ask) -> None:
    markets = ask("/query/protocol/market-stats")["markets"]
    history = ask("/query/protocol/history", interval="1m")["columns"]
    for number, column in (("0", "volumeBtc"), ("1", "volumeEth")):
        by_history = history[column][-1] - history[column][0]
        assert int(markets[number]["volume_24h"]) / 10**18 == pytest.approx(by_history, rel=0.01)
    assert set(markets) == {"0", "1"}


def test_the_queue_is_told_with_its_front_and_its_largest(world: World, ask: Ask) -> None:
    assert ask("/query/protocol/queue-summary")["front"] is None
    world.exchange.house.lp = 0
    accounts = list(world.exchange.ledger.accounts.values())
    world.exchange.house.pay_win(accounts[3], 5 * 10**18, fee=0)
    world.exchange.house.pay_win(accounts[4], 9 * 10**18, fee=0)
    queue = ask("/query/protocol/queue-summary")
    assert (queue["total"], queue["count"]) == (str(14 * 10**18), 2)
    assert queue["front"] == {"wallet": accounts[3].address, "owed": str(5 * 10**18)}
    assert queue["largest"] == {"wallet": accounts[4].address, "owed": str(9 * 10**18)}
    summary = ask("/query/protocol/summary")
    assert summary["balances"]["queue"] == queue["total"]
    assert summary["paper"]["trackedLp"] == str(-14 * 10**18)


def test_recent_trades_come_newest_first(venue: SimulatedVenue, clock: ManualClock, ask: Ask) -> None:
    clock.advance(3_600)
    trades = ask("/query/protocol/trades/recent")
    sequence = [int(event["seq"]) for event in trades["events"]]
    assert sequence == sorted(set(sequence), reverse=True)
    assert trades["count"] == len(trades["events"]) == 50
    for event in trades["events"]:
        opens = event["kind"] == "open"
        assert (event["exit"] is None, event["pnlUsd"] is None) == (opens, opens)
        assert event["instrument"] == MARKETS[event["instrumentId"]].instrument.symbol
        assert event["ts"] <= clock.ms


def test_leaderboard_totals_count_everybody(world: World, ask: Ask) -> None:
    page = leaders(ask, pageSize="25")
    accounts = world.exchange.ledger.accounts
    assert page["summary"]["uniqueAccounts"] == len(accounts)
    assert int(page["summary"]["trackedBalance"]) == sum(each.balance for each in accounts.values())
    assert page["pageInfo"] == {"page": 0, "pageSize": 25, "totalPages": -(-len(accounts) // 25)}
    assert len(page["accounts"]) == 25


@pytest.mark.parametrize("window", ["24h", "7d", "30d", "all"])
def test_best_positions_come_highest_first(ask: Ask, window: str) -> None:
    query = {"page": "0", "pageSize": "200", "sortDir": "desc", "sortKey": "pnl", "window": window}
    rows = ask("/state/leaderboard/positions", **query)["positions"]
    results = [int(row["netPnl"]) for row in rows]
    assert results == sorted(results, reverse=True)
    assert len(rows) == 50
    assert all(int(row["margin"]) * row["leverage"] == int(row["notional"]) for row in rows)
    query |= {"page": "1", "pageSize": "20"}
    second = ask("/state/leaderboard/positions", **query)
    assert [int(row["netPnl"]) for row in second["positions"]] == results[20:40]
    assert second["pageInfo"] == {"page": 1, "pageSize": 20, "totalPages": 3}


def test_the_maps_buckets_rise_in_price_on_their_grid(ask: Ask) -> None:
    for number, size in (("0", 10.0), ("1", 0.5)):
        found = ask("/state/liquidation-map", instrumentId=number)
        prices = [bucket["price"] for bucket in found["buckets"]]
        assert prices == sorted(set(prices))
        assert all(price % size == 0 for price in prices)
        assert found["bucketSize"] == size
        crossed_longs = [b for b in found["buckets"] if b["price"] > found["mark"] and b["longCount"]]
        assert crossed_longs == []


def test_the_relayer_says_that_it_works_and_is_ready(ask: Ask) -> None:
    assert ask("/relayer/health") == {"ok": True, "ready": True}


def test_time_moves_on_with_the_clock(clock: ManualClock, ask: Ask) -> None:
    clock.advance(90.5)
    summary = ask("/query/protocol/summary")
    assert summary["source"]["at"] == NOON_MS + 90_000
    assert leaders(ask)["summary"]["uniqueAccounts"] == len(
        {row["address"] for page in range(3) for row in leaders(ask, page=str(page))["accounts"]}
    )


def test_time_can_run_faster_than_the_clock(world: World, clock: ManualClock) -> None:
    venue = SimulatedVenue(world, clock=clock, speed=60.0)
    clock.advance(10)
    venue.tick()
    assert world.now_ms == NOON_MS + 600_000


def test_a_rank_follows_the_world(world: World, clock: ManualClock, ask: Ask) -> None:
    before = leaders(ask)["accounts"]
    clock.advance(3_600)
    after = leaders(ask)["accounts"]
    assert before != after
    best = max(world.exchange.ledger.accounts.values(), key=lambda account: account.open_notional)
    assert after[0]["address"] == best.address


def test_the_same_seed_gives_the_same_answers() -> None:
    request = Request(method="GET", path="/query/protocol/summary")
    one, other = (SimulatedVenue.create(seed=4, clock=ManualClock(NOON_MS)).answer(request) for _ in range(2))
    assert one == other
