"""What each fault of the embedded exchange makes of each resource, and what each tool needs of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.upstream.errors import (
    BusyError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)

ALWAYS: Final = 1.0
"""The argument that lets ``unavailable`` spoil every call."""

PATHS: Final = {
    "trading": "/state/trading",
    "summary": "/query/protocol/summary",
    "history": "/query/protocol/history",
    "house_history": "/query/house/history",
    "market_stats": "/query/protocol/market-stats",
    "queue": "/query/protocol/queue-summary",
    "recent_trades": "/query/protocol/trades/recent",
    "relayer": "/relayer/health",
    "wallet": "/state/user/live",
    "leaderboard": "/state/leaderboard/accounts",
    "best_positions": "/state/leaderboard/positions",
    "liquidation_map": "/state/liquidation-map",
    "book": "/info",
    "candles": "/info",
    "paper": "/evm",
}
"""Where each resource is asked for, by the short names that are used here."""

HURRIED: Final = frozenset({"delay", "hang", "drip", "drip_head"})
"""Faults that use up whatever time the call has."""

HURRIED_SECONDS: Final = 0.05
"""Time of a call that is going to use all of it."""

CEILING_SECONDS: Final = 12.5
"""The longest that a call may take, whatever the sources do."""

GROWTH_CEILING_BYTES: Final = 20_000_000
"""The most that memory may grow by while a source misbehaves."""

WHOLE_ANSWER: Final[dict[str, type[UpstreamError]]] = {
    "unavailable": UnreachableError,
    "html_500": UnreachableError,
    "html_200": UnexpectedError,
    "error_object": UnexpectedError,
    "no_content": UnexpectedError,
    "empty": UnexpectedError,
    "too_many_requests": BusyError,
    "redirect": UnexpectedError,
    "delay": SlowError,
    "hang": SlowError,
    "drip": SlowError,
    "drip_head": SlowError,
    "truncated": UnreachableError,
    "reset": UnreachableError,
    "oversized": UnexpectedError,
    "gzip_bomb": UnexpectedError,
    "broken_json": UnexpectedError,
    "not_utf8": UnexpectedError,
    "nested": UnexpectedError,
    "long_number": UnexpectedError,
    "wrong_types": UnexpectedError,
}
"""Faults that no resource survives, and the error that each of them is."""

UNSOUND_FIGURES: Final[dict[str, frozenset[str]]] = {
    "nan": frozenset(PATHS) - {"relayer"},
    "negative_price": frozenset({"recent_trades", "wallet", "liquidation_map", "book", "candles"}),
    "zero_price": frozenset({"recent_trades", "wallet", "liquidation_map", "book", "candles"}),
    "future": frozenset(
        {
            "summary",
            "history",
            "house_history",
            "queue",
            "recent_trades",
            "wallet",
            "best_positions",
            "book",
            "candles",
        }
    ),
}
"""Faults in single figures, and the resources that hold such a figure and are read for it."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a tool makes of its sources, for the arguments given here.

    Attributes:
        server: the slug of the tool's server.
        arguments: of the call.
        one_of_each: the tool is an error unless one resource of each of these groups can be read.
        parts: resources without which the result lacks a part, and says so as degraded.
        replaced: resources in whose place another serves just as well, so that nobody is told.
        in_reserve: resources that are not read while all others are there.
    """

    server: str
    arguments: dict[str, Any]
    one_of_each: tuple[frozenset[str], ...]
    parts: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    in_reserve: frozenset[str] = frozenset()

    @property
    def read(self) -> frozenset[str]:
        """All that is read while nothing is wrong."""
        return frozenset().union(*self.one_of_each, self.parts, self.replaced) - self.in_reserve

    def are_met_without(self, broken: frozenset[str]) -> bool:
        """Whether the tool has an answer while these resources cannot be read."""
        return all(group - broken for group in self.one_of_each)


def _all_of(*resources: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset({resource}) for resource in resources)


def _one_of(*resources: str) -> frozenset[str]:
    return frozenset(resources)


_SWEEP: Final = _all_of("trading", "book", "leaderboard", "wallet")
"""What the tools need that look at the tracked wallets."""

NEEDS: Final[dict[str, Needs]] = {
    "get_bust_map": Needs(
        "liquidations", {"market": "BTC", "wallets": 44}, _SWEEP, parts=_one_of("house_history")
    ),
    "get_bust_cluster_summary": Needs(
        "liquidations", {"market": "all", "wallets": 44}, _SWEEP, parts=_one_of("house_history")
    ),
    "get_closest_to_bust": Needs(
        "liquidations",
        {"market": "all", "wallets": 44},
        _SWEEP,
        parts=_one_of("house_history"),
        replaced=_one_of("paper"),
    ),
    "get_protocol_liquidation_map": Needs(
        "liquidations",
        {"market": "ETH"},
        (
            *_all_of("trading", "book"),
            _one_of("liquidation_map", "leaderboard"),
            _one_of("liquidation_map", "wallet"),
        ),
        parts=_one_of("liquidation_map"),
        in_reserve=_one_of("leaderboard", "wallet"),
    ),
    "get_wallet_distance_to_bust": Needs(
        "liquidations", {}, _all_of("wallet", "trading", "book"), replaced=_one_of("paper")
    ),
    "get_history": Needs("analytics", {"metric": "tvl"}, _all_of("history")),
    "get_market_stats": Needs(
        "analytics",
        {},
        _all_of("trading"),
        parts=_one_of("market_stats", "house_history", "book", "candles"),
        replaced=_one_of("paper"),
    ),
    "get_open_interest": Needs(
        "analytics",
        {"history": True},
        (_one_of("house_history", "trading"),),
        parts=_one_of("house_history", "trading", "book"),
    ),
    "get_paper_economics": Needs(
        "analytics", {}, (_one_of("paper", "summary"),), parts=_one_of("paper", "summary", "history")
    ),
    "get_position_insights": Needs("analytics", {"window": "24h"}, _all_of("best_positions")),
    "get_protocol_snapshot": Needs(
        "analytics",
        {},
        _all_of("summary"),
        parts=_one_of("history", "house_history", "market_stats", "queue"),
    ),
    "get_top_traders": Needs("analytics", {"window": "all", "limit": 50}, _all_of("leaderboard")),
    "quote_position_outcome": Needs(
        "analytics",
        {"symbol": "ETH", "side": "short", "marginUsd": 200, "leverage": 10, "priceMovePct": 0.5},
        _all_of("trading", "book"),
        parts=_one_of("queue"),
        replaced=_one_of("paper"),
    ),
}
"""Of every tool. ``get_wallet_distance_to_bust`` needs a wallet with positions besides."""


def broken_by(fault: str, *, below: str = "/") -> frozenset[str]:
    """The resources that cannot be read while all paths that begin so have a fault."""
    spoiled = UNSOUND_FIGURES.get(fault, frozenset(PATHS))
    return frozenset(resource for resource in spoiled if PATHS[resource].startswith(below))


def paths_of(resources: Iterable[str]) -> list[str]:
    """Where resources are asked for, each path once."""
    return sorted({PATHS[resource] for resource in resources})
