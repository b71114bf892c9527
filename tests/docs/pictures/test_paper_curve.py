"""The mint curve of PAPER, and where it is now."""

from __future__ import annotations

from typing import Any

import pytest

from papertrade_site.docs.pictures.paper_curve import BOTTOM, RIGHT, TOP, PaperCurve, paper_curve
from tests.docs.pictures.gallery import drawing, parsed, title_of
from tests.filled_venue import FilledVenue

M = 1_000_000.0


def drawn_of(**changed: Any) -> PaperCurve:  # noqa: ANN401
    """The curve at the decay past the cliff, where the rate is a quarter, unless changed."""
    token = {
        "supply": 4e9,
        "staked": 1e9,
        "stakedShare": 0.25,
        "mintRate": 25.0,
        "maxMintRate": 100.0,
        "phase": "tail",
        "trackedLpUsd": 122 * M,
        "cliffUsd": 2 * M,
        "tailProgressUsd": 120 * M,
        "tailDecayUsd": 120 * M,
        "tailToRate25Usd": 0.0,
        "rate25Reached": True,
        **changed,
    }
    return paper_curve({"paper": token})


def points_of(drawn: PaperCurve) -> list[tuple[float, float]]:
    assert drawn.plot is not None
    pairs = (point.split(",") for point in drawn.plot.points.split())
    return [(float(x) / 10, float(y)) for x, y in pairs]


def height_at(drawn: PaperCurve, x: float) -> float:
    """The curve's height where it is drawn nearest to a place."""
    return min(points_of(drawn), key=lambda point: abs(point[0] - x))[1]


class TestCurve:
    def test_it_is_flat_to_the_cliff_and_a_quarter_at_the_decay(self) -> None:
        drawn = drawn_of()
        (first, cliff), whole = points_of(drawn)[:2], BOTTOM - TOP
        assert (first[1], cliff[1]) == (TOP, TOP)
        assert drawn.plot is not None
        assert drawn.plot.cliff.x == pytest.approx(2 / 182 * RIGHT, abs=0.01)
        assert height_at(drawn, 122 / 182 * RIGHT) == pytest.approx(BOTTOM - whole / 4, abs=1)
        assert points_of(drawn)[-1] == pytest.approx((RIGHT, BOTTOM - whole * 0.16), abs=0.1)

    def test_the_cliff_and_both_axes_say_what_they_are(self, venue: FilledVenue) -> None:
        texts = parsed(drawing("paper")).texts
        assert any(text.startswith("cliff $") and text.endswith(": the rate falls") for text in texts)
        assert any(text.endswith(" PAPER per $1") for text in texts)
        assert "the pool's gain, at its highest once past the cliff" in texts

    @pytest.mark.parametrize(("phase", "rate"), [("flat", 100.0), ("tail", 25.0)])
    def test_what_is_said_of_the_cliff_stands_away_from_where_we_are(self, phase: str, rate: float) -> None:
        plot = drawn_of(phase=phase, trackedLpUsd=1 * M, mintRate=rate).plot
        assert plot is not None
        assert abs(plot.cliff_y - plot.here.y) > 40

    def test_we_are_on_it(self) -> None:
        drawn = drawn_of()
        assert drawn.plot is not None
        here = drawn.plot.here
        assert here.x == pytest.approx(122 / 182 * RIGHT, abs=0.01)
        assert here.y == BOTTOM - (BOTTOM - TOP) / 4
        assert here.label == "We are here: 25"

    def test_below_the_cliff_we_are_on_the_flat_part_even_after_tail_progress(self) -> None:
        drawn = drawn_of(phase="flat", trackedLpUsd=1 * M, mintRate=100.0)
        assert drawn.plot is not None
        assert drawn.plot.here.x == pytest.approx(1 / 182 * RIGHT, abs=0.01)
        assert drawn.plot.here.y == TOP
        assert drawn.headline.text == "100 PAPER per $1 lost, before the cliff"

    def test_a_pool_that_has_lost_is_left_of_zero(self) -> None:
        drawn = drawn_of(phase="flat", trackedLpUsd=-50 * M, mintRate=100.0)
        assert drawn.plot is not None
        assert drawn.plot.here.x == 0
        assert drawn.plot.cliff.x == pytest.approx(52 / 232 * RIGHT, abs=0.01)

    def test_the_rate_of_25_is_marked_while_it_is_ahead(self) -> None:
        ahead = drawn_of(tailProgressUsd=40 * M, mintRate=56.25, tailToRate25Usd=80 * M, rate25Reached=False)
        assert ahead.plot is not None
        assert ahead.plot.rate_25 is not None
        assert ahead.plot.rate_25.label == "25 after $80.0M more"
        assert ahead.plot.rate_25.y == BOTTOM - (BOTTOM - TOP) / 4
        reached = drawn_of()
        assert reached.plot is not None
        assert reached.plot.rate_25 is None

    @pytest.mark.parametrize("progress", [0.0, 1e12])
    def test_any_progress_fits(self, progress: float) -> None:
        drawn = drawn_of(tailProgressUsd=progress, mintRate=0.000001)
        assert all(0 <= x <= RIGHT + 0.1 and TOP <= y <= BOTTOM for x, y in points_of(drawn))

    def test_a_curve_without_length_does_not_fail(self) -> None:
        drawn = drawn_of(cliffUsd=0.0, tailProgressUsd=0.0, tailDecayUsd=0.0, trackedLpUsd=0.0, mintRate=0.0)
        assert drawn.plot is not None


class TestPicture:
    def test_it_says_where_the_protocol_is_with_exact_figures(self, venue: FilledVenue) -> None:
        picture = parsed(drawing("paper"))
        assert title_of(picture.one("here")).endswith(".")
        assert "PAPER per $1 of trader loss now" in title_of(picture.one("here"))
        assert any(text.startswith("We are here: ") for text in picture.texts)

    def test_an_unknown_curve_is_not_drawn_and_the_supply_is(self, venue: FilledVenue) -> None:
        venue.fail("exchange.summary")
        picture = parsed(drawing("paper"))
        assert picture.of_class("line") == picture.of_class("here") == []
        assert "Where PAPER is on its mint curve is not known now" in picture.texts
        assert any(text.startswith("Supply ") for text in picture.texts)

    def test_the_stake_is_as_long_as_its_share(self) -> None:
        assert (drawn_of().staked, drawn_of().staked_text) == (25, "1.00B staked, 25.00 %")
        none = drawn_of(supply=0.0, staked=0.0, stakedShare=None)
        assert (none.staked, none.staked_text) == (None, "0 staked, unknown share")
