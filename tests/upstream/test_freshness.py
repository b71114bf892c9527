"""How the age of a result is told from what it used."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st

from papertrade_site.upstream.freshness import Gap, Reading, SourceRow, State, freshness_of

NOW_MS = 1_796_040_003_000

READINGS = st.lists(
    st.builds(
        Reading,
        name=st.sampled_from(["exchange.trading", "exchange.summary", "exchange.wallets"]),
        value=st.none(),
        fetched_at_ms=st.integers(0, NOW_MS),
        observed_at_ms=st.none() | st.integers(0, NOW_MS + 60_000),
        state=st.sampled_from(State),
        degraded=st.booleans(),
        note=st.none() | st.just("Not refreshed."),
    )
)
GAPS = st.lists(st.builds(Gap, name=st.sampled_from(["exchange.queue", "exchange.wallets"]), note=st.text()))


def reading(
    name: str = "exchange.trading",
    *,
    age_s: float = 0,
    observed_at_ms: int | None = None,
    state: State = State.FRESH,
    degraded: bool = False,
    note: str | None = None,
) -> Reading[None]:
    return Reading(
        name=name,
        value=None,
        fetched_at_ms=NOW_MS - round(age_s * 1000),
        observed_at_ms=observed_at_ms,
        state=state,
        degraded=degraded,
        note=note,
    )


def test_the_block_has_exactly_the_published_form() -> None:
    readings = [
        reading(age_s=3),
        reading("exchange.summary", age_s=50, state=State.STALE, degraded=True, note="Not refreshed: down."),
    ]
    assert freshness_of(readings, [], now_ms=NOW_MS, now_s=0).json() == {
        "asOf": "2026-11-30T11:59:13Z",
        "degraded": True,
        "sources": [
            {
                "name": "exchange.summary",
                "fetchedAt": "2026-11-30T11:59:13Z",
                "state": "stale",
                "note": "Not refreshed: down.",
            },
            {"name": "exchange.trading", "fetchedAt": "2026-11-30T12:00:00Z", "state": "fresh"},
        ],
    }


def test_wallets_are_one_row_as_old_as_the_oldest_and_stale_when_any_is() -> None:
    wallets = [
        reading("exchange.wallets", age_s=1),
        reading("exchange.wallets", age_s=44, state=State.STALE),
        reading("exchange.wallets", age_s=9),
    ]
    assert freshness_of(wallets, [], now_ms=NOW_MS, now_s=0).sources == (
        SourceRow("exchange.wallets", NOW_MS - 44_000, State.STALE, None),
    )


def test_the_sources_own_time_counts_when_it_is_older_than_the_fetch() -> None:
    older = reading(age_s=2, observed_at_ms=NOW_MS - 90_000)
    newer = reading(age_s=2, observed_at_ms=NOW_MS + 1_000)
    assert freshness_of([older], [], now_ms=NOW_MS, now_s=0).as_of_ms == NOW_MS - 90_000
    assert freshness_of([newer], [], now_ms=NOW_MS, now_s=0).as_of_ms == NOW_MS - 2_000


def test_a_missing_part_degrades_the_result_and_stands_first_without_a_time() -> None:
    block = freshness_of(
        [reading()], [Gap("exchange.queue", "The queue is missing.")], now_ms=NOW_MS, now_s=0
    )
    assert block.degraded
    assert block.json()["sources"][0] == {
        "name": "exchange.queue",
        "fetchedAt": None,
        "state": "stale",
        "note": "The queue is missing.",
    }


def test_a_part_of_a_source_that_is_missing_is_noted_in_its_row() -> None:
    wallets = [reading("exchange.wallets", age_s=5), reading("exchange.wallets", age_s=4)]
    block = freshness_of(
        wallets, [Gap("exchange.wallets", "1 of 3 could not be read.")], now_ms=NOW_MS, now_s=0
    )
    assert block.sources == (
        SourceRow("exchange.wallets", NOW_MS - 5_000, State.FRESH, "1 of 3 could not be read."),
    )


def test_an_old_copy_that_is_being_refreshed_does_not_degrade_the_result() -> None:
    assert not freshness_of([reading(age_s=99, state=State.STALE)], [], now_ms=NOW_MS, now_s=0).degraded


def test_a_result_that_used_no_source_is_as_of_now() -> None:
    assert freshness_of([], [], now_ms=NOW_MS, now_s=0).json() == {
        "asOf": "2026-11-30T12:00:03Z",
        "degraded": False,
        "sources": [],
    }


@given(READINGS, GAPS)
def test_the_result_is_as_old_as_its_oldest_input(readings: list[Reading[None]], gaps: list[Gap]) -> None:
    block = freshness_of(readings, gaps, now_ms=NOW_MS, now_s=0)
    moments = [each.fetched_at_ms for each in readings]
    moments += [each.observed_at_ms for each in readings if each.observed_at_ms is not None]
    assert block.as_of_ms == min(moments, default=NOW_MS)


@given(READINGS, GAPS)
def test_it_is_degraded_exactly_when_a_part_is_missing_or_a_refresh_failed(
    readings: list[Reading[None]], gaps: list[Gap]
) -> None:
    degraded = freshness_of(readings, gaps, now_ms=NOW_MS, now_s=0).degraded
    assert degraded == (len(gaps) > 0 or any(each.degraded for each in readings))


@given(READINGS, GAPS)
def test_every_source_has_one_row_and_the_oldest_comes_first(
    readings: list[Reading[None]], gaps: list[Gap]
) -> None:
    rows = freshness_of(readings, gaps, now_ms=NOW_MS, now_s=0).sources
    assert sorted(row.name for row in rows) == sorted(
        {each.name for each in readings} | {gap.name for gap in gaps}
    )
    moments = [row.fetched_at_ms or 0 for row in rows]
    assert moments == sorted(moments)


def test_a_copy_that_came_due_during_the_call_is_stale_by_its_end() -> None:
    read = replace(reading(), fresh_until_s=100.0)
    states = [
        freshness_of([read], [], now_ms=NOW_MS, now_s=now_s).sources[0].state
        for now_s in (99.9, 100.0, 100.1)
    ]
    assert states == [State.FRESH, State.FRESH, State.STALE]
    assert replace(read, state=State.STALE).state_at(0.0) is State.STALE
