from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from papertrade_site.mcp.errors import InvalidParamsError, InvalidRequestError
from papertrade_site.mcp.jsonrpc import (
    Call,
    Invalid,
    Silent,
    encode,
    error_message,
    read_message,
    result_message,
)

ids = st.integers() | st.text()


@given(ids, st.text(), st.none() | st.integers() | st.dictionaries(st.text(), st.integers()))
def test_a_request_is_a_call_with_all_that_it_carries(
    message_id: int | str, method: str, params: object
) -> None:
    document = {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}

    assert read_message(document) == Call(message_id, method, params)


@pytest.mark.parametrize(
    "document",
    [
        {"jsonrpc": "2.0", "method": "x"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": 5},
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": None, "error": {}},
    ],
)
def test_notifications_and_responses_want_no_answer(document: object) -> None:
    assert read_message(document) == Silent()


@pytest.mark.parametrize(
    ("document", "message_id"),
    [
        (None, None),
        ([], None),
        ({"id": 1, "method": "x"}, 1),
        ({"jsonrpc": "2.0", "id": True, "method": "x"}, None),
        ({"jsonrpc": "2.0", "id": 1.0, "method": "x"}, None),
        ({"jsonrpc": "2.0", "id": None, "method": "x"}, None),
        ({"jsonrpc": "2.0", "id": "a", "method": 1}, "a"),
        ({"jsonrpc": "2.0", "id": 2**70}, 2**70),
    ],
)
def test_what_is_no_message_keeps_its_id_where_that_is_sound(document: object, message_id: object) -> None:
    message = read_message(document)

    assert isinstance(message, Invalid)
    assert (message.id, type(message.id)) == (message_id, type(message_id))


@given(ids)
def test_an_id_comes_back_as_it_was(message_id: int | str) -> None:
    answer = json.loads(result_message(message_id, b"{}"))

    assert answer == {"jsonrpc": "2.0", "id": message_id, "result": {}}
    assert type(answer["id"]) is type(message_id)


def test_an_error_has_data_only_where_there_is_some() -> None:
    bare = json.loads(error_message(None, InvalidRequestError("No.")))
    full = json.loads(error_message("a", InvalidRequestError("No.", data={"x": 1})))

    assert bare == {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "No."}}
    assert full["error"] == {"code": -32600, "message": "No.", "data": {"x": 1}}


@given(st.text())
def test_what_is_encoded_is_one_line_of_ascii(text: str) -> None:
    encoded = encode({"text": text})

    assert encoded.isascii()
    assert encoded.decode().splitlines() == [encoded.decode()]
    assert json.loads(encoded) == {"text": text}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_have_is_never_encoded(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode([number])


def test_params_are_named_or_none() -> None:
    assert Call(1, "x", None).named_params() == {}
    assert Call(1, "x", {"a": 1}).named_params() == {"a": 1}
    with pytest.raises(InvalidParamsError):
        Call(1, "x", [1]).named_params()
