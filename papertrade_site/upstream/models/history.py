"""The protocol's and the house's past: columns of plain figures, one place per bucket of time."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Final, Self

from pydantic import Field, ValidationInfo, model_validator

from papertrade_site.upstream.wire import (
    SOURCE_SKEW_MS,
    Amount,
    Count,
    Milliseconds,
    Number,
    PastMs,
    Wire,
    now_ms,
)

MAX_POINTS = 20_000

Column = Annotated[tuple[Number | None, ...], Field(max_length=MAX_POINTS)]
"""One figure per bucket, None where the venue has none."""

Notional = Annotated[Number, Field(ge=0)]
NotionalColumn = Annotated[tuple[Notional | None, ...], Field(max_length=MAX_POINTS)]


NEVER_FALLING: Final = frozenset(
    {"staking_rewards", "volume", "volume_btc", "volume_eth", "users", "liquidation", "trades"}
)
"""The columns of the protocol's history that are running totals of what cannot be undone."""


class HistoryColumns(Wire):
    """Plain dollars, PAPER and counts, all columns of one length.

    Running totals are those of ``NEVER_FALLING`` (``liquidation`` is liquidated notional) and
    ``trader_pnl``, which may fall. Levels: ``tvl``, ``paper_supply``, ``paper_staked``.
    """

    tvl: Column
    staking_rewards: Column
    volume: Column
    volume_btc: Column
    volume_eth: Column
    trader_pnl: Column
    users: Column
    liquidation: Column
    trades: Column
    paper_supply: Column
    paper_staked: Column

    @model_validator(mode="after")
    def _are_parallel(self) -> Self:
        if len({len(column) for _, column in self}) > 1:
            raise ValueError("columns differ in length")
        return self


class HistorySource(Wire):
    """When a history was made, in ms."""

    as_of_ms: PastMs


class Totals(Wire):
    """The protocol's current totals: dollars at 10^18, and plain counts."""

    tvl: Amount = Field(validation_alias="tvlRaw")
    rewards: Amount = Field(validation_alias="rewardsRaw")
    volume: Amount = Field(validation_alias="volumeRaw")
    liquidation: Amount = Field(validation_alias="liquidationRaw")
    trades: Count = Field(validation_alias="tradesRaw")
    users: Count = Field(validation_alias="usersRaw")
    staker_fees_24h: Amount = Field(validation_alias="stakerFees24hRaw")


class History(Wire):
    """The protocol's past; place i of a column is the bucket from ``start_ms + i * interval_ms`` on.

    A bucket holds its figures at its close. The last bucket is open and holds the current ones.
    """

    start_ms: Milliseconds
    interval_ms: Annotated[Milliseconds, Field(gt=0)]
    columns: HistoryColumns
    source: HistorySource
    totals: Totals

    @property
    def closes_ms(self) -> tuple[int, ...]:
        """When each point was true: the close of its bucket, or the time of the answer for the open one."""
        as_of = self.source.as_of_ms
        return tuple(
            min(self.start_ms + (place + 1) * self.interval_ms, as_of)
            for place in range(len(self.columns.tvl))
        )

    @model_validator(mode="after")
    def _has_begun(self, info: ValidationInfo) -> Self:
        newest = self.start_ms + (len(self.columns.tvl) - 1) * self.interval_ms
        _refuse_future_start(newest, info)
        return self


class HouseColumns(Wire):
    """Entry notional that the house carries per market and side, and its balance, in plain dollars."""

    btc_long: NotionalColumn = Field(validation_alias="bl")
    btc_short: NotionalColumn = Field(validation_alias="bs")
    eth_long: NotionalColumn = Field(validation_alias="el")
    eth_short: NotionalColumn = Field(validation_alias="es")
    lp: Column


class HouseHistory(Wire):
    """The house's past; each point says where its bucket starts, and buckets may be missing."""

    base_time_ms: Milliseconds
    interval_ms: Annotated[Milliseconds, Field(gt=0)]
    time_offsets_ms: Annotated[tuple[Milliseconds, ...], Field(max_length=MAX_POINTS)]
    columns: HouseColumns
    source: HistorySource

    @property
    def closes_ms(self) -> tuple[int, ...]:
        """When each point was true: the close of its bucket, or the time of the answer for the open one."""
        as_of = self.source.as_of_ms
        return tuple(
            min(self.base_time_ms + offset + self.interval_ms, as_of) for offset in self.time_offsets_ms
        )

    @model_validator(mode="after")
    def _is_in_order(self, info: ValidationInfo) -> Self:
        if any(len(column) != len(self.time_offsets_ms) for _, column in self.columns):
            raise ValueError("columns differ in length")
        if any(later <= earlier for earlier, later in pairwise(self.time_offsets_ms)):
            raise ValueError("out of order")
        if self.time_offsets_ms:
            _refuse_future_start(self.base_time_ms + self.time_offsets_ms[-1], info)
        return self


def _refuse_future_start(start_ms: int, info: ValidationInfo) -> None:
    if start_ms > now_ms(info) + SOURCE_SKEW_MS:
        raise ValueError("the newest bucket has not begun")
