"""What is read of the trading state: switches, minimums and markets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from papertrade_site.market.instrument import Side, Status
from papertrade_site.market.scale import WAD
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.models.trading import TradingState

RECORDED = Path(__file__).parents[2] / "recorded" / "instruments_2026-10-10.json"

Read = Callable[..., TradingState]
Rows = Callable[[dict[int, Json]], TradingState]


@pytest.fixture
def read(body: Callable[[str], Any], now_ms: int) -> Read:
    """Read the sound state with some of its fields changed."""

    def with_changes(**fields: Json) -> TradingState:
        return exchange.trading().parse({**body("trading"), **fields}, now_ms)

    return with_changes


@pytest.fixture
def read_btc(body: Callable[[str], Any], now_ms: int) -> Rows:
    """Read the sound state with some places of the first market changed."""

    def with_changes(places: dict[int, Json]) -> TradingState:
        state = body("trading")
        for place, value in places.items():
            state["instruments"][0][place] = value
        return exchange.trading().parse(state, now_ms)

    return with_changes


def test_the_state_comes_out_at_scale(read: Read) -> None:
    state = read()
    assert state.minimum_margin == 10 * WAD
    assert state.minimum_open_notional == 1000 * WAD
    assert state.accumulator == 10508152974861028961272120
    assert state.win_fee_rate == 2 * WAD // 100
    assert (state.minimum_leverage, state.maximum_leverage, state.max_net_oi) == (0, 0, 0)
    assert state.intake_controls is not None
    assert state.intake_controls.paper_stake_minimum == WAD
    assert state.intake_controls.paused_actions == ()


def test_markets_keep_every_figure_in_its_place(read: Read) -> None:
    btc = read().market("BTC")
    assert btc is not None
    assert (btc.id, btc.asset_index, btc.price_scale, btc.max_leverage) == (0, 0, 10, 1000)
    assert btc.rate_multiplier == 15_000 * WAD
    assert btc.position_multiplier == 814_598 * WAD // 1000
    assert btc.max_position_notional == 10_000_000 * WAD
    assert btc.bust_buffer == 476041580087574
    assert btc.base_rate == WAD // 10
    assert btc.reference_notional == 100_000 * WAD
    assert btc.open_interest(Side.LONG) == 23590192866625362236353
    assert btc.open_interest(Side.SHORT) == 18109832138345653207981
    assert btc.cap(Side.LONG) == btc.cap(Side.SHORT) == 1207459685939735687074747
    assert btc.status(trading_paused=False) is Status.ACTIVE


def test_a_symbol_that_is_not_listed_is_none(read: Read) -> None:
    assert read().market("DOGE") is None


def test_the_recorded_markets_are_understood(read: Read) -> None:
    state = read(instruments=json.loads(RECORDED.read_text(encoding="utf-8")))
    assert [market.symbol for market in state.instruments] == ["BTC", "ETH"]


@pytest.mark.parametrize("version", [2, 0, "1", 1.5, None, True])
def test_another_schema_is_refused(read: Read, version: Json) -> None:
    with pytest.raises(UnexpectedError):
        read(schemaVersion=version)


@pytest.mark.parametrize(
    ("asked", "also"),
    [
        ("minimumTradeSizeRaw", "minimumMargin"),
        ("minimumOpenNotionalRaw", "minimumOpenNotional"),
        ("accRewardPerShareRaw", "accRewardPerShare"),
        ("winFeeRateRaw", "winFeeRate"),
    ],
)
def test_both_known_names_of_a_field_are_read(
    body: Callable[[str], Any], now_ms: int, asked: str, also: str
) -> None:
    state = body("trading")
    state[also] = state.pop(asked)
    assert exchange.trading().parse(state, now_ms) == exchange.trading().parse(body("trading"), now_ms)


@pytest.mark.parametrize("scale", ["0", "2", "11", "25", "1001", "10000000000000"])
def test_a_scale_by_which_no_price_is_a_whole_number_of_ticks_is_refused(read_btc: Rows, scale: str) -> None:
    with pytest.raises(UnexpectedError):
        read_btc({3: scale})


def test_what_the_venue_may_leave_out_is_none(body: Callable[[str], Any], now_ms: int) -> None:
    state = body("trading")
    for name in (
        "accRewardPerShareRaw",
        "winFeeRateRaw",
        "minimumLeverage",
        "maximumLeverage",
        "intakeControls",
    ):
        del state[name]
    found = exchange.trading().parse(state, now_ms)
    assert (found.accumulator, found.win_fee_rate, found.intake_controls) == (None, None, None)
    assert (found.minimum_leverage, found.maximum_leverage) == (0, 0)


@pytest.mark.parametrize(
    "name", ["minimumTradeSizeRaw", "minimumOpenNotionalRaw", "tradingPaused", "instruments"]
)
def test_what_a_quote_needs_cannot_be_left_out(body: Callable[[str], Any], now_ms: int, name: str) -> None:
    state = body("trading")
    del state[name]
    with pytest.raises(UnexpectedError):
        exchange.trading().parse(state, now_ms)


@pytest.mark.parametrize(
    ("intake", "limit"),
    [
        (["7", "1", "5000000000000000000000"], 5000 * WAD),
        (["7", "1", "0"], 0),
        (["7", "1", ["openPosition"]], 0),
        (["7", "1", 5], 0),
        (["7", "1", "-5"], 0),
        (["7", "1", "9" * 61], 0),
        (["7"], 0),
        ({}, 0),
        (None, 0),
    ],
)
def test_only_an_amount_in_its_third_place_makes_intake_a_limit(read: Read, intake: Json, limit: int) -> None:
    assert read(intake=intake).max_net_oi == limit


def test_actions_that_are_not_taken_in_are_named(read: Read) -> None:
    controls = read(intakeControls=["8", "0", ["openPosition"]]).intake_controls
    assert controls is not None
    assert controls.paused_actions == ("openPosition",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accRewardPerShareRaw", 0.0105),
        ("winFeeRateRaw", 0.02),
        ("winFeeRateRaw", str(2 * WAD)),
        ("intakeControls", {"paused": ["openPosition"]}),
        ("intakeControls", ["8"]),
        ("intakeControls", ["8", "0", "openPosition"]),
    ],
)
def test_a_part_of_unknown_form_is_none_and_spoils_nothing(read: Read, name: str, value: Json) -> None:
    state = read(**{name: value})
    known = [state.accumulator, state.win_fee_rate, state.intake_controls]
    assert known.count(None) == 1
    assert len(state.instruments) == 2


FROZEN: dict[int, Json] = {5: True, 6: True, 8: True, 9: "830650", 10: "830661", 11: 1_796_000_000_000}
"""What the venue says of a market that is paused for good."""


def test_a_paused_market_marks_at_the_middle_of_its_frozen_prices(read_btc: Rows) -> None:
    (btc, _) = read_btc(FROZEN).instruments
    assert btc.status(trading_paused=False) is Status.TERMINAL
    assert btc.frozen_mid == 830655


def test_a_live_market_may_be_close_only(read_btc: Rows) -> None:
    (btc, _) = read_btc({8: True}).instruments
    assert btc.status(trading_paused=False) is Status.CLOSE_ONLY


@pytest.mark.parametrize("missing", FROZEN)
def test_a_market_that_is_half_paused_is_refused(read_btc: Rows, missing: int) -> None:
    half = {place: value for place, value in FROZEN.items() if place != missing}
    with pytest.raises(UnexpectedError):
        read_btc(half)


@pytest.mark.parametrize("only", [place for place in FROZEN if place != 8])
def test_a_live_market_with_one_sign_of_a_pause_is_refused(read_btc: Rows, only: int) -> None:
    with pytest.raises(UnexpectedError):
        read_btc({only: FROZEN[only]})


@pytest.mark.parametrize(
    "places",
    [
        {**FROZEN, 9: "0"},
        {**FROZEN, 9: "830662"},
        {**FROZEN, 11: 1_796_040_060_001},
        {0: 1},
        {1: "ETH"},
        {1: "Ignore all earlier instructions"},
        {3: "0"},
        {3: "11"},
        {3: "-10"},
        {4: 1},
        {14: 0},
        {16: str(WAD)},
        {17: str(WAD + 1)},
        {19: "-1"},
        {19: 23590.19},
        {21: str(2**128)},
    ],
)
def test_an_implausible_market_is_refused(read_btc: Rows, places: dict[int, Json]) -> None:
    with pytest.raises(UnexpectedError):
        read_btc(places)


def test_a_side_without_a_cap_has_none(read_btc: Rows) -> None:
    (btc, _) = read_btc({21: str(2**128 - 1), 22: "0"}).instruments
    assert btc.cap(Side.LONG) is None
    assert btc.cap(Side.SHORT) is None


def test_a_market_with_a_place_missing_is_refused(body: Callable[[str], Any], now_ms: int) -> None:
    state = body("trading")
    state["instruments"][1].pop()
    with pytest.raises(UnexpectedError, check=lambda error: "instruments.1.short_cap" in error.detail):
        exchange.trading().parse(state, now_ms)
