"""The ladder that is drawn of a bust map."""

from __future__ import annotations

from typing import Any

import pytest

from papertrade_site.shell.bust_ladder import BAR, bust_ladder
from papertrade_site.shell.terminal import Terminal

COVERAGE = {
    "fraction": 0.44651,
    "trackedNotionalUsd": 1_568_911_909.76,
    "protocolNotionalUsd": 3_512_649_103.91,
    "walletsRequested": 44,
    "walletsRead": 44,
    "walletsFailed": 0,
    "positions": 467,
}


def _bucket(low: float, side: str, notional: float, distance: float = 0.5) -> dict[str, Any]:
    return {
        "lowUsd": low,
        "highUsd": low + 100,
        "side": side,
        "notionalUsd": notional,
        "positions": 2,
        "distancePercent": distance,
        "cumulativeNotionalUsd": notional * 2,
    }


def _map(*buckets: dict[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "generatedAt": "2026-11-30T12:00:00Z",
        "dataSource": "live",
        "market": "BTC",
        "markPriceUsd": 83_065.5,
        "bucketUsd": 100,
        "buckets": buckets,
        "totals": {},
        "omitted": {"buckets": 0, "notionalUsd": 0},
        "coverage": COVERAGE,
        "cascade": None,
        **fields,
    }


WHOLE = _map(
    _bucket(82_900, "long", 4_000_004.4, 0.08),
    _bucket(83_000, "long", 1_000_000, 0),
    _bucket(83_000, "short", 2_000_000, 0),
    _bucket(83_200, "short", 1, 0.16),
)


def _lines(result: dict[str, Any], width: int = 100, *, coloured: bool = False) -> list[str]:
    return [*bust_ladder(result, Terminal(width, coloured=coloured))]


def test_shorts_stand_above_the_mark_and_longs_below_from_the_highest_price_down() -> None:
    bars = [BAR * 1, BAR * 15, BAR * 8, BAR * 31]
    space = [bar.ljust(31) for bar in bars]
    assert _lines(WHOLE) == [
        f"     bust price   side  {'':31}    notional  distance  cumulative  positions",
        f"83,200 - 83,300  short  {space[0]}          $1    0.16 %          $2          2",
        f"83,000 - 83,100  short  {space[1]}  $2,000,000    0.00 %  $4,000,000          2",
        "-- BTC mark $83,065.5 " + "-" * 78,
        f"83,000 - 83,100   long  {space[2]}  $1,000,000    0.00 %  $2,000,000          2",
        f"82,900 - 83,000   long  {space[3]}  $4,000,004    0.08 %  $8,000,009          2",
        "Coverage: 44.7 % of the market's open notional ($1,568,911,910 of $3,512,649,104), from 44 of 44",
        "wallets.",
    ]


def test_bars_are_as_long_as_the_notional_and_none_is_invisible() -> None:
    buckets = [_bucket(82_900 - 100 * place, "long", notional) for place, notional in enumerate((1, 50, 100))]
    bars = [line.count(BAR) for line in _lines(_map(*buckets))]
    first, half, most = [bar for bar in bars if bar]
    assert (first, half) == (1, most / 2)


@pytest.mark.parametrize("width", [50, 62, 75, 88, 120, 300])
def test_a_narrow_terminal_loses_columns_from_the_right_but_never_a_bar(width: int) -> None:
    lines = _lines(WHOLE, width)
    assert max(map(len, lines[:6])) <= width
    assert max(line.count(BAR) for line in lines) >= 10
    headings = lines[0].split()
    assert (
        headings
        == ["bust", "price", "side", "notional", "distance", "cumulative", "positions"][: len(headings)]
    )


def test_rows_that_the_mark_has_passed_stay_at_their_price_and_say_so() -> None:
    lines = _lines(_map(_bucket(83_300, "long", 5, -0.3), _bucket(82_700, "short", 5, -0.2)))
    passed_long, mark, passed_short = lines[1:4]
    assert "BTC mark" in mark
    assert passed_long.split()[3] == "long"
    assert passed_short.split()[3] == "short"
    assert "passed" in passed_long
    assert "passed" in passed_short


def test_longs_are_green_and_shorts_red_where_colours_are_wanted() -> None:
    lines = _lines(WHOLE, coloured=True)
    assert [line[:5] for line in lines[1:6]] == ["\x1b[31m", "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[32m"]
    assert not any("\x1b" in line for line in _lines(WHOLE))


def test_a_map_of_nothing_is_the_mark_alone() -> None:
    lines = _lines(_map(coverage={**COVERAGE, "fraction": None, "protocolNotionalUsd": None}))
    assert lines[1].startswith("-- BTC mark $83,065.5 -")
    assert lines[2].startswith(
        "Coverage: an unknown share of the market's open notional ($1,568,911,910), from"
    )


def test_what_is_left_out_and_wallets_that_failed_are_told() -> None:
    coverage = {**COVERAGE, "walletsRead": 24, "walletsFailed": 20}
    lines = _lines(_map(omitted={"buckets": 12, "notionalUsd": 16_665_590.4}, coverage=coverage), width=200)
    assert lines[2] == "Farther away and not drawn: 12 buckets of $16,665,590 (maxBuckets=200 draws more)."
    assert lines[3].endswith("from 24 of 44 wallets; 20 could not be read.")


@pytest.mark.parametrize(("rows", "advice"), [(199, "maxBuckets=200"), (200, "a wider bucketUsd")])
def test_what_draws_more_is_something_that_the_tool_still_grants(rows: int, advice: str) -> None:
    buckets = [_bucket(82_900 - 100 * place, "long", 1) for place in range(rows)]
    lines = _lines(_map(*buckets, omitted={"buckets": 3, "notionalUsd": 5}))
    assert f"Farther away and not drawn: 3 buckets of $5 ({advice} draws more)." in lines


def test_a_cascade_follows_by_its_names() -> None:
    cascade = {"percent": 2, "down": {"targetPriceUsd": 81_404.1}, "note": "An estimate."}
    assert _lines(_map(cascade=cascade))[-5:] == [
        "cascade",
        "  percent  2",
        "  down",
        "    targetPriceUsd  $81,404.1",
        "  note     An estimate.",
    ]
