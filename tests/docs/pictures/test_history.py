"""One figure over time."""

from __future__ import annotations

from typing import Any

import pytest

from papertrade_site.docs.pictures.history import BOTTOM, RIGHT, TOP, History, history

DAYS = [f"2026-11-{day:02}T00:00:00Z" for day in range(20, 26)]


def drawn_of(*values: float, mode: str = "value", **changed: Any) -> History:  # noqa: ANN401
    """A history by the day."""
    points = [{"time": time, "value": value} for time, value in zip(DAYS, values, strict=False)]
    found = {
        "metric": "tvl",
        "unit": "usd",
        "kind": "level",
        "mode": mode,
        "interval": "1d",
        "points": points,
        "change24h": None,
        "change7d": None,
        **changed,
    }
    return history(found)


def points_of(drawn: History) -> list[tuple[float, float]]:
    pairs = (point.split(",") for point in drawn.points.split())
    return [(float(x) / 10, float(y)) for x, y in pairs]


class TestLine:
    def test_it_goes_through_every_point(self) -> None:
        points = points_of(drawn_of(0, 50, 100))
        assert points == [(0, BOTTOM), (pytest.approx(RIGHT / 2, abs=0.01), (TOP + BOTTOM) / 2), (RIGHT, TOP)]

    def test_a_gap_in_time_is_a_gap_on_the_picture(self) -> None:
        points = [
            {"time": DAYS[0], "value": 1.0},
            {"time": DAYS[1], "value": 1.0},
            {"time": DAYS[5], "value": 1.0},
        ]
        places = [x for x, _ in points_of(drawn_of(points=points))]
        assert places == [0, pytest.approx(RIGHT / 5, abs=0.01), RIGHT]

    def test_figures_that_hardly_move_do_not_stand_on_zero(self) -> None:
        near, far = drawn_of(1000, 1001), drawn_of(0, 1001)
        assert (near.is_from_zero, far.is_from_zero) == (False, True)
        assert [place for _, place in points_of(near)] != [BOTTOM, TOP]

    def test_figures_may_be_negative(self) -> None:
        drawn = drawn_of(-5e6, 5e6)
        assert not drawn.is_from_zero
        assert {"-$5M", "$0", "$5M"} <= {mark.label for mark in drawn.values}

    def test_one_point_and_none_do_not_fail(self) -> None:
        assert points_of(drawn_of(5)) == [(0, (TOP + BOTTOM) / 2)]
        empty = drawn_of()
        assert (empty.points, empty.values, empty.times) == ("", (), ())
        assert empty.headline.text == "no points yet"


class TestBars:
    def test_each_is_as_high_as_what_its_bucket_added(self) -> None:
        drawn = drawn_of(25, 100, 0, mode="per_bucket")
        whole = BOTTOM - TOP
        assert [bar.height for bar in drawn.bars] == [whole / 4, whole, 0]
        assert [bar.y + bar.height for bar in drawn.bars] == [BOTTOM, BOTTOM, BOTTOM]

    def test_each_stands_in_its_bucket_which_ends_at_its_time(self) -> None:
        first, last = drawn_of(1, 1, mode="per_bucket").bars
        assert first.x > 0
        assert first.x + first.width < RIGHT / 2 < last.x
        assert last.x + last.width < RIGHT

    def test_losses_hang_below_zero(self) -> None:
        loss, gain = drawn_of(-1, 1, mode="per_bucket").bars
        assert (loss.y, gain.y + gain.height) == ((TOP + BOTTOM) / 2, (TOP + BOTTOM) / 2)

    def test_a_bucket_under_way_and_one_after_a_gap_say_so(self) -> None:
        points = [
            {"time": DAYS[0], "value": 1234.5, "gap": True},
            {"time": DAYS[1], "value": 2.0, "partial": True},
        ]
        drawn = drawn_of(points=points, mode="per_bucket")
        assert [bar.words for bar in drawn.bars] == [
            "To 2026-11-20T00:00:00Z: $1,234.50, of several buckets",
            "To 2026-11-21T00:00:00Z: $2 so far",
        ]
        assert [bar.is_partial for bar in drawn.bars] == [False, True]
        assert drawn.headline.text == "$2 in the last bucket so far"

    def test_all_zeros_have_no_height(self) -> None:
        assert [bar.height for bar in drawn_of(0, 0, mode="per_bucket").bars] == [0, 0]


class TestWords:
    @pytest.mark.parametrize(
        ("metric", "interval", "mode", "title"),
        [
            ("tvl", "1d", "value", "Total value locked by the day"),
            ("volume_btc", "1h", "per_bucket", "BTC volume added by the hour"),
            ("liquidated_volume", "1d", "value", "Liquidated volume by the day"),
            ("paper_supply", "1d", "value", "PAPER supply by the day"),
        ],
    )
    def test_the_title_names_figure_and_buckets(
        self, metric: str, interval: str, mode: str, title: str
    ) -> None:
        drawn = drawn_of(1, 2, metric=metric, interval=interval, mode=mode)
        assert f"{drawn.title} {drawn.detail}" == title

    def test_changes_are_told_where_they_are_known(self) -> None:
        change = {"absolute": 1, "percent": 2.345, "since": DAYS[0]}
        nothing = {"absolute": 1, "percent": None, "since": DAYS[0]}
        assert drawn_of(1, 2e6, change24h=change).headline.text == "$2.00M, +2.35 % in 24 h"
        assert (
            drawn_of(1, 2, change24h=nothing, change7d={**change, "percent": -1.0}).headline.text
            == "$2, -1.00 % in 7 d"
        )

    def test_units_are_those_of_the_figure(self) -> None:
        drawn = drawn_of(1, 2e9, unit="paper", metric="paper_supply")
        assert drawn.headline.text == "2.00B"
        assert {mark.label for mark in drawn.values} >= {"0", "1B", "2B"}

    def test_days_or_hours_stand_below(self) -> None:
        assert [mark.label for mark in drawn_of(1, 2, 3, 4, 5).times] == ["20 Nov", "22 Nov", "24 Nov"]
        assert next(mark.label for mark in drawn_of(1, 2).times) == "20 Nov 00:00"
