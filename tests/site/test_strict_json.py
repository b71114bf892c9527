"""Which documents are decoded, and why others are not."""

from __future__ import annotations

import re
from functools import partial

import pytest

from papertrade_site.strict_json import StrictJsonError, decode

MOST_NESTING = 32
MOST_PARTS = 200_000

_decode = partial(decode, most_nesting=MOST_NESTING, most_parts=MOST_PARTS)


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
    assert _decode(text.encode()) == value
    assert _decode(bytearray(text.encode())) == value


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "is not valid JSON"),
        (b"{", "is not valid JSON"),
        (b"{} {}", "is not valid JSON"),
        (b"<html></html>", "is not valid JSON"),
        (b"NaN", "holds a number that JSON does not have (NaN or an infinity)"),
        (b"[Infinity]", "holds a number that JSON does not have (NaN or an infinity)"),
        (b'{"a":-Infinity}', "holds a number that JSON does not have (NaN or an infinity)"),
        (b"1e999", "holds a number that is too large"),
        (b"[-1e999]", "holds a number that is too large"),
        (b'"\xff"', "is not UTF-8"),
        (b'"\xed\xa0\xbd"', "is not UTF-8"),
        (b'{"a":1,"a":2}', "holds an object with the same key twice"),
        (b'[{"a":{"b":1,"c":2,"b":1}}]', "holds an object with the same key twice"),
        (rb'["\ud83d"]', "holds half of a surrogate pair"),
        (rb'{"a":"\uDE00\ud83d"}', "holds half of a surrogate pair"),
        (rb'{"\ud83d":1}', "holds half of a surrogate pair"),
        (b"\xff\xfe{\x00}\x00", "is not UTF-8"),
        (b"\xef\xbb\xbf{}", "is not valid JSON"),
        (b"9" * 10_000, "is not valid JSON"),
        (b"[" * 100_000, "nests deeper than 32 levels"),
        (b'{"a":' * 100_000, "nests deeper than 32 levels"),
        (b"[" * 2_000 + b"]" * 2_000, "nests deeper than 32 levels"),
    ],
)
def test_anything_else_is_refused_for_a_stated_reason(body: bytes, reason: str) -> None:
    with pytest.raises(StrictJsonError, match=f"^{re.escape(reason)}$"):
        _decode(body)


def test_nesting_is_allowed_up_to_the_limit() -> None:
    assert _decode(b"[" * MOST_NESTING + b"]" * MOST_NESTING)
    with pytest.raises(StrictJsonError):
        _decode(b"[" * (MOST_NESTING + 1) + b"]" * (MOST_NESTING + 1))


def test_a_document_of_very_many_parts_is_refused() -> None:
    assert len(_decode(b"[" + b"0," * (MOST_PARTS - 1) + b"0]")) == MOST_PARTS
    for filler in (b"0,", b"[],", b"{},"):
        with pytest.raises(StrictJsonError, match="has too many parts"):
            _decode(b"[" + filler * MOST_PARTS + b"0]")


def test_an_object_in_a_list_counts_as_a_level() -> None:
    with pytest.raises(StrictJsonError):
        _decode(b'[{"a":' * MOST_NESTING + b"1" + b"}]" * MOST_NESTING)
