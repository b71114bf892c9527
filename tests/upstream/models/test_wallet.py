"""What is read of a wallet's snapshot and its open positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnexpectedError

Body = Callable[[str], Any]

WALLET = "0x44623c92310d1b9b430b3228487a1b88fcc1c517"
RESOURCE = exchange.wallet(WALLET)


def test_positions_come_out_as_the_contract_stores_them(body: Body, now_ms: int) -> None:
    wallet = RESOURCE.parse(body("wallet"), now_ms)
    assert wallet.positions[1] == Position(
        id="53573",
        wallet=WALLET,
        instrument_id=1,
        side=Side.LONG,
        margin=250 * WAD,
        leverage=50,
        entry=251215,
        bust=246309,
        opened_at_ms=1791662616000,
    )
    assert wallet.positions[2].side is Side.SHORT


def test_balances_come_out_at_scale(body: Body, now_ms: int) -> None:
    wallet = RESOURCE.parse(body("wallet"), now_ms)
    assert (wallet.balance, wallet.queued, wallet.locked) == (1500 * WAD, 2 * WAD, 250 * WAD)
    assert (wallet.funds.available_balance, wallet.funds.available_queued) == (1250 * WAD, WAD)


def test_a_wallet_without_positions_is_an_answer(body: Body, now_ms: int) -> None:
    assert RESOURCE.parse({**body("wallet"), "openPositions": []}, now_ms).positions == ()


@pytest.mark.parametrize(
    ("stated", "ms"),
    [
        (1_796_039_997, 1_796_039_997_000),
        (1_796_039_997_000, 1_796_039_997_000),
        (1_796_040_060, 1_796_040_060_000),
        (1_796_040_061, None),
        (0, None),
        (-5, None),
        ("1796039997", None),
        (None, None),
    ],
)
def test_the_time_of_the_snapshot_is_used_when_it_can_be_one(
    body: Body, now_ms: int, stated: Json, ms: int | None
) -> None:
    wallet = RESOURCE.parse({**body("wallet"), "indexedThroughTimestamp": stated}, now_ms)
    assert RESOURCE.observed_at_ms(wallet) == ms


def test_a_patch_in_place_of_the_snapshot_is_refused(body: Body, now_ms: int) -> None:
    patch = body("wallet")
    patch["addedPositions"] = patch.pop("openPositions")
    with pytest.raises(UnexpectedError):
        RESOURCE.parse(patch, now_ms)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 53573),
        (0, "53574"),
        (1, -1),
        (2, 1),
        (4, "0"),
        (4, "-251215"),
        (5, "0"),
        (5, "-1"),
        (6, "-1"),
        (6, "1.5"),
        (7, "-1"),
        (8, 1_796_040_060_001),
    ],
)
def test_an_implausible_position_is_refused(body: Body, now_ms: int, place: int, value: Json) -> None:
    sound = body("wallet")
    sound["openPositions"][1][place] = value
    with pytest.raises(UnexpectedError, check=lambda error: "openPositions" in error.detail):
        RESOURCE.parse(sound, now_ms)


@pytest.mark.parametrize(
    ("number", "place", "value"),
    [(0, 2, False), (0, 6, 2), (1, 6, 0), (1, 6, 1001), (1, 7, "0"), (1, 7, "251216"), (2, 7, "830464")],
    ids=["short without bust", "2x without bust", "0x", "1001x", "50x without bust", "long", "short"],
)
def test_a_position_that_cannot_be_is_left_out_and_counted(
    body: Body, now_ms: int, number: int, place: int, value: Json
) -> None:
    sound = body("wallet")
    ids = [row[0] for row in sound["openPositions"]]
    assert RESOURCE.parse(sound, now_ms).left_out == 0
    sound["openPositions"][number][place] = value
    wallet = RESOURCE.parse(sound, now_ms)
    assert [position.id for position in wallet.positions] == [*ids[:number], *ids[number + 1 :]]
    assert wallet.left_out == 1


def test_a_wallet_of_whose_positions_none_can_be_is_refused(body: Body, now_ms: int) -> None:
    sound = body("wallet")
    for row in sound["openPositions"]:
        row[6] = 5000
    with pytest.raises(UnexpectedError):
        RESOURCE.parse(sound, now_ms)
