"""The scripts of pictures, run by Node: they show figures and ages as the server does."""

from __future__ import annotations

from typing import Final

import pytest

from papertrade_site.docs.pictures import moments
from papertrade_site.docs.pictures.amounts import short
from tests.docs.script import run

NUMBERS: Final = [
    0,
    0.42,
    0.001,
    1,
    12.345,
    999.4,
    999.6,
    1000,
    999_499,
    999_500,
    14_430_093.36,
    1e12,
    1.5e15,
    -2e6,
]


def test_figures_are_shortened_alike() -> None:
    assert run("history.js", "given.map(script.short)", NUMBERS) == [short(value) for value in NUMBERS]


@pytest.mark.parametrize(
    ("address", "dataset", "value", "chosen"),
    [
        ("/a.svg", {"argument": "market", "drops": ""}, "ETH", "/a.svg?market=ETH"),
        (
            "/a.svg?market=BTC&bucketUsd=5&wallets=9",
            {"argument": "market", "drops": "bucketUsd"},
            "ETH",
            "/a.svg?wallets=9&market=ETH",
        ),
        (
            "/a.svg?market=ETH",
            {"argument": "cascadePercent", "drops": ""},
            "1",
            "/a.svg?market=ETH&cascadePercent=1",
        ),
        ("/a.svg?cascadePercent=1", {"argument": "cascadePercent", "drops": ""}, None, "/a.svg"),
    ],
)
def test_a_choice_is_added_to_what_was_chosen_before(
    address: str, dataset: dict[str, str], value: str | None, chosen: str
) -> None:
    given = {"address": address, "dataset": dataset, "value": value}
    assert run("pictures.js", "script.withChoice(given.address, given.dataset, given.value)", given) == chosen


def test_ages_are_told_alike() -> None:
    since, ages = "2026-11-30T12:00:03Z", [-5, 0, 59, 119, 120, 7_199, 7_200, 172_799, 172_800]
    now_s = [moments.seconds(since) + age for age in ages]
    expression = "given.now.map((now) => script.age(given.since, now * 1000))"
    assert run("pictures.js", expression, {"since": since, "now": now_s}) == [
        moments.age(since, now_s=now) for now in now_s
    ]
