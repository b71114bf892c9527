"""What the sources' JSON is made of: checked scalars, rows given as lists, and one way to fail.

Every figure leaves here as an integer at the contract's scale, a finite float (where the venue itself
sends plain dollars) or a time in milliseconds. Text of a source is never part of an error.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Annotated, Final, Self, TypeVar

from pydantic import (
    AfterValidator,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel

from papertrade_site.market.position import MAX_LEVERAGE
from papertrade_site.market.scale import WAD, nearest_div, parse_decimal
from papertrade_site.market.settlement import MAX_RAW_PRICE
from papertrade_site.strict_json import Json
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.refusals import unexpected

SOURCE_SKEW_MS: Final = 60_000
"""How far ahead of ours a source's clock may be."""

PLAIN_DOLLARS_BELOW: Final = 10**15
"""A JSON integer below this, where 18 decimals are usual, can only be meant in plain dollars."""

_INTEGER = re.compile(r"-?[0-9]{1,60}", re.ASCII)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)


def _integer(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and _INTEGER.fullmatch(value):
        number = int(value)
    else:
        raise ValueError("not an integer")
    if abs(number) >= 10**60:
        raise ValueError("too long")
    return number


def _flexible_wad(value: object) -> int:
    if isinstance(value, float):
        return _float_to_wad(value)
    if isinstance(value, str) and "." in value:
        return parse_decimal(value, WAD)
    number = _integer(value)
    if isinstance(value, int) and abs(number) < PLAIN_DOLLARS_BELOW:
        return number * WAD
    return number


def _float_to_wad(value: float) -> int:
    if not math.isfinite(value) or abs(value) > 1e40:
        raise ValueError("not a plausible amount")
    exact = Fraction(repr(value))
    return nearest_div(exact.numerator * WAD, exact.denominator)


def _raw_price(value: Json, info: ValidationInfo) -> Fraction:
    if isinstance(value, str) and "." not in value:
        return Fraction(_integer(value))
    if isinstance(value, float | str):
        dollars = Fraction(_flexible_wad(value), WAD)
    else:
        dollars = Fraction(_integer(value))
    return dollars * _told(info, "price_scale")


def address(value: object) -> str:
    """A wallet in lower case.

    Raises:
        ValueError: when the value is not 0x and 40 hex digits.
    """
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise ValueError("not an address")
    return value.lower()


def _not_in_the_future(ms: int, info: ValidationInfo) -> int:
    if ms > now_ms(info) + SOURCE_SKEW_MS:
        raise ValueError("in the future")
    return ms


def now_ms(info: ValidationInfo) -> int:
    """Our time in ms when the body was read, as ``read`` was told."""
    return _told(info, "now_ms")


def _told(info: ValidationInfo, what: str) -> int:
    context: dict[str, int] = info.context or {}
    return context[what]


Wad = Annotated[int, BeforeValidator(_integer)]
"""An amount at 10^18 (or at another scale that the field names), possibly negative."""

Amount = Annotated[int, BeforeValidator(_integer), Field(ge=0)]
"""An amount at 10^18 that cannot be negative."""

FlexibleWad = Annotated[int, BeforeValidator(_flexible_wad)]
"""An amount at 10^18 from a field whose form is not documented.

A string of digits is at 10^18; a JSON number, or a string with a point, is plain dollars, but for an
integer so large that only 10^18 makes sense of it.
"""

FlexibleAmount = Annotated[FlexibleWad, Field(ge=0)]
"""A ``FlexibleWad`` that cannot be negative."""

Count = Annotated[int, BeforeValidator(_integer), Field(ge=0, le=10**15)]
"""A number of things, sent as an integer or as its digits."""

Block = Annotated[int, BeforeValidator(_integer), Field(ge=0, le=10**15)]
"""A block height."""

RawPrice = Annotated[int, BeforeValidator(_integer), Field(gt=0, le=MAX_RAW_PRICE)]
"""A price at the market's scale, above 0."""

FlexiblePrice = Annotated[Fraction, BeforeValidator(_raw_price), Field(ge=0, le=MAX_RAW_PRICE)]
"""A price or a step of prices, in raw units, from a field whose form is not documented.

Digits alone are raw, as in every documented answer; a JSON number, or a string with a point, is dollars.
"""

BustPrice = Annotated[int, BeforeValidator(_integer), Field(ge=0, le=MAX_RAW_PRICE)]
"""A bust price at the market's scale; whether it can be is left to whoever knows the whole position."""

Leverage = Annotated[int, BeforeValidator(_integer), Field(ge=1, le=MAX_LEVERAGE)]
"""A whole-number leverage of a position."""

LeverageLimit = Annotated[int, BeforeValidator(_integer), Field(ge=1, le=100_000)]
"""The highest leverage that the venue allows, which it may raise."""

Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-1e40, le=1e40)]
"""A finite figure that the source sends as a JSON number, in plain units."""

Price = Annotated[Number, Field(gt=0)]
"""A price in plain dollars, above 0, that the source sends as a JSON number."""

Milliseconds = Annotated[int, BeforeValidator(_integer), Field(ge=0, le=10**14)]
"""A time or a span in ms; a time may lie in the future."""

PastMs = Annotated[Milliseconds, AfterValidator(_not_in_the_future)]
"""A time in ms that is not later than now, within ``SOURCE_SKEW_MS``."""

Address = Annotated[str, BeforeValidator(address)]
"""A wallet, as 0x and forty lower-case hex digits."""

Flag = Annotated[bool, Field(strict=True)]
"""True or false, and nothing that looks like it."""

Label = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9_.:/-]{1,40}$")]
"""A short name from the source's own vocabulary; never free text."""

Digits = Annotated[str, Field(strict=True, pattern=r"^[0-9]{1,78}$")]
"""An identifier that is made of digits."""


class Wire(BaseModel):
    """A checked JSON object: camelCase outside, snake_case inside, unknown fields ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=AliasGenerator(validation_alias=to_camel),
        hide_input_in_errors=True,
    )


class WireRow(Wire):
    """A checked JSON list whose places have meanings, in the order of the fields; more places are ignored."""

    model_config = ConfigDict(alias_generator=None)

    @model_validator(mode="before")
    @classmethod
    def _name_the_places(cls, row: Json) -> dict[str, Json]:
        if not isinstance(row, list):
            raise ValueError("not a list")
        return dict(zip(cls.model_fields, row, strict=False))


class Answered(Wire):
    """An answer that says itself whether it is one."""

    ok: Flag = True

    @model_validator(mode="after")
    def _is_ok(self) -> Self:
        if not self.ok:
            raise ValueError("the source says that it failed")
        return self


Model = TypeVar("Model", bound=BaseModel)


def read(model: type[Model], body: Json, *, now_ms: int, source: str, price_scale: int = 1) -> Model:
    """Check a decoded body against a model; ``price_scale`` is for models that turn dollars into raw prices.

    Raises:
        UnexpectedError: when it does not fit; the place that does not is in ``detail``, for operators.
    """
    try:
        return model.model_validate(body, context={"now_ms": now_ms, "price_scale": price_scale})
    except ValidationError as error:
        raise misfit(source, where=_place(error)) from None


def misfit(source: str, *, where: str) -> UnexpectedError:
    """The error for a body that is not of the promised shape at a place such as ``instruments.0``."""
    return unexpected(source, "has an unexpected form or figure", detail=f"at {where}")


def _place(error: ValidationError) -> str:
    """The first place that does not fit: names of our own fields and list positions, nothing else."""
    places = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    return ".".join(str(place) for place in places if isinstance(place, int) or place.isidentifier()) or "top"
