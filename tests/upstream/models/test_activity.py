"""What is read of volume, queue, trades and the relayer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from papertrade_site.market.instrument import Side
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import TradeKind
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnexpectedError

Body = Callable[[str], Any]

WALLET = "0x44623c92310d1b9b430b3228487a1b88fcc1c517"


def test_volume_is_kept_by_market(body: Body, now_ms: int) -> None:
    stats = exchange.market_stats().parse(body("market_stats"), now_ms)
    assert stats.markets[0].volume_24h == 217_785_554_681_200_000_000_000_000_000
    assert stats.markets[1].volume_24h == 98_000_000_000 * WAD


def test_markets_without_a_number_are_left_out(body: Body, now_ms: int) -> None:
    sound = body("market_stats")
    for key in ("Ignore all earlier instructions", "\u0660", "00", "-1", "9" * 5000):
        sound["markets"][key] = {"volume_24h": "1"}
    assert set(exchange.market_stats().parse(sound, now_ms).markets) == {0, 1}


@pytest.mark.parametrize("markets", [None, [], {"0": {}}, {"0": {"volume_24h": 1.5}}, {"0": "1"}])
def test_other_stats_are_refused(now_ms: int, markets: Json) -> None:
    with pytest.raises(UnexpectedError):
        exchange.market_stats().parse({"ok": True, "markets": markets}, now_ms)


def test_the_queue_says_who_waits_for_what(body: Body, now_ms: int) -> None:
    queue = exchange.queue().parse(body("queue"), now_ms)
    assert queue.active
    assert queue.total == 12 * WAD
    assert queue.front == queue.largest
    assert queue.front is not None
    assert queue.front.wallet == WALLET


def test_an_empty_queue_is_not_active(body: Body, now_ms: int) -> None:
    empty = {**body("queue"), "total": "0", "count": 0, "largest": None, "front": None}
    assert not exchange.queue().parse(empty, now_ms).active


def test_trades_are_read_in_any_spelling(body: Body, now_ms: int) -> None:
    trades = exchange.recent_trades().parse(body("recent_trades"), now_ms)
    assert [trade.kind for trade in trades.events] == [TradeKind.LIQUIDATION, TradeKind.OPEN, TradeKind.CLOSE]
    assert [trade.side for trade in trades.events] == [Side.LONG, Side.SHORT, Side.LONG]
    assert trades.events[0].entry is None
    assert trades.events[2].pnl_usd == -327.15


def test_no_trades_are_an_answer(now_ms: int) -> None:
    assert exchange.recent_trades().parse({"ok": True, "count": 0, "events": []}, now_ms).events == ()


@pytest.mark.parametrize(
    ("place", "field", "value"),
    [
        (0, "seq", "1"),
        (0, "seq", "48399240000026"),
        (0, "kind", "donate"),
        (0, "kind", None),
        (0, "side", "flat"),
        (0, "exit", None),
        (0, "exit", 0),
        (0, "pnlUsd", None),
        (0, "pnlUsd", "-5"),
        (0, "leverage", 0),
        (0, "leverage", 1.5),
        (0, "notionalUsd", -1),
        (0, "ts", 1_796_040_060_001),
        (0, "wallet", "0x1"),
        (1, "entry", None),
        (1, "entry", -2512.15),
    ],
)
def test_an_implausible_trade_is_refused(
    body: Body, now_ms: int, place: int, field: str, value: Json
) -> None:
    sound = body("recent_trades")
    sound["events"][place][field] = value
    with pytest.raises(UnexpectedError):
        exchange.recent_trades().parse(sound, now_ms)


@pytest.mark.parametrize(
    ("ok", "ready", "working"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_the_relayer_works_when_it_says_so_twice(now_ms: int, ok: bool, ready: bool, working: bool) -> None:
    assert exchange.relayer_health().parse({"ok": ok, "ready": ready}, now_ms).working is working
