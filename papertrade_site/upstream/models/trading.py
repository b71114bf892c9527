"""The exchange's trading state: switches, minimums, and every market with its limits and open interest."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Final, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.scale import WAD
from papertrade_site.strict_json import Json
from papertrade_site.upstream.wire import (
    Amount,
    Block,
    Count,
    Flag,
    Label,
    LeverageLimit,
    PastMs,
    RawPrice,
    Wire,
    WireRow,
)

SCHEMA_VERSION: Final = 1
"""The only form of the state that is understood; on any other nothing is quoted."""

_DIGITS = re.compile(r"[0-9]{1,60}")

UINT128: Final = 2**128


class _InstrumentRow(WireRow):
    """One market in the venue's order of places; a paused market must carry its frozen prices."""

    id: Count
    symbol: Label
    asset_index: Count
    price_scale: Annotated[Count, Field(ge=1, le=10**12)]
    active: Flag
    paused: Flag
    terminal: Flag
    retired: Flag
    close_only: Flag
    frozen_bid: RawPrice | None
    frozen_ask: RawPrice | None
    paused_at_ms: PastMs | None
    rate_multiplier: Amount
    position_multiplier: Amount
    max_leverage: LeverageLimit
    max_position_notional: Amount
    bust_buffer: Annotated[Amount, Field(lt=WAD)]
    base_rate: Annotated[Amount, Field(le=WAD)]
    reference_notional: Amount
    long_oi: Annotated[Amount, Field(lt=UINT128)]
    short_oi: Annotated[Amount, Field(lt=UINT128)]
    long_cap: Annotated[Amount, Field(lt=UINT128)]
    short_cap: Annotated[Amount, Field(lt=UINT128)]

    @model_validator(mode="after")
    def _scale_is_a_power_of_ten(self) -> Self:
        if self.price_scale != 10 ** (len(str(self.price_scale)) - 1):
            raise ValueError("not a power of ten")
        return self

    @model_validator(mode="after")
    def _is_paused_or_live(self) -> Self:
        """Paused, terminal, frozen prices and the time of the pause come together or not at all.

        A paused market is close-only as well. A live one may be close-only alone: no price hangs on it.
        """
        signs = {
            self.paused,
            self.terminal,
            self.frozen_bid is not None,
            self.frozen_ask is not None,
            self.paused_at_ms is not None,
        }
        if len(signs) > 1 or (self.paused and not self.close_only):
            raise ValueError("neither paused nor live")
        if self.frozen_bid is not None and self.frozen_ask is not None and self.frozen_bid > self.frozen_ask:
            raise ValueError("frozen prices are crossed")
        return self


def _are_distinct(rows: tuple[_InstrumentRow, ...]) -> tuple[_InstrumentRow, ...]:
    if len({row.id for row in rows}) < len(rows) or len({row.symbol for row in rows}) < len(rows):
        raise ValueError("a market is listed twice")
    return rows


class IntakeControls(WireRow):
    """What the relayer takes in: the least PAPER for a stake (10^18), and the actions it refuses now."""

    revision: Count
    paper_stake_minimum: Amount
    paused_actions: tuple[Label, ...]


def _none_if_odd(value: Json, check: ValidatorFunctionWrapHandler) -> Json:
    try:
        return check(value)
    except ValidationError:
        return None


_KNOWN_OR_NONE = WrapValidator(_none_if_odd)


def _max_net_oi(intake: Json) -> int:
    """The third place of ``intake`` when it is an amount; sources disagree on what else it may be."""
    limit = intake[2] if isinstance(intake, list) and len(intake) > 2 else None
    return int(limit) if isinstance(limit, str) and _DIGITS.fullmatch(limit) else 0


class TradingState(Wire):
    """The state of trading on the exchange; dollars at 10^18.

    ``minimum_leverage`` and ``maximum_leverage`` are venue-wide bounds, 0 for none; ``max_net_oi``
    bounds long minus short in dollars, 0 for none. Three parts whose names or forms nobody has seen
    are None when they are missing or not as expected: ``accumulator`` (dollars per PAPER staked, at
    10^27), ``win_fee_rate`` (a fraction at 10^18), and ``intake_controls`` (missing when the relayer
    takes everything). The first two are stated for sure by the summary and by the chain.
    """

    schema_version: Annotated[int, Field(strict=True, ge=SCHEMA_VERSION, le=SCHEMA_VERSION)]
    indexed_through_block: Block
    trading_paused: Flag
    minimum_margin: Amount = Field(validation_alias=AliasChoices("minimumTradeSizeRaw", "minimumMargin"))
    minimum_open_notional: Amount = Field(
        validation_alias=AliasChoices("minimumOpenNotionalRaw", "minimumOpenNotional")
    )
    accumulator: Annotated[Amount | None, _KNOWN_OR_NONE] = Field(
        default=None, validation_alias=AliasChoices("accRewardPerShareRaw", "accRewardPerShare")
    )
    win_fee_rate: Annotated[Annotated[Amount, Field(le=WAD)] | None, _KNOWN_OR_NONE] = Field(
        default=None, validation_alias=AliasChoices("winFeeRateRaw", "winFeeRate")
    )
    minimum_leverage: Count = 0
    maximum_leverage: Count = 0
    max_net_oi: Annotated[int, BeforeValidator(_max_net_oi)] = Field(default=0, validation_alias="intake")
    intake_controls: Annotated[IntakeControls | None, _KNOWN_OR_NONE] = None
    rows: Annotated[tuple[_InstrumentRow, ...], AfterValidator(_are_distinct)] = Field(
        validation_alias="instruments", repr=False
    )

    @cached_property
    def instruments(self) -> tuple[Instrument, ...]:
        """Every market, in the venue's order."""
        return tuple(Instrument(**dict(row)) for row in self.rows)

    def market(self, symbol: str) -> Instrument | None:
        """The market of a symbol such as ``BTC``, or None when the venue does not list it."""
        return next((market for market in self.instruments if market.symbol == symbol), None)
