"""Decoding JSON that a stranger wrote: one meaning, finite numbers, bounded nesting, or nothing at all."""

from __future__ import annotations

import re
from json import JSONDecoder, JSONEncoder
from math import isfinite
from typing import Any, Final, NoReturn

Json = Any
"""Decoded JSON: whoever looks inside checks first what it is."""

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class StrictJsonError(ValueError):
    """The bytes are not such JSON; the text says why, as the rest of a sentence about them."""


def decode(body: bytes | bytearray, *, most_nesting: int, most_parts: int | None = None) -> Json:
    """Decode one JSON document.

    Args:
        body: the document in UTF-8, without a byte order mark.
        most_nesting: deepest nesting of lists and objects; above a few hundred, Python's own limit holds.
        most_parts: most commas and opening brackets, or None for as many as there are. Megabytes of empty
            lists take twenty times that in memory.

    Raises:
        StrictJsonError: when it is not valid UTF-8 or JSON, holds NaN, an infinity or a number that
            overflows into one, gives an object's key twice, has half of a surrogate pair, nests too deep
            or has too many parts.
    """
    text = _text(body)
    if most_parts is not None and sum(map(text.count, ",[{")) > most_parts:
        raise StrictJsonError("has too many parts")
    try:
        value = _DECODER.decode(text)
    except StrictJsonError:
        raise
    except RecursionError:
        raise _too_deep(most_nesting) from None
    except ValueError:
        raise StrictJsonError("is not valid JSON") from None
    if _nests_deeper(value, most_nesting):
        raise _too_deep(most_nesting)
    if _SURROGATE.search(text):
        _refuse_half_pairs(value)
    return value


def _text(body: bytes | bytearray) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise StrictJsonError("is not UTF-8") from None


def _refuse_constant(_: str) -> NoReturn:
    raise StrictJsonError("holds a number that JSON does not have (NaN or an infinity)")


def _finite(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise StrictJsonError("holds a number that is too large")
    return value


def _object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(members)
    if len(value) < len(members):
        raise StrictJsonError("holds an object with the same key twice")
    return value


# Made once: to make them takes longer than to read a small document.
_DECODER: Final = JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)
_ENCODER: Final = JSONEncoder(ensure_ascii=False)


def _refuse_half_pairs(value: Json) -> None:
    try:
        _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        raise StrictJsonError("holds half of a surrogate pair") from None


def _nests_deeper(value: Json, most_nesting: int) -> bool:
    level = [value]
    for _ in range(most_nesting):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _too_deep(most_nesting: int) -> StrictJsonError:
    return StrictJsonError(f"nests deeper than {most_nesting} levels")
