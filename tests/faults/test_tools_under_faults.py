"""Every fault of the embedded exchange against every tool: what its callers get, with copies and without."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest

from papertrade_site.simulator.faults import FAULTS
from papertrade_site.upstream import lifetimes
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from tests.faults.faulty_exchange import SERVERS, Answered, FaultyExchange
from tests.faults.upstream_outcomes import (
    GROWTH_CEILING_BYTES,
    HURRIED,
    NEEDS,
    PATHS,
    broken_by,
    paths_of,
)

OLD_S: Final = 3
"""Seconds after which a mark is due, and far from its end."""

PAIRS: Final = list(product(FAULTS, NEEDS))
PLACES: Final = [(tool, path) for tool, needs in NEEDS.items() for path in paths_of(needs.read)]


@pytest.fixture(scope="module")
def patient() -> Iterator[FaultyExchange]:
    """One that no call leaves before it has answered: requests that come late of those would count."""
    exchange = FaultyExchange()
    yield exchange
    exchange.close()


@pytest.fixture
def equal_lifetimes() -> Iterator[None]:
    """Let all copies last as long as the mark's, so that they come due together."""
    lifetimes.apply(dict.fromkeys(DEFAULT_LIFETIMES, DEFAULT_LIFETIMES["hyperliquid.book"]))
    yield
    lifetimes.apply({})


def _figures(answered: Answered) -> dict[str, Any]:
    """All that a result says of the exchange, without when."""
    dated = {"freshness", "generatedAt"}
    return {name: value for name, value in answered.result["structuredContent"].items() if name not in dated}


def _sources(answered: Answered) -> dict[str, dict[str, Any]]:
    rows = answered.result["structuredContent"]["freshness"]["sources"]
    return {row["name"].partition(".")[2].rstrip("s"): row for row in rows}


def _is_degraded(answered: Answered) -> bool:
    degraded: bool = answered.result["structuredContent"]["freshness"]["degraded"]
    return degraded


def test_there_is_a_stated_outcome_for_every_tool() -> None:
    assert set(NEEDS) == {tool.name for server in SERVERS.values() for tool in server.tools}


@pytest.mark.parametrize("tool", NEEDS)
def test_a_tool_reads_what_is_stated_and_is_not_degraded_while_the_exchange_behaves(
    faulty: FaultyExchange, tool: str
) -> None:
    answered = faulty.previous[tool]
    answered.check(tool)
    assert not _is_degraded(answered)
    assert set(_sources(answered)) == {name.rstrip("s") for name in NEEDS[tool].read}


@pytest.mark.requirement("error:tool")
@pytest.mark.parametrize(("fault", "tool"), PAIRS)
def test_without_copies_a_tool_fails_or_says_what_it_lacks(
    faulty: FaultyExchange, fault: str, tool: str
) -> None:
    faulty.spoil(fault)
    _expect_without_copies(tool, faulty.cold(tool, fault), broken_by(fault))


@pytest.mark.parametrize(("tool", "path"), PLACES)
def test_without_one_source_a_tool_fails_or_says_what_it_lacks(
    faulty: FaultyExchange, tool: str, path: str
) -> None:
    faulty.spoil("html_500", below=path)
    _expect_without_copies(tool, faulty.cold(tool, "html_500"), broken_by("html_500", below=path))


def _expect_without_copies(tool: str, answered: Answered, broken: frozenset[str]) -> None:
    needs = NEEDS[tool]
    answered.check(tool)
    assert answered.result["isError"] is not needs.are_met_without(broken)
    if not answered.result["isError"]:
        missing = {name.rstrip("s") for name in broken & needs.parts}
        noted = {name for name, row in _sources(answered).items() if "note" in row}
        assert noted == missing
        assert _is_degraded(answered) is bool(missing)


@pytest.mark.parametrize(("fault", "tool"), PAIRS)
def test_with_copies_a_tool_shows_the_previous_figures_and_says_how_old_they_are(
    faulty: FaultyExchange, equal_lifetimes: None, fault: str, tool: str
) -> None:
    faulty.spoil(fault)
    answered = faulty.with_copies(tool, fault, of_s=OLD_S)
    answered.check(tool)
    assert _figures(answered) == _figures(faulty.previous[tool])
    kept = {name.rstrip("s") for name in broken_by(fault) & NEEDS[tool].read}
    sources = _sources(answered)
    assert {name for name, row in sources.items() if row["state"] == "stale"} == kept
    noted = {name for name, row in sources.items() if row.get("note", "").startswith("Not refreshed: ")}
    # Of a call whose time is over, what was not even asked for is old and has not failed: it may be all.
    assert noted <= kept if fault in HURRIED else noted == kept
    assert _is_degraded(answered) is bool(noted)


@pytest.mark.parametrize("tool", NEEDS)
def test_copies_past_their_limit_are_never_shown(
    faulty: FaultyExchange, equal_lifetimes: None, tool: str
) -> None:
    faulty.spoil("html_500")
    answered = faulty.with_copies(tool, "html_500", of_s=DEFAULT_LIFETIMES["hyperliquid.book"].stale_s + 1)
    answered.check(tool)
    assert answered.result["isError"]


@pytest.mark.parametrize("tool", [tool for tool, needs in NEEDS.items() if needs.arguments.get("wallets")])
def test_the_most_wallets_make_all_the_requests_that_a_call_may_make_and_no_more(
    patient: FaultyExchange, tool: str
) -> None:
    patient.board.put(PATHS["wallet"], "unavailable")  # every second time, so that nearly all are asked again
    patient.board.reset_counts()
    answered = patient.cold(tool, "unavailable")
    answered.check(tool)
    most = SERVERS["liquidations"].tools_by_name[tool].requests()
    assert sum(patient.board.counts().values()) == len(answered.asked) == most
    assert not answered.result["isError"]


@pytest.mark.parametrize("tool", NEEDS)
@pytest.mark.parametrize("fault", ["oversized", "gzip_bomb", "nested"])
def test_no_answer_makes_the_process_grow_whatever_the_tool(
    faulty: FaultyExchange, fault: str, tool: str
) -> None:
    faulty.spoil(fault)
    tracemalloc.start()
    try:
        faulty.cold(tool, fault)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < GROWTH_CEILING_BYTES


@pytest.mark.parametrize("tool", NEEDS)
@pytest.mark.parametrize("hours", [-3, 3])
def test_a_clock_that_is_set_by_hours_makes_no_copy_fresh(
    faulty: FaultyExchange, tool: str, hours: int
) -> None:
    faulty.spoil("html_500")
    answered = faulty.with_copies(tool, "html_500", of_s=hours * 3600)
    answered.check(tool)
    assert answered.result["isError"]
