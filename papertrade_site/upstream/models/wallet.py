"""A wallet as the venue's stream first shows it: balances and open positions."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.strict_json import Json
from papertrade_site.upstream.wire import (
    SOURCE_SKEW_MS,
    Address,
    Amount,
    Block,
    BustPrice,
    Count,
    Digits,
    Flag,
    PastMs,
    RawPrice,
    Wire,
    WireRow,
    now_ms,
)

SECONDS_BELOW = 10**11
"""A timestamp below this counts seconds, one above it milliseconds."""


class _PositionRow(WireRow):
    """An open position in the venue's order of places; whether it can be is for ``Position`` to say."""

    id: Digits
    instrument_id: Count
    is_long: Flag
    uses_debt: Flag
    entry: RawPrice
    margin: Annotated[Amount, Field(gt=0)]
    leverage: Count
    bust: BustPrice
    opened_at_ms: PastMs

    def position(self, wallet: str) -> Position:
        """The position as the market arithmetic knows it."""
        return Position(
            id=self.id,
            wallet=wallet,
            instrument_id=self.instrument_id,
            side=Side.LONG if self.is_long else Side.SHORT,
            margin=self.margin,
            leverage=self.leverage,
            entry=self.entry,
            bust=self.bust,
            opened_at_ms=self.opened_at_ms,
        )


def _are_distinct(rows: tuple[_PositionRow, ...]) -> tuple[_PositionRow, ...]:
    if len({row.id for row in rows}) < len(rows):
        raise ValueError("a position is listed twice")
    return rows


class Funds(Wire):
    """What a wallet can use now, in dollars at 10^18."""

    available_balance: Amount
    available_queued: Amount


def _indexed_at_ms(value: Json, info: ValidationInfo) -> int | None:
    """A time whose unit is not documented, in ms; None when it cannot be one."""
    if not isinstance(value, int) or value <= 0:
        return None
    ms = value * 1000 if value < SECONDS_BELOW else value
    return ms if ms <= now_ms(info) + SOURCE_SKEW_MS else None


class WalletState(Wire):
    """A wallet's snapshot; dollars at 10^18.

    ``locked`` is margin in open positions, ``queued`` what waits in the payout queue, ``indexed_at_ms``
    the venue's time of the snapshot where it states one.
    """

    address: Address
    indexed_through_block: Block
    indexed_at_ms: Annotated[int | None, BeforeValidator(_indexed_at_ms)] = Field(
        default=None, validation_alias="indexedThroughTimestamp"
    )
    balance: Amount
    queued: Amount
    locked: Amount
    funds: Funds
    rows: Annotated[tuple[_PositionRow, ...], AfterValidator(_are_distinct)] = Field(
        validation_alias="openPositions", repr=False
    )

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The open positions, newest first, without those that cannot be."""
        positions = (row.position(self.address) for row in self.rows)
        return tuple(position for position in positions if position.can_be)

    @property
    def left_out(self) -> int:
        """How many open positions are not in ``positions``."""
        return len(self.rows) - len(self.positions)

    @model_validator(mode="after")
    def _is_not_all_wrong(self) -> Self:
        if self.rows and not self.positions:
            raise ValueError("no position that can be")
        return self
