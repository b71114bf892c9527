"""Decoding JSON that a stranger wrote: one meaning, finite numbers, bounded nesting, or nothing at all."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, Final, NoReturn

Json = Any
"""Decoded JSON: checked by a wire model before anyone looks inside."""

MAX_NESTING: Final = 32
"""Deepest nesting of lists and objects; the venue's own bodies stay below ten."""

MAX_PARTS: Final = 200_000
"""Most commas and opening brackets of a document.

Megabytes of empty lists would take twenty times that in memory; the venue's longest history has a
tenth of this limit.
"""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class StrictJsonError(ValueError):
    """The bytes are not JSON that this project is willing to look at."""


def decode(body: bytes | bytearray) -> Json:
    """Decode one JSON document.

    Raises:
        StrictJsonError: when it is not valid UTF-8 or JSON, holds NaN, an infinity or a number that
            overflows into one, names a member twice, has half a surrogate pair, nests deeper than
            ``MAX_NESTING`` or has more parts than ``MAX_PARTS``.
    """
    text = _text(body)
    if sum(map(text.count, ",[{")) > MAX_PARTS:
        raise StrictJsonError("too many parts")
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_object
        )
    except StrictJsonError:
        raise
    except RecursionError:
        raise StrictJsonError("nested too deep") from None
    except ValueError:
        raise StrictJsonError("not JSON") from None
    if _nests_too_deep(value):
        raise StrictJsonError("nested too deep")
    if _SURROGATE.search(text):
        _refuse_half_pairs(value)
    return value


def _text(body: bytes | bytearray) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise StrictJsonError("not UTF-8") from None


def _refuse_constant(name: str) -> NoReturn:
    raise StrictJsonError("NaN or an infinity")


def _finite(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise StrictJsonError("a number overflows")
    return value


def _object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(members)
    if len(value) < len(members):
        raise StrictJsonError("a name is given twice")
    return value


def _refuse_half_pairs(value: Json) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise StrictJsonError("half a surrogate pair") from None


def _nests_too_deep(value: Json) -> bool:
    level = [value]
    for _ in range(MAX_NESTING):
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
