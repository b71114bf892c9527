"""An open position as every Liquidations tool shows it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pydantic import Field

from papertrade_site.clock import iso
from papertrade_site.figures.text import amount, dollars
from papertrade_site.figures.venue import WinFee
from papertrade_site.figures.wire import MarkPrice, WireModel
from papertrade_site.market.bust import Danger, danger, distance, distance_share, risk_basis_points
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import percent, usd
from papertrade_site.market.settlement import settle_position

DANGER_TEXT = (
    "Danger by distance from the mark to the bust price: busted at 0 or past it, critical below 0.05 %, "
    "high below 0.25 %, medium below 1 %, else low."
)


class PositionRow(WireModel):
    """One open position. Bust price as the contract stored it; distance and result at the mark."""

    position_id: str
    wallet: str
    market: str
    side: Side
    margin_usd: float
    leverage: int
    notional_usd: float = Field(description="Margin times leverage.")
    entry_price_usd: float
    mark_price_usd: MarkPrice
    bust_price_usd: float = Field(description="Reaching it loses the whole margin.")
    distance_percent: float = Field(
        description="From mark to bust price in percent of the mark; 0 or negative once crossed."
    )
    distance_usd: float = Field(description="The same as a price difference.")
    danger: Danger
    risk_percent: float = Field(
        description="How much of the way from entry to bust price the mark has gone, 0 to 100."
    )
    unrealized_pnl_usd: float = Field(
        description="Gain or loss if it were closed at the mark, with all that the exchange takes off a "
        "win; never below -marginUsd."
    )
    opened_at: str = Field(description="ISO 8601 UTC.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPosition:
    """An open position at a mark, in exact figures; dollars at 10^18.

    ``unrealized`` is the gain or loss of closing at the mark. Order and labels come from here, never from
    the rounded row.
    """

    position: Position
    market: Instrument
    mark: int
    distance: Fraction
    unrealized: int

    @property
    def danger(self) -> Danger:
        """How near it is to busting."""
        return danger(self.distance)

    @property
    def nearness(self) -> tuple[Fraction, int]:
        """Sorts the position nearest to its bust price first, and of equally near ones the largest."""
        return self.distance, -self.position.notional

    def row(self) -> PositionRow:
        """The position as results show it."""
        position, market, side = self.position, self.market, self.position.side
        risk = risk_basis_points(side, entry=position.entry, bust=position.bust, mark=self.mark)
        return PositionRow(
            position_id=position.id,
            wallet=position.wallet,
            market=market.symbol,
            side=side,
            margin_usd=usd(position.margin),
            leverage=position.leverage,
            notional_usd=usd(position.notional),
            entry_price_usd=market.price_usd(position.entry),
            mark_price_usd=market.price_usd(self.mark),
            bust_price_usd=market.price_usd(position.bust),
            distance_percent=percent(self.distance),
            distance_usd=market.price_usd(distance(side, mark=self.mark, bust=position.bust)),
            danger=self.danger,
            risk_percent=risk / 100,
            unrealized_pnl_usd=usd(self.unrealized),
            opened_at=iso(position.opened_at_ms),
        )


def nearness_text(row: PositionRow) -> str:
    """How near a position is to busting, for the sentences of summaries."""
    return (
        f"bust price {dollars(row.bust_price_usd)}, mark {dollars(row.mark_price_usd)}, "
        f"distance {amount(row.distance_percent)} % ({dollars(row.distance_usd)}), danger {row.danger}"
    )


def marked(position: Position, market: Instrument, *, mark: int, fee: WinFee) -> MarkedPosition:
    """Measure a position of a market at its raw mark price, which is above 0."""
    settlement = settle_position(market, position, mark=mark, win_fee_rate=fee.rate)
    return MarkedPosition(
        position=position,
        market=market,
        mark=mark,
        distance=distance_share(position.side, mark=mark, bust=position.bust),
        unrealized=settlement.net,
    )
