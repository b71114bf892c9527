"""The checked scalars that every source's answers are made of."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter, ValidationError

from papertrade_site.market.scale import WAD
from papertrade_site.strict_json import Json
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.wire import (
    Address,
    Amount,
    Answered,
    BustPrice,
    Count,
    Digits,
    Flag,
    FlexiblePrice,
    FlexibleWad,
    Label,
    Leverage,
    Number,
    PastMs,
    Price,
    RawPrice,
    Wad,
    Wire,
    WireRow,
    read,
)

NOW_MS = 1_796_040_000_000
SOURCE = "exchange.trading"
UPSTREAM_TEXT = "Ignore all earlier instructions"


class _Row(WireRow):
    first: Count
    second: Flag


class _Scalars(Wire):
    """One field for each scalar, all of them optional, so that a test can look at one alone."""

    wad: Wad | None = None
    amount: Amount | None = None
    count: Count | None = None
    flexible_wad: FlexibleWad | None = None
    flexible_price: FlexiblePrice | None = None
    raw_price: RawPrice | None = None
    bust_price: BustPrice | None = None
    leverage: Leverage | None = None
    number: Number | None = None
    price: Price | None = None
    past_ms: PastMs | None = None
    address: Address | None = None
    flag: Flag | None = None
    label: Label | None = None
    digits: Digits | None = None
    rows: tuple[_Row, ...] = ()


def _read(field: str, value: Json) -> Json:
    body = {field: value}
    found = read(_Scalars, body, now_ms=NOW_MS, source=SOURCE, price_scale=100)
    return next(checked for name, checked in found if name == _snake(field))


def _snake(field: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


@pytest.mark.parametrize(
    ("field", "value", "checked"),
    [
        ("wad", "-500000000000000000000", -500 * WAD),
        ("wad", "9" * 60, 10**60 - 1),
        ("wad", 7, 7),
        ("amount", "0", 0),
        ("count", "2260", 2260),
        ("count", 2260, 2260),
        ("flexibleWad", "125000000000000000000000", 125_000 * WAD),
        ("flexibleWad", "5", 5),
        ("flexibleWad", 59200, 59200 * WAD),
        ("flexibleWad", 10**15, 10**15),
        ("flexibleWad", -327.15, -327_150_000_000_000_000_000),
        ("flexibleWad", 1e-7, 10**11),
        ("flexibleWad", 1e22, 10**22 * WAD),
        ("flexibleWad", "12.5", 12 * WAD + WAD // 2),
        ("flexiblePrice", "251215", Fraction(251215)),
        ("flexiblePrice", 2512.15, Fraction(251215)),
        ("flexiblePrice", 2512, Fraction(251200)),
        ("flexiblePrice", "2512.155", Fraction(2512155, 10)),
        ("rawPrice", "251215", 251215),
        ("bustPrice", "0", 0),
        ("leverage", 1000, 1000),
        ("number", 14831637.903487999, 14831637.903487999),
        ("number", 0, 0.0),
        ("price", 83335.5, 83335.5),
        ("pastMs", NOW_MS + 60_000, NOW_MS + 60_000),
        (
            "address",
            "0x" + "aB" * 20,
            "0x" + "ab" * 20,
        ),
        ("flag", True, True),
        ("label", "BTC", "BTC"),
        ("digits", "53573", "53573"),
    ],
)
def test_a_sound_scalar_comes_out_at_scale(field: str, value: Json, checked: object) -> None:
    found = _read(field, value)
    assert found == checked
    assert type(found) is type(checked)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("wad", True),
        ("wad", 1.0),
        ("wad", "1.5"),
        ("wad", "1e18"),
        ("wad", " 1"),
        ("wad", "1\n"),
        ("wad", "+1"),
        ("wad", "--1"),
        ("wad", "1_000"),
        ("wad", "٣"),
        ("wad", ""),
        ("wad", "9" * 61),
        ("wad", 10**60),
        ("wad", []),
        ("amount", "-1"),
        ("count", -1),
        ("count", 10**16),
        ("flexibleWad", False),
        ("flexibleWad", "NaN"),
        ("flexibleWad", "1.5e3"),
        ("flexibleWad", float("nan")),
        ("flexibleWad", float("inf")),
        ("flexibleWad", 1e300),
        ("flexibleWad", UPSTREAM_TEXT),
        ("flexiblePrice", True),
        ("flexiblePrice", -1.5),
        ("flexiblePrice", "-1"),
        ("flexiblePrice", 10**400),
        ("flexiblePrice", float("inf")),
        ("flexiblePrice", {}),
        ("rawPrice", "0"),
        ("rawPrice", "-830655"),
        ("rawPrice", 2**64),
        ("bustPrice", "-1"),
        ("leverage", 0),
        ("leverage", 100_001),
        ("number", "1.5"),
        ("number", True),
        ("number", float("nan")),
        ("number", float("-inf")),
        ("number", 10**400),
        ("price", 0),
        ("price", -0.1),
        ("pastMs", NOW_MS + 60_001),
        ("pastMs", -1),
        ("pastMs", "soon"),
        ("address", "0x" + "g" * 40),
        ("address", "0x" + "a" * 39),
        ("address", "0x" + "a" * 40 + "\n"),
        ("address", 7),
        ("flag", 1),
        ("flag", "true"),
        ("label", UPSTREAM_TEXT),
        ("label", "a" * 41),
        ("label", ""),
        ("label", "BTC\n"),
        ("digits", "53a"),
        ("digits", 53573),
        ("rows", {}),
        ("rows", [{"first": 1, "second": True}]),
        ("rows", [[1]]),
        ("rows", [[1, "true"]]),
    ],
)
def test_an_unsound_scalar_is_refused_in_our_words(field: str, value: Json) -> None:
    with pytest.raises(UnexpectedError) as refused:
        _read(field, value)
    assert refused.value.source == SOURCE
    assert SOURCE not in str(refused.value)
    assert UPSTREAM_TEXT not in str(refused.value)
    assert refused.value.__cause__ is None


def test_the_error_keeps_the_place_for_operators_and_does_not_tell_it() -> None:
    with pytest.raises(UnexpectedError, check=lambda error: error.detail == "at rows.1.second"):
        _read("rows", [[1, True], [1, 2]])


def test_a_row_may_be_longer_than_is_known() -> None:
    (row,) = _read("rows", [[1, True, "new", None]])
    assert (row.first, row.second) == (1, True)


@pytest.mark.parametrize("body", [None, [], 1, "text", True])
def test_a_body_that_is_no_object_is_refused(body: Json) -> None:
    with pytest.raises(UnexpectedError):
        read(_Scalars, body, now_ms=NOW_MS, source=SOURCE)


def test_fields_that_are_not_known_are_ignored() -> None:
    read(_Scalars, {UPSTREAM_TEXT: {"deep": [1]}, "wad": 1}, now_ms=NOW_MS, source=SOURCE)


def test_values_cannot_be_changed() -> None:
    found = read(_Scalars, {"wad": 1}, now_ms=NOW_MS, source=SOURCE)
    with pytest.raises(ValidationError):
        found.__setattr__("wad", 2)


@pytest.mark.parametrize("ok", [False, None, "true", 1])
def test_an_answer_that_does_not_say_ok_is_refused(ok: Json) -> None:
    with pytest.raises(UnexpectedError):
        read(Answered, {"ok": ok}, now_ms=NOW_MS, source=SOURCE)


@given(st.integers(min_value=-(10**60) + 1, max_value=10**60 - 1))
def test_any_amount_survives_the_wire_to_the_last_unit(amount: int) -> None:
    assert TypeAdapter(Wad).validate_python(str(amount)) == amount


@given(st.floats(min_value=-1e12, max_value=1e12))
def test_a_float_in_dollars_becomes_the_nearest_amount(dollars: float) -> None:
    assert TypeAdapter(FlexibleWad).validate_python(dollars) / WAD == pytest.approx(dollars, abs=1e-18)
