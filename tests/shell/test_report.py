"""Any result for a person."""

from __future__ import annotations

from typing import Any

from papertrade_site.shell.report import SIMULATED, figures, provenance
from papertrade_site.shell.terminal import Terminal

NOW = "2026-11-30T12:00:00Z"


def _result(*sources: dict[str, Any], source: str = "live", as_of: str = NOW) -> dict[str, Any]:
    freshness = {"asOf": as_of, "degraded": False, "sources": list(sources)}
    return {"generatedAt": NOW, "dataSource": source, "freshness": freshness}


def _row(name: str, fetched_at: str | None, state: str = "fresh", **note: str) -> dict[str, Any]:
    return {"name": name, "fetchedAt": fetched_at, "state": state, **note}


def test_figures_stand_beside_their_names_and_parts_are_indented() -> None:
    result = _result() | {
        "market": "BTC",
        "markPriceUsd": 83065.5,
        "status": {"paused": False, "since": None},
        "positions": [],
        "closest": {},
        "markets": ["BTC", "ETH"],
    }
    assert [*figures(result, Terminal(80))] == [
        "market        BTC",
        "markPriceUsd  $83,065.5",
        "status",
        "  paused  no",
        "  since   -",
        "positions: none",
        "closest: none",
        "markets  BTC, ETH",
    ]


def test_flat_objects_of_a_list_become_a_table_and_deep_ones_follow_each_other() -> None:
    result = _result() | {
        "flat": [{"side": "long", "count": 1}, {"side": "short", "count": 20}],
        "deep": [{"market": "BTC", "caps": {"longUsd": 1}}, {"market": "ETH", "caps": {"longUsd": 2}}],
    }
    assert [*figures(result, Terminal(80))] == [
        "flat",
        "  side   count",
        "  long       1",
        "  short     20",
        "deep",
        "  - market  BTC",
        "    caps",
        "      longUsd  $1",
        "  - market  ETH",
        "    caps",
        "      longUsd  $2",
    ]


def test_a_long_row_of_values_is_cut_to_the_line() -> None:
    (line,) = figures(_result() | {"longUsd": list(range(1000, 1500))}, Terminal(60))
    assert line.startswith("longUsd  $1,000, $1,001, ")
    assert line.endswith("… (500 values; --json shows them)")
    assert len(line) == 60


def test_a_name_that_a_trader_chose_cannot_steer_the_terminal() -> None:
    result = _result() | {"name": "\x1b[2J", "names": ["\x1b[2J"], "traders": [{"name": "\x1b[2J"}]}
    assert not any("\x1b" in line for line in figures(result, Terminal(80)))


def test_the_age_is_one_line_with_that_of_prices() -> None:
    sources = (
        _row("hyperevm.paper", "2026-11-30T11:59:15Z"),
        _row("hyperliquid.book", "2026-11-30T11:59:58Z"),
    )
    lines = [*provenance(_result(*sources, as_of="2026-11-30T11:30:00Z"), Terminal(80))]
    assert lines == [f"Age: oldest input 30 min, prices 2 s, at {NOW}."]


def test_hours_are_told_as_hours() -> None:
    (line,) = provenance(_result(as_of="2026-11-30T03:30:00Z"), Terminal(80))
    assert line == f"Age: oldest input 8 h, at {NOW}."


def test_a_source_that_is_old_or_failed_has_a_line_of_its_own() -> None:
    sources = (
        _row("hyperliquid.book", None, "stale", note="No book. \x1b[2J"),
        _row("exchange.trading", "2026-11-30T11:59:00Z", "stale", note="It is down."),
        _row("exchange.summary", "2026-11-30T11:59:01Z", "stale"),
        _row("wallets", "2026-11-30T11:59:59Z", note="2 of 44 wallets could not be read."),
    )
    assert [*provenance(_result(*sources), Terminal(80))] == [
        f"Age: oldest input 0 s, at {NOW}.",
        r"  hyperliquid.book: not read. No book. \x1b[2J",
        "  exchange.trading: 60 s old. It is down.",
        "  exchange.summary: 59 s old.",
        "  wallets: 1 s old. 2 of 44 wallets could not be read.",
    ]


def test_simulated_figures_are_plainly_called_so() -> None:
    assert [*provenance(_result(source="simulated"), Terminal(80))][-1] == SIMULATED
    assert SIMULATED not in [*provenance(_result(source="live"), Terminal(80))]
