"""Decoding JSON that a stranger wrote: finite numbers, bounded nesting, UTF-8, or nothing at all."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final, NoReturn

Json = Any
"""Decoded JSON: checked by a wire model before anyone looks inside."""

MAX_NESTING: Final = 32
"""Deepest nesting of lists and objects; the venue's own bodies stay below ten."""

MAX_PARTS: Final = 200_000
"""Most commas and opening brackets of a document.

Four megabytes of empty lists would take twenty times that in memory; the venue's longest history has
a tenth of this limit.
"""


class StrictJsonError(ValueError):
    """The bytes are not JSON that this project is willing to look at."""


def decode(body: bytes | str) -> Json:
    """Decode one JSON document.

    Raises:
        StrictJsonError: when it is not valid UTF-8 or JSON, holds NaN, an infinity or a number that
            overflows into one, nests deeper than ``MAX_NESTING`` or has more parts than ``MAX_PARTS``.
    """
    text = body if isinstance(body, str) else _text(body)
    if sum(map(text.count, ",[{")) > MAX_PARTS:
        raise StrictJsonError("too many parts")
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except StrictJsonError:
        raise
    except RecursionError:
        raise StrictJsonError("nested too deep") from None
    except ValueError:
        raise StrictJsonError("not JSON") from None
    if _nests_too_deep(value):
        raise StrictJsonError("nested too deep")
    return value


def _text(body: bytes) -> str:
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
