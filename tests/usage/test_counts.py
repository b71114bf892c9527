"""Adding counts up, and writing them as numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from papertrade_site.mcp.admission import Outcome
from papertrade_site.strict_json import Json
from papertrade_site.upstream.tally import SourceCounts
from papertrade_site.usage.counts import (
    ClientCounts,
    MessageCounts,
    source_numbers,
    source_of_numbers,
)
from papertrade_site.usage.families import Family

number = st.integers(min_value=0, max_value=10**12)
durations = st.dictionaries(st.integers(min_value=0, max_value=54), number)
counts = st.builds(
    MessageCounts,
    **dict.fromkeys(("ok", "failed", "refused", "limited", "blocked", "reused", "micros"), number),
    durations=durations,
)


@given(counts)
def test_counts_come_back_as_they_were_written(written: MessageCounts) -> None:
    assert MessageCounts.of_numbers(written.numbers()) == written


@given(st.lists(number, min_size=7, max_size=7))
def test_counts_of_sources_come_back_as_they_were_written(numbers: list[int]) -> None:
    assert source_numbers(SourceCounts(*numbers)) == numbers
    assert source_of_numbers(numbers) == SourceCounts(*numbers)


@pytest.mark.parametrize(
    "numbers",
    [None, "x", {}, [], [1] * 6, [1] * 8, [*[1] * 7, 55, 1], [-1, *[1] * 6], [1.5, *[1] * 6], [True] * 7],
)
def test_what_this_version_does_not_write_is_not_read(numbers: Json) -> None:
    assert MessageCounts.of_numbers(numbers) is None
    assert numbers == [True] * 7 or source_of_numbers(numbers) is None


def test_only_answers_have_a_duration() -> None:
    total = MessageCounts()
    for outcome in Outcome:
        total.count(outcome, seconds=0.01, reused=False)
    assert (total.answered, total.messages, total.micros) == (2, 5, 20_000)
    assert sum(total.durations.values()) == 2


@pytest.mark.parametrize("turned", [False, True])
def test_a_client_s_own_name_tells_more_of_it_than_its_user_agent(turned: bool) -> None:
    named, guessed = ClientCounts(Family.CLAUDE, True, 1), ClientCounts(Family.NODE, False, 2)
    first, second = (guessed, named) if turned else (named, guessed)
    first.add(second)
    assert (first.family, first.is_named, first.messages) == (Family.CLAUDE, True, 3)
