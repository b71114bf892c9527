"""How each source is, for whoever asks whether the service is ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream import exchange, hyperevm
from papertrade_site.upstream.sources import Sources


class Condition(StrEnum):
    """Whether a source has a copy within its fresh time, an older one, or none that may be shown."""

    FRESH = "fresh"
    STALE = "stale"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SourceState:
    """How one source is: the age of its oldest copy in seconds, and a sentence of ours when one is due.

    ``age_s`` is None when nothing was read at all: it failed, or no market has a price that still moves.
    """

    name: str
    state: Condition
    age_s: float | None
    note: str | None


def source_report(sources: Sources) -> list[SourceState]:
    """Read what nearly every tool needs, and say how each source is; never raises.

    This warms the cache as well. It asks the sources for whatever is not fresh and takes as long as
    the call's budget allows, so a health check hands over a budget of a few seconds.
    """
    parts: dict[str, Callable[[], object]] = {
        "exchange.trading": sources.trading,
        "exchange.summary": sources.summary,
        "exchange.house_history": lambda: sources.house_history(Interval.HOUR),
        "hyperliquid.book": lambda: _marks(sources),
        "hyperevm.paper": sources.paper,
    }
    sources.prefetch(
        exchange.trading(), exchange.summary(), exchange.house_history(Interval.HOUR), hyperevm.paper()
    )
    failed = {name for name, read in parts.items() if sources.optional(read, missing="Not read.") is None}
    return [_state(name, sources, failed=name in failed) for name in parts]


def _marks(sources: Sources) -> dict[int, int]:
    return sources.marks(market for market in sources.trading().instruments if not market.retired)


def _state(name: str, sources: Sources, *, failed: bool) -> SourceState:
    row = next((row for row in sources.freshness().sources if row.name == name), None)
    if row is None and failed:
        return SourceState(name, Condition.FAILED, None, "Not read: the markets are not known.")
    if row is None:
        return SourceState(name, Condition.FRESH, None, "Not read: no market has a moving price.")
    age_s = None
    if row.fetched_at_ms is not None:
        age_s = max(sources.clock.now_ms() - row.fetched_at_ms, 0) / 1000
    return SourceState(name, Condition.FAILED if failed else Condition(row.state.value), age_s, row.note)
