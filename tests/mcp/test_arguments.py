from __future__ import annotations

import json
from typing import Any, Literal

import jsonschema_rs
import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, Field, ValidationError

from papertrade_site.mcp.arguments import MAX_FAULTS, Fault, faults, model_faults, normalise
from papertrade_site.mcp.schema import input_schema


class Order(BaseModel):
    market: Literal["BTC", "ETH", "all"]
    leverage: int = Field(10, ge=1, le=1_000)
    price: float | None = Field(None, ge=0)
    move: float | None = Field(None, le=100)
    step: float | None = Field(None, ge=0.0001, le=0.7)
    wallet: str | None = Field(None, pattern="^0x[0-9a-fA-F]{4}$", min_length=6, max_length=6)
    exact: bool = False
    tool: Literal["x"] | None = None


SCHEMA = input_schema(Order)
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda some: st.lists(some, max_size=3),
)
any_arguments = st.dictionaries(
    st.sampled_from([*Order.model_fields, "action"]) | st.text(max_size=70), values
)


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"leverage": "10"}, {"leverage": 10}),
        ({"leverage": "-10"}, {"leverage": -10}),
        ({"leverage": "10.0"}, {"leverage": 10}),
        ({"leverage": 10.0}, {"leverage": 10}),
        ({"leverage": "007"}, {"leverage": 7}),
        ({"leverage": 1e20}, {"leverage": 10**20}),
        ({"price": "10"}, {"price": 10}),
        ({"price": "-0.25"}, {"price": -0.25}),
        ({"price": 10.0}, {"price": 10.0}),
        ({"price": "10.0"}, {"price": 10.0}),
        ({"move": "100." + "0" * 30}, {"move": 100.0}),
        ({"step": "0.0001"}, {"step": 0.0001}),
        ({"step": "0.7"}, {"step": 0.7}),
        ({"market": "btc"}, {"market": "BTC"}),
        ({"market": " \tETH\n"}, {"market": "ETH"}),
        ({"market": "ALL"}, {"market": "all"}),
        ({"price": None, "leverage": None, "exact": None}, {}),
        ({"sessionId": 1, "action": 1, "chatInput": 1, "toolCallId": 1, "_": 1, "_sessionID": 1}, {}),
    ],
)
def test_what_clients_really_send_becomes_what_the_schema_means(
    sent: dict[str, Any], meant: dict[str, Any]
) -> None:
    normal = normalise(sent, SCHEMA)

    assert normal == meant
    assert list(map(type, normal.values())) == list(map(type, meant.values()))


NOT_PLAIN: dict[str, list[object]] = {
    "leverage": [
        "12px",
        "",
        " ",
        "NaN",
        "1e3",
        "1e999",
        "+1",
        "1.",
        ".5",
        "1_0",
        "0x1",
        " 1 ",
        "\uff11",
        "1\n",
        "1000.00000000000000000001",
        "10.5",
    ],
    "price": ["abc", "1,5", True, [], "--1", "9" * 31, "Infinity"],
    "market": ["", "B T C", None, 1, ["BTC"], "BTC,ETH"],
    "move": ["\uff11", "100.00000000000000000001"],
    "step": ["0.00009999999999999999999999", "0.70000000000000000000000001"],
    "wallet": [1, "0X12ab", " 0x12ab"],
    "exact": ["true", 1, 0, {}],
    "unknown": [None, 5.0, "5"],
    "tool": ["x"],
}


@pytest.mark.parametrize(
    "sent",
    [{name: value} for name, several in NOT_PLAIN.items() for value in several],
    ids=str,
)
def test_everything_else_stays_as_it_was_sent(sent: dict[str, Any]) -> None:
    assert normalise(sent, SCHEMA) == sent


@given(any_arguments)
def test_to_put_in_order_twice_changes_nothing_more(sent: dict[str, Any]) -> None:
    once = normalise(sent, SCHEMA)

    assert repr(normalise(once, SCHEMA)) == repr(once)


