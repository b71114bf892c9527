"""Block numbers."""

from __future__ import annotations

import pytest

from papertrade_site.simulator.chain import block_at


def test_the_recorded_block_is_met() -> None:
    assert block_at(1_791_537_460_000) == 48_068_869


def test_a_later_sighting_is_met_nearly() -> None:
    assert block_at(1_791_862_480_000) == pytest.approx(48_399_240, abs=300)


def test_blocks_come_about_once_a_second() -> None:
    assert block_at(1_791_537_460_000 + 3_600_000) - 48_068_869 == 3_658
