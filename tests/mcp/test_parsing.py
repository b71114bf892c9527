from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from papertrade_site.mcp.errors import ParseError
from papertrade_site.mcp.parsing import MOST_NESTING, parse_json

texts = st.text(st.characters(exclude_categories=["Cs"]))
documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda children: (
        st.lists(children) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), children)
    ),
    max_leaves=25,
)


@given(documents, st.booleans(), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_every_document_is_read_as_it_was_written(document: object, escapes: bool, mark: bytes) -> None:
    body = mark + json.dumps(document, ensure_ascii=escapes).encode()

    assert parse_json(body) == document


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_with_one_error(body: bytes) -> None:
    try:
        document = parse_json(body)
    except ParseError:
        return
    json.dumps(document, allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"", "not valid JSON"),
        (b"[" + b"1" * 5_000 + b"]", "not valid JSON"),
        (b"\xff", "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b'"\\ud800"', "half of a surrogate pair"),
        (b'{"\\udfff":1}', "half of a surrogate pair"),
        (b'{"a":1,"a":1}', "the same key twice"),
        (b"[NaN]", "NaN"),
        (b"[-Infinity]", "infinity"),
        (b"[1e999]", "too large"),
        (b"[" * 65 + b"]" * 65, "deeper than 64"),
        (b"[" * 30_000, "deeper than 64"),
    ],
)
def test_a_refusal_says_what_is_wrong(body: bytes, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse_json(body)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"":', b"}")])
def test_the_deepest_nesting_is_read_and_one_more_level_is_not(opening: bytes, closing: bytes) -> None:
    inside = b"[]"
    deepest = opening * (MOST_NESTING - 1) + inside + closing * (MOST_NESTING - 1)

    assert parse_json(deepest)
    with pytest.raises(ParseError, match="deeper"):
        parse_json(opening + deepest + closing)


def test_an_integer_above_64_bits_keeps_every_digit() -> None:
    assert parse_json(b"18446744073709551617") == 2**64 + 1
