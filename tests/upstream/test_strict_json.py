"""Which documents are decoded, and why others are not."""

from __future__ import annotations

import pytest

from papertrade_site.upstream.strict_json import MAX_NESTING, MAX_PARTS, StrictJsonError, decode


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":[1,-2.5,"x",null,true]}', {"a": [1, -2.5, "x", None, True]}),
        ("12345678901234567890123", 12345678901234567890123),
        ("1e3", 1000.0),
        ('"\u20ac"', "€"),
    ],
)
def test_json_is_decoded_from_text_and_from_bytes(text: str, value: object) -> None:
    assert decode(text) == value
    assert decode(text.encode()) == value


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"{} {}", "not JSON"),
        (b"<html></html>", "not JSON"),
        (b"NaN", "NaN or an infinity"),
        (b"[Infinity]", "NaN or an infinity"),
        (b'{"a":-Infinity}', "NaN or an infinity"),
        (b"1e999", "a number overflows"),
        (b"[-1e999]", "a number overflows"),
        (b'"\xff"', "not UTF-8"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"9" * 10_000, "not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b"[" * 2_000 + b"]" * 2_000, "nested too deep"),
    ],
)
def test_anything_else_is_refused_for_a_stated_reason(body: bytes, reason: str) -> None:
    with pytest.raises(StrictJsonError, match=f"^{reason}$"):
        decode(body)


def test_nesting_is_allowed_up_to_the_limit() -> None:
    assert decode("[" * MAX_NESTING + "]" * MAX_NESTING)
    with pytest.raises(StrictJsonError):
        decode("[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1))


def test_a_document_of_very_many_parts_is_refused() -> None:
    assert len(decode("[" + "0," * (MAX_PARTS - 1) + "0]")) == MAX_PARTS
    for filler in ("0,", "[],", "{},"):
        with pytest.raises(StrictJsonError, match="too many parts"):
            decode("[" + filler * MAX_PARTS + "0]")


def test_an_object_in_a_list_counts_as_a_level() -> None:
    with pytest.raises(StrictJsonError):
        decode('[{"a":' * MAX_NESTING + "1" + "}]" * MAX_NESTING)
