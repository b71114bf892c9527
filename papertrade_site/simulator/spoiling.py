"""Answers that are well-formed but say what cannot be: every value of a kind is swapped for a bad one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from papertrade_site.market.vocabulary import DAY_MS
from papertrade_site.simulator.protocol import Answer, EventStream
from papertrade_site.simulator.wire import Json, Scalar

Where = tuple[str | int, ...]
"""The keys and places in lists that lead to a value, outermost first."""

Swap = Callable[[Where, Scalar], Json]
"""Returns what to put in a value's place, often the value itself."""

PRICE_KEYS = frozenset(
    {"px", "o", "h", "l", "c", "markPx", "midPx", "oraclePx", "entry", "exit", "price", "BTC", "ETH"}
)
POSITION_PRICES = (4, 7)
"""Where a position's row holds its entry and bust price."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def spoil(reply: Answer | EventStream, swap: Swap) -> Answer | EventStream:
    """Swap values everywhere in an answer's document, or in the documents of a stream's first frames."""
    if isinstance(reply, Answer):
        return replace(reply, body=_respell(reply.body, swap))
    lines = reply.opening.split(b"\n")
    return replace(reply, opening=b"\n".join(_respell_line(line, swap) for line in lines))


def wrong_type(_: Where, value: Scalar) -> Json:
    """Text becomes a number, everything else becomes text."""
    return 1 if isinstance(value, str) else "many"


def not_a_number(_: Where, value: Scalar) -> Json:
    """Numbers become NaN, and numbers written as text the text NaN."""
    if isinstance(value, str):
        return "NaN" if _NUMBER.fullmatch(value) else value
    return float("nan") if _is_number(value) else value


def price_below_zero(where: Where, value: Scalar) -> Json:
    """Prices change their sign."""
    if not _is_price(where) or value is None:
        return value
    return f"-{value}" if isinstance(value, str) else -value


def price_of_zero(where: Where, value: Scalar) -> Json:
    """Prices become zero."""
    if not _is_price(where) or value is None:
        return value
    return "0" if isinstance(value, str) else 0


def tomorrow(where: Where, value: Scalar) -> Json:
    """Times move a day ahead: milliseconds wherever they stand, seconds under their key."""
    if isinstance(value, int) and where[-1:] == ("indexedThroughTimestamp",):
        return value + DAY_MS // 1000
    return value + DAY_MS if isinstance(value, int) and 10**12 <= value < 10**13 else value


def _respell(document: bytes, swap: Swap) -> bytes:
    # not ``wire.encode``, which rightly refuses the NaN that some swaps are there to send
    return json.dumps(_swap_in(json.loads(document), where=(), swap=swap), separators=(",", ":")).encode()


def _respell_line(line: bytes, swap: Swap) -> bytes:
    field = b"data: "
    return field + _respell(line.removeprefix(field), swap) if line.startswith(field) else line


def _swap_in(value: Json, *, where: Where, swap: Swap) -> Json:
    if isinstance(value, Scalar):
        return swap(where, value)
    if isinstance(value, Mapping):
        return {key: _swap_in(item, where=(*where, key), swap=swap) for key, item in value.items()}
    return [_swap_in(item, where=(*where, index), swap=swap) for index, item in enumerate(value)]


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_price(where: Where) -> bool:
    if len(where) >= 3 and where[-3] == "openPositions":
        return where[-1] in POSITION_PRICES
    return bool(where) and where[-1] in PRICE_KEYS
