"""What is read of order books and candles, and the mark that a book gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange, hyperliquid, lifetimes
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.resource import Lifetime

Body = Callable[[str], Any]

BOOK = hyperliquid.book("BTC")
CANDLES = hyperliquid.candles("BTC", interval=Interval.HOUR, count=2)


@pytest.fixture
def btc(body: Body, now_ms: int) -> Instrument:
    return exchange.trading().parse(body("trading"), now_ms).instruments[0]


def test_the_mark_is_the_middle_of_the_best_prices_truncated(
    body: Body, now_ms: int, btc: Instrument
) -> None:
    book = BOOK.parse(body("book"), now_ms)
    assert (book.bid, book.ask) == (Decimal("83065.0"), Decimal("83066.1"))
    assert book.mark(btc) == 830655


def test_prices_below_the_tick_make_no_mark(body: Body, now_ms: int, btc: Instrument) -> None:
    tiny = {**body("book"), "levels": [[{"px": "0.00001"}], [{"px": "0.00002"}]]}
    with pytest.raises(UnexpectedError):
        BOOK.parse(tiny, now_ms).mark(btc)


@pytest.mark.parametrize(
    "levels",
    [
        [],
        [[], [{"px": "1"}]],
        [[{"px": "1"}], []],
        [[{"px": "1"}]],
        [[{"px": "1"}], [{"px": "2"}], [{"px": "3"}]],
        [[{"px": "2"}], [{"px": "1"}]],
        [[{"px": "1"}], [{"px": "2.01"}]],
        [[{"px": "1"}], [{"px": "9" * 40}]],
        [[{"px": "9" * 40}], [{"px": "9" * 40}]],
        [[{"px": "1"}, {"px": "1.5"}], [{"px": "2"}]],
        [[{"px": "1"}], [{"px": "2"}, {"px": "1.5"}]],
        [[{"px": "0"}], [{"px": "1"}]],
        [[{"px": "-1"}], [{"px": "1"}]],
        [[{"px": 1.0}], [{"px": "2"}]],
        [[{"px": "NaN"}], [{"px": "2"}]],
        [[{"px": "1e3"}], [{"px": "2000"}]],
        [[{"px": "1"}], [{"px": "Infinity"}]],
        [[{}], [{"px": "1"}]],
        None,
    ],
)
def test_a_book_without_two_sound_sides_is_refused(body: Body, now_ms: int, levels: Json) -> None:
    with pytest.raises(UnexpectedError):
        BOOK.parse({**body("book"), "levels": levels}, now_ms)


def test_a_mark_that_the_contract_cannot_hold_is_refused(body: Body, now_ms: int, btc: Instrument) -> None:
    highest = {"px": str(2**64 - 1)}
    book = BOOK.parse({**body("book"), "levels": [[highest], [highest]]}, now_ms)
    assert book.mark(replace(btc, price_scale=1)) == 2**64 - 1
    with pytest.raises(UnexpectedError):
        book.mark(btc)


@pytest.mark.parametrize(("field", "value"), [("coin", "ETH"), ("time", 1_796_040_060_001), ("time", None)])
def test_another_book_is_refused(body: Body, now_ms: int, field: str, value: Json) -> None:
    with pytest.raises(UnexpectedError):
        BOOK.parse({**body("book"), field: value}, now_ms)


def test_an_answer_of_null_for_an_unknown_coin_is_refused(now_ms: int) -> None:
    with pytest.raises(UnexpectedError):
        BOOK.parse(None, now_ms)


def test_candles_are_exact_and_oldest_first(body: Body, now_ms: int) -> None:
    first, second = CANDLES.parse(body("candles"), now_ms)
    assert first.close == Decimal("83065.5")
    assert (second.low, second.high) == (Decimal("83000"), Decimal("83080.5"))
    assert second.open_ms - first.open_ms == Interval.HOUR.width_ms


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("t", 1_796_040_060_001),
        ("t", 1_796_032_800_000),
        ("T", 0),
        ("s", "ETH"),
        ("i", "1d"),
        ("c", "0"),
        ("c", 83070),
        ("h", "83069"),
        ("l", "83066"),
    ],
)
def test_an_implausible_candle_is_refused(body: Body, now_ms: int, field: str, value: Json) -> None:
    sound = body("candles")
    sound[1][field] = value
    with pytest.raises(UnexpectedError):
        CANDLES.parse(sound, now_ms)


@pytest.mark.parametrize(("late_ms", "is_used"), [(0, True), (1, False), (3_000_000, False)])
def test_candles_that_end_over_ten_minutes_ago_are_refused(body: Body, late_ms: int, is_used: bool) -> None:
    sound = body("candles")
    now_ms = sound[-1]["t"] + Interval.HOUR.width_ms + 600_000 + late_ms
    if is_used:
        assert CANDLES.parse(sound, now_ms)[-1].open_ms == sound[-1]["t"]
    else:
        with pytest.raises(UnexpectedError, match="stands still"):
            CANDLES.parse(sound, now_ms)


def test_candles_that_come_late_are_used_however_short_their_copies_last(body: Body) -> None:
    sound = body("candles")
    now_ms = sound[-1]["t"] + Interval.HOUR.width_ms + 300_000
    lifetimes.apply({"hyperliquid.candles": Lifetime(fresh_s=30, stale_s=60)})
    try:
        assert CANDLES.parse(sound, now_ms)[-1].open_ms == sound[-1]["t"]
    finally:
        lifetimes.apply({})


@pytest.mark.parametrize(("late_ms", "is_used"), [(0, True), (1, False)])
def test_a_book_that_is_of_over_15_seconds_ago_is_refused(body: Body, late_ms: int, is_used: bool) -> None:
    sound = body("book")
    now_ms = sound["time"] + 15_000 + late_ms
    if is_used:
        assert BOOK.parse(sound, now_ms).time == sound["time"]
    else:
        with pytest.raises(UnexpectedError, match="stands still"):
            BOOK.parse(sound, now_ms)


def test_no_candles_are_refused(now_ms: int) -> None:
    with pytest.raises(UnexpectedError):
        CANDLES.parse([], now_ms)
