from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from papertrade_site.mcp import errors
from papertrade_site.mcp.errors import SHOWN_CHARACTERS, McpError, cut, shown


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.ParseError, -32700),
        (errors.InvalidRequestError, -32600),
        (errors.MethodNotFoundError, -32601),
        (errors.InvalidParamsError, -32602),
        (errors.TooManyRequestsError, -32000),
    ],
)
def test_each_error_has_the_code_of_its_kind(kind: type[McpError], code: int) -> None:
    error = kind("Sentence.", data={"x": 1})

    assert (error.code, error.message, error.data, str(error)) == (code, "Sentence.", {"x": 1}, "Sentence.")


def test_what_fits_is_repeated_whole_and_the_rest_ends_in_an_ellipsis() -> None:
    assert cut("x" * 60) == "x" * 60
    assert cut("x" * 61) == "x" * 59 + "…"
    assert shown('a"b') == '"a\\"b"'
    assert shown(["é", None, 1.5]) == '["é", null, 1.5]'


@given(st.recursive(st.none() | st.text() | st.integers() | st.floats(), st.lists))
def test_no_value_is_repeated_beyond_the_limit_or_over_several_lines(value: object) -> None:
    assert len(shown(value)) <= SHOWN_CHARACTERS
    assert not {"\n", "\r", "\x1b", "\0"} & set(shown(value))
