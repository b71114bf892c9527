"""The wire form agrees key by key with what was recorded from the venue."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from papertrade_site.market.vocabulary import Interval, TradeKind
from papertrade_site.simulator import query_bodies, state_bodies
from papertrade_site.simulator.wire import Json, encode
from papertrade_site.simulator.world import World

NOON_MS = 1_796_040_000_000
RECORDED = Path(__file__).parents[1] / "recorded"

Shape = dict[str, Any] | list[Any] | str


def shape(value: object) -> Shape:
    """What a document looks like: its keys, the places of its tuples, and the kind of each value."""
    match value:
        case dict():
            return {key: shape(part) for key, part in value.items()}
        case list() if value and all(type(part) in (int, float) for part in value):
            return "numbers"
        case list():
            return [shape(part) for part in value]
        case bool():
            return "flag"
        case int() | float():
            return "number"
        case str():
            if re.fullmatch("-?[0-9]+", value):
                return "digits"
            return "hex" if value.startswith("0x") else "text"
        case _:
            return "null"


def recorded_text(name: str) -> str:
    """A recorded body as it came."""
    return (RECORDED / name).read_text(encoding="utf-8")


INSTRUMENTS: list[list[Any]] = json.loads(recorded_text("instruments_2026-10-10.json"))
ROWS: dict[str, Any] = json.loads(recorded_text("wire_rows_2026-10.json"))
SHAPES = {
    "summary": shape(json.loads(recorded_text("summary_2026-10-09.json"))),
    "history": shape(json.loads(recorded_text("history_1d_2026-10-09.json"))),
    "instruments": shape(INSTRUMENTS),
    "open position": shape(ROWS["open_position_tuple_threews"]),
    "trade": shape(ROWS["recent_trade_row_rust_test"]),
    "queue": shape(ROWS["queue_summary_waiting_rust_test"]),
}


def assert_fits(ours: Shape, theirs: Shape, *, where: str) -> None:
    """Same keys and places, same kinds; null fits whatever stands on the other side."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), where
        assert ours.keys() == theirs.keys(), where
        for key, part in theirs.items():
            assert_fits(ours[key], part, where=f"{where}.{key}")
    elif isinstance(theirs, list):
        assert isinstance(ours, list), where
        assert len(ours) == len(theirs), where
        for place, part in enumerate(theirs):
            assert_fits(ours[place], part, where=f"{where}[{place}]")
    else:
        assert ours == theirs or "null" in (ours, theirs), where


def sent(document: Mapping[str, Json]) -> dict[str, Any]:
    """A document after its way over the wire."""
    received: dict[str, Any] = json.loads(encode(document))
    return received


@pytest.fixture(scope="module")
def world() -> World:
    """A world that lived for a while and has somebody in its queue."""
    world = World.create(seed=11, now_ms=NOON_MS, traders=100)
    world.advance_to(NOON_MS + 600_000)
    world.exchange.house.lp = 0
    world.exchange.house.pay_win(next(iter(world.exchange.ledger.accounts.values())), 5, fee=0)
    return world


def test_the_summary_fits(world: World) -> None:
    assert_fits(shape(sent(query_bodies.summary(world))), SHAPES["summary"], where="summary")


@pytest.mark.parametrize("interval", list(Interval))
def test_the_history_fits(world: World, interval: Interval) -> None:
    body = sent(query_bodies.protocol_history(world, interval))
    assert_fits(shape(body), SHAPES["history"], where="history")


def test_the_instruments_fit(world: World) -> None:
    body = sent(state_bodies.trading(world))
    assert_fits(shape(body["instruments"]), SHAPES["instruments"], where="instruments")


def test_open_positions_fit(world: World) -> None:
    for account in world.exchange.ledger.accounts.values():
        for row in sent(state_bodies.wallet(world, account.address))["openPositions"]:
            assert_fits(shape(row), SHAPES["open position"], where="open position")


def test_trades_of_every_kind_fit(world: World) -> None:
    events = sent(query_bodies.recent_trades(world))["events"]
    assert {TradeKind.OPEN, TradeKind.CLOSE} <= {event["kind"] for event in events}
    for event in events:
        assert_fits(shape(event), SHAPES["trade"], where="trade")


def test_the_queue_fits(world: World) -> None:
    assert_fits(shape(sent(query_bodies.queue_summary(world))), SHAPES["queue"], where="queue")


def test_the_parameters_of_both_markets_are_the_recorded_ones(world: World) -> None:
    ours = sent(state_bodies.trading(world))["instruments"]
    for row, recorded_row in zip(ours, INSTRUMENTS, strict=True):
        assert row[:19] + row[21:] == recorded_row[:19] + recorded_row[21:]
