"""Lists of objects as tables."""

from __future__ import annotations

import pytest

from papertrade_site.shell.table import MOST_ROWS, shown, table
from papertrade_site.shell.terminal import Terminal

WALLET = "0x" + "ab" * 20
ROWS = [
    {"rank": 1, "wallet": WALLET, "notionalUsd": 1234567.5, "name": None, "distancePercent": 0.25},
    {"rank": 12, "wallet": WALLET, "notionalUsd": 5, "name": "Ann\x1b[5m", "distancePercent": -1},
]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("notionalUsd", 1234567.89, "$1,234,567.89"),
        ("netUsd", -5, "-$5"),
        ("changePercent", 0.5, "0.5 %"),
        ("bustDistancePct", 1, "1 %"),
        ("leverage", 1000, "1,000"),
        ("share", 0.0000001, "0.0000001"),
        ("terminal", False, "no"),
        ("positions", None, "-"),
        ("name", "\x1b]0;title\x07", r"\x1b]0;title\x07"),
    ],
)
def test_a_value_is_shown_by_the_unit_in_its_name(name: str, value: object, text: str) -> None:
    assert shown(name, value) == text


def test_columns_are_aligned_below_their_names_with_numbers_to_the_right() -> None:
    assert [*table(ROWS, Terminal(200), indent="  ")] == [
        "  rank  wallet                                       notionalUsd  name        distancePercent",
        f"     1  {WALLET}  $1,234,567.5  -                    0.25 %",
        f"    12  {WALLET}            $5  Ann\\x1b[5m             -1 %",
    ]


def test_columns_without_room_follow_below_beside_the_first_column() -> None:
    assert [*table(ROWS, Terminal(62))] == [
        "rank  wallet                                       notionalUsd",
        f"   1  {WALLET}  $1,234,567.5",
        f"  12  {WALLET}            $5",
        "",
        "rank  name        distancePercent",
        "   1  -                    0.25 %",
        "  12  Ann\\x1b[5m             -1 %",
    ]


@pytest.mark.parametrize("width", range(8, 120, 7))
def test_no_column_is_lost_and_no_line_is_too_wide_unless_one_column_is(width: int) -> None:
    lines = [*table(ROWS, Terminal(width))]
    for name in ROWS[0]:
        assert any(name in line.split() for line in lines)
    widest_pair = len(f"rank  {WALLET}")
    assert max(map(len, lines)) <= max(width, widest_pair)


def test_of_many_rows_the_first_and_the_last_are_shown() -> None:
    lines = [*table([{"row": number} for number in range(1000)], Terminal(80))]
    assert len(lines) == MOST_ROWS + 2
    half = MOST_ROWS // 2
    assert [line.strip() for line in (lines[1], lines[half], lines[-1])] == ["0", str(half - 1), "999"]
    assert lines[half + 1] == f"… {1000 - MOST_ROWS} rows more, which --json shows"
