"""What is read of the protocol's and the house's past."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from papertrade_site.market.vocabulary import Interval
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnexpectedError

RECORDED = Path(__file__).parents[2] / "recorded" / "history_1d_2026-10-09.json"
HOUR_MS = 3_600_000

Body = Callable[[str], Any]

HISTORY = exchange.history(Interval.HOUR)
HOUSE = exchange.house_history(Interval.HOUR)


def test_points_are_true_at_the_close_of_their_bucket_and_the_open_one_now(body: Body, now_ms: int) -> None:
    history = HISTORY.parse(body("history"), now_ms)
    assert history.closes_ms == (now_ms - HOUR_MS, now_ms - 5000, now_ms - 5000)
    assert history.columns.tvl == (1000.5, 1001.25, 1002.0)
    assert history.totals.users == 22600


def test_house_points_say_themselves_when_they_were_true(body: Body, now_ms: int) -> None:
    house = HOUSE.parse(body("house_history"), now_ms)
    assert house.closes_ms == (now_ms - 2 * HOUR_MS, now_ms - HOUR_MS, now_ms - 6000)
    assert house.columns.btc_short == (1500000000.0, None, 1504302261.49)
    assert house.columns.lp[-1] == -3.5


def test_the_recorded_history_is_understood(now_ms: int) -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    history = exchange.history(Interval.DAY).parse(recorded, now_ms)
    assert history.columns.tvl[-1] == 14831637.903487999
    assert history.closes_ms[-1] == history.source.as_of_ms


def test_nulls_are_kept_as_nulls(body: Body, now_ms: int) -> None:
    sound = body("history")
    sound["columns"]["tvl"][1] = None
    assert HISTORY.parse(sound, now_ms).columns.tvl == (1000.5, None, 1002.0)


def test_an_empty_history_is_an_answer(body: Body, now_ms: int) -> None:
    sound = body("history")
    sound["columns"] = {name: [] for name in sound["columns"]}
    assert HISTORY.parse(sound, now_ms).closes_ms == ()
    house = body("house_history")
    house["columns"] = {name: [] for name in house["columns"]}
    house["timeOffsetsMs"] = []
    assert HOUSE.parse(house, now_ms).closes_ms == ()


@pytest.mark.parametrize("change", [lambda column: column.pop(), lambda column: column.append(1)])
@pytest.mark.parametrize(("name", "column"), [("history", "users"), ("house_history", "lp")])
def test_columns_of_different_length_are_refused(
    body: Body, now_ms: int, name: str, column: str, change: Callable[[list[float]], object]
) -> None:
    sound = body(name)
    change(sound["columns"][column])
    with pytest.raises(UnexpectedError):
        (HISTORY if name == "history" else HOUSE).parse(sound, now_ms)


@pytest.mark.parametrize("value", ["1.5", True, [], 10**400, float("nan"), float("inf"), 1e300])
def test_a_point_that_is_no_finite_number_is_refused(body: Body, now_ms: int, value: Json) -> None:
    sound = body("history")
    sound["columns"]["volume"][0] = value
    with pytest.raises(UnexpectedError, check=lambda error: "columns.volume.0" in error.detail):
        HISTORY.parse(sound, now_ms)


def test_a_newest_bucket_that_has_not_begun_is_refused(body: Body, now_ms: int) -> None:
    sound = body("history")
    sound["startMs"] += HOUR_MS
    with pytest.raises(UnexpectedError):
        HISTORY.parse(sound, now_ms)
    house = body("house_history")
    house["timeOffsetsMs"][-1] += HOUR_MS
    with pytest.raises(UnexpectedError):
        HOUSE.parse(house, now_ms)


@pytest.mark.parametrize("offsets", [[0, 0, 10800000], [3600000, 0, 10800000], [-1, 0, 1]])
def test_house_points_out_of_order_are_refused(body: Body, now_ms: int, offsets: list[int]) -> None:
    with pytest.raises(UnexpectedError):
        HOUSE.parse({**body("house_history"), "timeOffsetsMs": offsets}, now_ms)


def test_negative_notional_is_refused(body: Body, now_ms: int) -> None:
    sound = body("house_history")
    sound["columns"]["bl"][0] = -0.5
    with pytest.raises(UnexpectedError):
        HOUSE.parse(sound, now_ms)


@pytest.mark.parametrize("name", ["history", "house_history"])
def test_an_answer_from_the_future_is_refused(body: Body, now_ms: int, name: str) -> None:
    sound = body(name)
    sound["source"]["asOfMs"] = now_ms + 60_001
    with pytest.raises(UnexpectedError, check=lambda error: "asOfMs" in error.detail):
        (HISTORY if name == "history" else HOUSE).parse(sound, now_ms)


def test_each_interval_knows_its_length() -> None:
    assert [interval.width_ms for interval in Interval] == [60_000, HOUR_MS, 24 * HOUR_MS]
