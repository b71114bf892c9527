"""What arguments and results are made of: their names on the wire, exact numbers, and common fields."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from papertrade_site.upstream.freshness import State


def wire_name(name: str) -> str:
    """A Python name as clients see it: ``change_24h_percent`` becomes ``change24hPercent``."""
    first, *others = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in others)


class WireModel(BaseModel):
    """Arguments, results and their parts; made in Python by Python names, shown by their wire names."""

    model_config = ConfigDict(
        alias_generator=wire_name, populate_by_name=True, frozen=True, allow_inf_nan=False
    )


def _exact(value: object) -> object:
    return Decimal(repr(value)) if isinstance(value, float) else value


def _shortest(value: Decimal) -> Decimal:
    """The same number with no zeros behind its point and no sign at zero.

    So equal ones look alike, to readers and to what keeps answers.
    """
    if not value:
        return Decimal(0)
    text = str(value)
    return Decimal(text.rstrip("0").rstrip(".")) if "." in text and "E" not in text else value


ExactNumber = Annotated[
    Decimal, BeforeValidator(_exact), AfterValidator(_shortest), WithJsonSchema({"type": "number"})
]
"""A number of an argument as the decimal that the caller wrote; its bounds stand in the schema alone."""

Symbol = Literal["BTC", "ETH"]
"""The markets that the tools know by name."""

SYMBOLS: tuple[Symbol, ...] = ("BTC", "ETH")

MarkPrice = Annotated[
    float,
    Field(
        description="Halfway between the best bid and the best ask of Hyperliquid, where the exchange marks; "
        "the frozen price of a market that has ended for good."
    ),
]
"""The mark of a market in dollars, as results of both servers describe it."""

HOW_TO_READ: Final = (
    "Dollars are plain numbers. Names that end in Pct or Percent count in percent, where 1 stands for a "
    "hundredth and not for the whole; Share and Fraction run from 0 to 1. Before you rely on a figure look "
    "at freshness: in sources the fetchedAt of hyperliquid.book tells the age of marks and midpoints, asOf "
    "is the oldest input of any kind, degraded means that something is old or missing, and dataSource "
    "'simulated' means that it is not Papertrade's at all."
)
"""What the instructions of both servers say about the figures of any result."""


class FreshnessRow(WireModel):
    """One source that the result was made from."""

    name: str
    fetched_at: str | None = Field(description="ISO 8601 UTC; null when it could not be read.")
    state: State = Field(description="stale: older than its usual lifetime, or not read at all.")
    note: str | None = Field(
        default=None, exclude_if=lambda note: note is None, description="What is old or missing, and why."
    )


class FreshnessBlock(WireModel):
    """How old the figures are."""

    as_of: str = Field(description="Time of the oldest input used, ISO 8601 UTC.")
    degraded: bool = Field(description="Whether a source failed, so that inputs are old or absent; see note.")
    sources: tuple[FreshnessRow, ...]


class Provenance(WireModel):
    """What every result carries beside its figures."""

    generated_at: str = Field(description="When this was computed, ISO 8601 UTC.")
    data_source: Literal["live", "simulated"] = Field(
        description="simulated: figures of a made-up exchange, not of Papertrade."
    )
    freshness: FreshnessBlock
