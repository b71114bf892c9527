"""How much of a market's open notional the tracked wallets hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pydantic import Field

from papertrade_site.figures.text import share_text
from papertrade_site.figures.wire import WireModel
from papertrade_site.market.instrument import Instrument, Side, coins_to_usd
from papertrade_site.market.position import Position
from papertrade_site.market.scale import SHARE_DIGITS, to_float, usd
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.house_book import book_of
from papertrade_site.recorded.past import house_past
from papertrade_site.upstream.sources import Sources

COVERAGE_TEXT: Final = (
    "It sees only the wallets with the largest open notional: coverage.fraction says what share of the "
    "market they hold, and the many small wallets are not in it."
)
"""What the description of every tool that reads tracked wallets says about them."""


class Coverage(WireModel):
    """How much of one market the tracked wallets hold."""

    fraction: float | None = Field(
        description="Tracked by protocol notional, 0 to 1; null when the latter is 0 or unknown."
    )
    tracked_notional_usd: float
    protocol_notional_usd: float | None = Field(
        description="All that is open, at entry prices; at the mark when the house's book is missing."
    )
    wallets_requested: int = Field(description="As asked for; the leaderboard may list fewer.")
    wallets_read: int
    wallets_failed: int = Field(description="Left out: they could not be read now.")
    positions: int


@dataclass(frozen=True, slots=True)
class WalletsRead:
    """How many of the tracked wallets were asked for, could be read, and could not."""

    requested: int
    read: int
    failed: int


def coverage_of(
    positions: Iterable[Position], *, protocol_notional: int | None, wallets: WalletsRead
) -> Coverage:
    """What the tracked positions of one market come to, beside the protocol's notional at 10^18."""
    notionals = [position.notional for position in positions]
    tracked = sum(notionals)
    return Coverage(
        fraction=_share(tracked, protocol_notional),
        tracked_notional_usd=usd(tracked),
        protocol_notional_usd=None if protocol_notional is None else usd(protocol_notional),
        wallets_requested=wallets.requested,
        wallets_read=wallets.read,
        wallets_failed=wallets.failed,
        positions=len(notionals),
    )


def coverage_sentence(of_market: Mapping[str, Coverage]) -> str:
    """How far the figures of a result reach, by the symbols of its markets, at least one."""
    shares = " and ".join(f"{_share_text(each)} of {symbol}" for symbol, each in of_market.items())
    wallets = next(iter(of_market.values()))
    read, failed = wallets.wallets_read, wallets.wallets_failed
    if failed:
        hold = "it holds" if read == 1 else "they hold"
        return f"{read} of the {read + failed} largest wallets could be read; {hold} {shares} notional."
    if not read:
        return "No wallet is listed."
    hold = "largest wallet holds" if read == 1 else f"{read} largest wallets hold"
    return f"The {hold} {shares} notional."


def _share_text(held: Coverage) -> str:
    if held.fraction is None:
        return "an unknown share"
    return share_text(held.fraction)


def protocol_notional(market: Instrument, *, mark: int, sources: Sources) -> int | None:
    """All that is open in a market, in dollars at 10^18; None when nobody states it.

    The house's book states it at entry prices, as positions do. Where that is missing, open interest at
    the mark stands for it, unless that is 0 as in a market that does not count it; the result is then
    degraded, with a note.
    """
    missing = "Protocol notional is taken from open interest at the mark, or null."
    book = sources.optional(
        lambda: book_of(house_past(sources, Interval.HOUR), market.symbol), missing=missing
    )
    return _open_interest(market, mark=mark) or None if book is None else book.longs + book.shorts


def _open_interest(market: Instrument, *, mark: int) -> int:
    coins = sum(market.open_interest(side) for side in Side)
    return coins_to_usd(coins, price=mark, price_scale=market.price_scale)


def _share(tracked: int, protocol: int | None) -> float | None:
    return to_float(min(Fraction(tracked, protocol), Fraction(1)), digits=SHARE_DIGITS) if protocol else None
