"""What is going on: volume per market, the payout queue, the newest trades, and the relayer's health."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from papertrade_site.market.instrument import Side
from papertrade_site.market.vocabulary import TradeKind
from papertrade_site.strict_json import Json
from papertrade_site.upstream.wire import (
    Address,
    Amount,
    Answered,
    Block,
    Count,
    Digits,
    Flag,
    Label,
    Leverage,
    Number,
    PastMs,
    Price,
    Wire,
)

_MARKET_ID = re.compile(r"0|[1-9][0-9]{0,8}")


def _by_number(markets: Json) -> dict[int, Json]:
    if not isinstance(markets, dict):
        raise ValueError("not an object")
    return {int(key): row for key, row in markets.items() if _MARKET_ID.fullmatch(key)}


class MarketVolume(Wire):
    """One market's volume of the last day, in dollars at 10^18."""

    volume_24h: Amount = Field(validation_alias="volume_24h")


class MarketStats(Answered):
    """Figures per market, by the market's id; markets whose id is not a number are left out."""

    markets: Annotated[dict[int, MarketVolume], BeforeValidator(_by_number)]


class SnapshotTime(Wire):
    """The block and the time in ms that an answer belongs to."""

    block: Block
    at: PastMs


class QueuedPayout(Wire):
    """A winner and what he is owed, in dollars at 10^18."""

    wallet: Address
    owed: Amount


class Queue(Answered):
    """The payout queue: dollars owed at 10^18 and how many wait; the largest, and the next in line."""

    source: SnapshotTime
    total: Amount
    count: Count
    largest: QueuedPayout | None
    front: QueuedPayout | None

    @property
    def active(self) -> bool:
        """Whether anybody waits, which changes how losses mint PAPER."""
        return self.count > 0


def _kind(value: Json) -> TradeKind:
    text = value.lower() if isinstance(value, str) else ""
    if text.startswith("liquidat"):
        return TradeKind.LIQUIDATION
    return TradeKind(text)


def side_of(value: Json) -> Side:
    """A side as the venue may spell it.

    Raises:
        ValueError: when it is neither long nor short.
    """
    return Side(value.lower() if isinstance(value, str) else "")


SideText = Annotated[Side, BeforeValidator(side_of)]
"""``long`` or ``short`` in any case."""


class Trade(Wire):
    """One event of a position; dollars and prices are plain and for display.

    An open has an entry and no exit; the others have an exit and a result, and perhaps an entry.
    """

    seq: Count
    at_ms: PastMs = Field(validation_alias="ts")
    wallet: Address
    symbol: Label = Field(validation_alias="instrument")
    instrument_id: Count
    side: SideText
    leverage: Leverage
    notional_usd: Annotated[Number, Field(ge=0)]
    position_id: Digits
    kind: Annotated[TradeKind, BeforeValidator(_kind)]
    entry: Price | None
    exit: Price | None
    pnl_usd: Number | None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        opens = self.kind is TradeKind.OPEN
        if opens and self.entry is None:
            raise ValueError("an open without its entry")
        if not opens and (self.exit is None or self.pnl_usd is None):
            raise ValueError("an end without its exit or result")
        return self


class RecentTrades(Answered):
    """The newest trades, newest first."""

    events: Annotated[tuple[Trade, ...], Field(max_length=1000)]

    @model_validator(mode="after")
    def _fall_in_order(self) -> Self:
        if any(later.seq >= earlier.seq for earlier, later in pairwise(self.events)):
            raise ValueError("out of order")
        return self


class RelayerHealth(Wire):
    """Whether the relayer that carries out orders says that it works."""

    ok: Flag
    ready: Flag

    @property
    def working(self) -> bool:
        """Both of what it says."""
        return self.ok and self.ready
