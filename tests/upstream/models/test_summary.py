"""What is read of the protocol's current figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from papertrade_site.market.emission import Phase
from papertrade_site.market.scale import WAD
from papertrade_site.strict_json import Json
from papertrade_site.upstream import exchange
from papertrade_site.upstream.errors import UnexpectedError

RECORDED = Path(__file__).parents[2] / "recorded" / "summary_2026-10-09.json"


def test_figures_come_out_at_scale(body: Callable[[str], Any], now_ms: int) -> None:
    summary = exchange.summary().parse(body("summary"), now_ms)
    assert summary.source.block == 48399239
    assert summary.source.genesis == 1791326520000
    assert summary.balances.tvl == 31_000_000 * WAD
    assert summary.activity.open == 4120
    assert summary.paper.accumulator == 10508152974861028961272120


def test_the_curve_gives_the_published_mint_rate(body: Callable[[str], Any], now_ms: int) -> None:
    curve = exchange.summary().parse(body("summary"), now_ms).paper.curve
    assert curve.mint_rate == 26238849242755169239
    assert curve.phase is Phase.TAIL


def test_the_recorded_summary_is_understood(now_ms: int) -> None:
    summary = exchange.summary().parse(json.loads(RECORDED.read_text(encoding="utf-8")), now_ms)
    assert summary.balances.tvl == 14831637903488000000000000
    assert exchange.summary().observed_at_ms(summary) == 1791537460000


def test_the_lp_may_be_in_the_red(body: Callable[[str], Any], now_ms: int) -> None:
    sound = body("summary")
    sound["paper"]["trackedLp"] = "-5"
    assert exchange.summary().parse(sound, now_ms).paper.curve.phase is Phase.FLAT


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        ("source", "at", 1_796_040_060_001),
        ("source", "genesis", 1_796_040_060_001),
        ("balances", "tvl", "-1"),
        ("balances", "margin", 5.0),
        ("activity", "open", -1),
        ("activity", "open", 1.5),
        ("paper", "rate", "100.0"),
        ("paper", "tailProgress", "-1"),
    ],
)
def test_an_implausible_figure_is_refused(
    body: Callable[[str], Any], now_ms: int, part: str, field: str, value: Json
) -> None:
    sound = body("summary")
    sound[part][field] = value
    with pytest.raises(UnexpectedError, check=lambda error: error.detail == f"at {part}.{field}"):
        exchange.summary().parse(sound, now_ms)


def test_a_summary_that_says_it_failed_is_refused(body: Callable[[str], Any], now_ms: int) -> None:
    with pytest.raises(UnexpectedError):
        exchange.summary().parse({**body("summary"), "ok": False}, now_ms)
