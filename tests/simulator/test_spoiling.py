"""Swapping values in the venue's documents."""

from __future__ import annotations

import json
from http import HTTPStatus

import pytest

from papertrade_site.simulator.protocol import Answer
from papertrade_site.simulator.spoiling import (
    Swap,
    not_a_number,
    price_below_zero,
    price_of_zero,
    spoil,
    tomorrow,
    wrong_type,
)


def spoiled(document: object, swap: Swap) -> object:
    """Spoil a document that the venue might answer."""
    answer = spoil(Answer(status=HTTPStatus.OK, body=json.dumps(document).encode()), swap)
    assert isinstance(answer, Answer)
    return json.loads(answer.body)


BOOK = {"coin": "BTC", "time": 1791862480000, "levels": [[{"px": "830.5", "sz": "1", "n": 2}], []]}
WALLET = {"openPositions": [["53573", 1, True, False, "251215", "25", 50, "246309", 1791662616000, None]]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (BOOK, {**BOOK, "levels": [[{"px": "-830.5", "sz": "1", "n": 2}], []]}),
        ({"BTC": "83065.5", "ETH": "2512.15"}, {"BTC": "-83065.5", "ETH": "-2512.15"}),
        (
            {"entry": None, "exit": 83335.5, "leverage": 148},
            {"entry": None, "exit": -83335.5, "leverage": 148},
        ),
        (
            WALLET,
            {
                "openPositions": [
                    ["53573", 1, True, False, "-251215", "25", 50, "-246309", 1791662616000, None]
                ]
            },
        ),
        ("text", "text"),
    ],
)
def test_prices_change_their_sign_wherever_the_venue_puts_them(document: object, expected: object) -> None:
    assert spoiled(document, price_below_zero) == expected


def test_prices_become_zero_in_their_own_type() -> None:
    assert spoiled({"entry": None, "exit": 83335.5, "px": "1"}, price_of_zero) == {
        "entry": None,
        "exit": 0,
        "px": "0",
    }


def test_types_are_swapped_at_every_depth() -> None:
    assert spoiled({"a": ["x", 1, None], "b": {"c": True}}, wrong_type) == {
        "a": [1, "many", "many"],
        "b": {"c": "many"},
    }


def test_only_numbers_become_nan() -> None:
    spelled = spoil(
        Answer(status=HTTPStatus.OK, body=b'[1,2.5,"-3","4.5","BTC","0x1",true,null]'), not_a_number
    )
    assert isinstance(spelled, Answer)
    assert spelled.body == b'[NaN,NaN,"NaN","NaN","BTC","0x1",true,null]'


def test_times_move_a_day_ahead_and_other_numbers_stay() -> None:
    document = {"at": 1791862480000, "indexedThroughTimestamp": 1791862480, "block": 48399240, "ok": True}
    assert spoiled(document, tomorrow) == {
        "at": 1791948880000,
        "indexedThroughTimestamp": 1791948880,
        "block": 48399240,
        "ok": True,
    }