@given(any_arguments)
def test_faults_are_told_just_when_the_schema_refuses(sent: dict[str, Any]) -> None:
    found = faults(sent, SCHEMA, VALIDATOR)

    assert bool(found) is not VALIDATOR.is_valid(normalise(sent, SCHEMA))
    assert len(found) <= MAX_FAULTS
    assert len({fault.argument for fault in found}) == len(found)
    for fault in found:
        assert len(fault.argument) <= 60
        assert len(fault.value or "") <= 60
        json.dumps(fault.json())


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "market is missing; it must be one of BTC, ETH, all."),
        ({"market": "x"}, 'market is "x": it must be one of BTC, ETH, all.'),
        ({"market": "all", "leverage": 0}, "leverage is 0: it must be a whole number from 1 to 1000."),
        (
            {"market": "all", "leverage": 1e300},
            "leverage is 1e+300: it must be a whole number from 1 to 1000.",
        ),
        (
            {"market": "all", "leverage": "0"},
            'leverage is "0": it must be a whole number from 1 to 1000.',
        ),
        ({"market": "all", "price": -1}, "price is -1: it must be a number of 0 or more."),
        ({"market": "all", "move": 101}, "move is 101: it must be a number of 100 or less."),
        ({"market": "all", "exact": 1}, "exact is 1: it must be true or false."),
        (
            {"market": "all", "wallet": "0x12ab\n"},
            'wallet is "0x12ab\\n": it must be a text that matches ^0x[0-9a-fA-F]{4}$.',
        ),
        (
            {"market": "all", "depth": 1},
            "depth is not an argument of this tool, which takes "
            "market, leverage, price, move, step, wallet, exact, tool.",
        ),
    ],
)
def test_a_fault_names_the_argument_the_value_and_what_is_allowed(
    sent: dict[str, Any], sentence: str
) -> None:
    assert [str(fault) for fault in faults(sent, SCHEMA, VALIDATOR)] == [sentence]


def test_a_text_that_matches_no_pattern_is_told_what_the_argument_is() -> None:
    class Whose(BaseModel):
        wallet: str = Field(pattern="^0x$", description="Address of a wallet.")

    schema = input_schema(Whose)
    (fault,) = faults({"wallet": "me"}, schema, jsonschema_rs.validator_for(schema))

    assert str(fault) == 'wallet is "me": it must be a text that matches ^0x$ (Address of a wallet).'


@pytest.mark.parametrize(
    ("name", "quoted"),
    [("a\nb", r'"a\nb"'), ("\u202eevil", r'"\u202eevil"'), ("two words", '"two words"'), ("", '""')],
)
def test_a_strange_name_is_quoted_in_visible_characters(name: str, quoted: str) -> None:
    (fault,) = faults({"market": "all", name: 1}, SCHEMA, VALIDATOR)

    assert str(fault).startswith(f"{quoted} is not an argument of this tool")
    assert fault.json()["argument"] == name


@pytest.mark.parametrize("name", ["Wallet", "WALLET", "wal_let"])
def test_a_name_in_another_case_is_told_its_right_spelling(name: str) -> None:
    (fault,) = faults({"market": "all", name: "0x12ab"}, SCHEMA, VALIDATOR)

    assert str(fault).endswith("wallet, exact, tool; write it wallet.")


def test_a_long_value_and_a_long_name_are_cut() -> None:
    by_name = {
        fault.argument: fault for fault in faults({"market": "m" * 99, "n" * 99: 1}, SCHEMA, VALIDATOR)
    }

    assert by_name["market"].value == '"' + "m" * 58 + "…"
    assert "n" * 59 + "…" in by_name


def test_what_only_the_model_refuses_is_told_in_the_same_words() -> None:
    sent = {"market": "all", "price": 10**400}
    assert VALIDATOR.is_valid(sent)

    with pytest.raises(ValidationError) as caught:
        Order.model_validate(sent)

    (fault,) = model_faults(caught.value, SCHEMA)
    assert fault == Fault("price", "1" + "0" * 58 + "…", "must be a number of 0 or more")


@given(any_arguments)
def test_what_the_schema_takes_the_model_takes_unless_no_float_can_hold_it(sent: dict[str, Any]) -> None:
    normal = normalise(sent, SCHEMA)
    sound = {
        name: value for name, value in normal.items() if VALIDATOR.is_valid({"market": "BTC", name: value})
    }

    order = Order.model_validate({"market": "BTC", **sound})

    assert sound.items() <= order.model_dump().items()
