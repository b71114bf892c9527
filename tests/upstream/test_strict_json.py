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
        (r'"\ud83d\ude00 \u20ac"', "\U0001f600 €"),
        (r'"\\ud83d"', r"\ud83d"),
        ('[{"a":1},{"a":2}]', [{"a": 1}, {"a": 2}]),
    ],
)
def test_json_is_decoded(text: str, value: object) -> None:
    assert decode(text.encode()) == value
    assert decode(bytearray(text.encode())) == value


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
        (b'"\xed\xa0\xbd"', "not UTF-8"),
        (b'{"a":1,"a":2}', "a name is given twice"),
        (b'[{"a":{"b":1,"c":2,"b":1}}]', "a name is given twice"),
        (rb'["\ud83d"]', "half a surrogate pair"),
        (rb'{"a":"\uDE00\ud83d"}', "half a surrogate pair"),
        (rb'{"\ud83d":1}', "half a surrogate pair"),
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
    assert decode(b"[" * MAX_NESTING + b"]" * MAX_NESTING)
    with pytest.raises(StrictJsonError):
        decode(b"[" * (MAX_NESTING + 1) + b"]" * (MAX_NESTING + 1))


def test_a_document_of_very_many_parts_is_refused() -> None:
    assert len(decode(b"[" + b"0," * (MAX_PARTS - 1) + b"0]")) == MAX_PARTS
    for filler in (b"0,", b"[],", b"{},"):
        with pytest.raises(StrictJsonError, match="too many parts"):
            decode(b"[" + filler * MAX_PARTS + b"0]")


def test_an_object_in_a_list_counts_as_a_level() -> None:
    with pytest.raises(StrictJsonError):
        decode(b'[{"a":' * MAX_NESTING + b"1" + b"}]" * MAX_NESTING)
