"""How each source is, as a health check is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from papertrade_site.strict_json import Json
from papertrade_site.upstream.readiness import Condition, SourceState, source_report
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.upstream.fake_venue import FROZEN, FakeVenue


def test_every_source_is_fresh_when_all_is_well(sources: Sources) -> None:
    assert source_report(sources) == [
        SourceState(name, Condition.FRESH, 0.0, None)
        for name in (
            "exchange.trading",
            "exchange.summary",
            "exchange.house_history",
            "hyperliquid.book",
            "hyperevm.paper",
        )
    ]


def test_an_ordinary_budget_is_enough(call: Callable[..., Sources], venue: FakeVenue) -> None:
    states = source_report(call(requests=8))
    assert {state.state for state in states} == {Condition.FRESH}
    assert venue.requests.total() == 6


def test_a_source_that_fails_is_failed_with_a_reason_and_the_others_are_not(
    sources: Sources, venue: FakeVenue
) -> None:
    venue.status["paper"] = 404
    *others, paper = source_report(sources)
    assert {state.state for state in others} == {Condition.FRESH}
    assert (paper.name, paper.state, paper.age_s) == ("hyperevm.paper", Condition.FAILED, None)
    assert (paper.note or "").startswith("Not read. ")


def test_one_book_that_fails_makes_the_books_failed(sources: Sources, venue: FakeVenue) -> None:
    venue.status["ETH"] = 404
    books = next(state for state in source_report(sources) if state.name == "hyperliquid.book")
    assert (books.state, books.age_s) == (Condition.FAILED, 0.0)


def test_without_the_markets_the_books_are_failed_too(sources: Sources, venue: FakeVenue) -> None:
    venue.status["trading"] = 404
    failed = [state for state in source_report(sources) if state.state is Condition.FAILED]
    assert [state.name for state in failed] == ["exchange.trading", "hyperliquid.book"]
    assert failed[1].note == "Not read: the markets are not known."


@pytest.mark.parametrize("places", [{7: True}, FROZEN], ids=["retired", "terminal"])
def test_without_a_market_that_moves_the_books_are_not_missed(
    sources: Sources, venue: FakeVenue, body: Callable[[str], Any], places: dict[int, Json]
) -> None:
    trading = body("trading")
    for row in trading["instruments"]:
        for place, value in places.items():
            row[place] = value
    venue.bodies["trading"] = trading
    books = next(state for state in source_report(sources) if state.name == "hyperliquid.book")
    assert books == SourceState(
        "hyperliquid.book", Condition.FRESH, None, "Not read: no market has a moving price."
    )


def test_an_old_copy_is_stale_with_its_age(
    call: Callable[..., Sources], venue: FakeVenue, clock: ManualClock
) -> None:
    source_report(call())
    clock.advance(100)
    venue.status["summary"] = 404
    summary = next(state for state in source_report(call()) if state.name == "exchange.summary")
    assert (summary.state, summary.age_s) == (Condition.STALE, 100.0)
    assert (summary.note or "").startswith("Not refreshed: ")
