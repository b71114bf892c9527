"""How the venue writes things down: exact amounts as text, everything in compact JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TypeAlias

from papertrade_site.market.scale import WAD
from papertrade_site.simulator.chain import block_at
from papertrade_site.simulator.protocol import Answer

Scalar: TypeAlias = str | int | float | bool | None
Json: TypeAlias = "Scalar | Sequence[Json] | Mapping[str, Json]"
"""A document that can be sent."""


def encode(document: Json) -> bytes:
    """A document as compact JSON in ASCII."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")


def json_answer(
    document: Json, *, status: HTTPStatus = HTTPStatus.OK, headers: tuple[tuple[str, str], ...] = ()
) -> Answer:
    """A whole answer with a document in it."""
    return Answer(status=status, body=encode(document), headers=headers)


def event_frame(name: str, data: bytes) -> bytes:
    """One server-sent event with an encoded document of a single line as its data."""
    return b"event: " + name.encode("ascii") + b"\ndata: " + data + b"\n\n"


def plain(amount: int) -> float:
    """An amount at 10^18 as the float that the venue shows beside exact amounts."""
    return amount / WAD


def snapshot_source(now_ms: int) -> dict[str, Json]:
    """Which block and moment an answer belongs to."""
    return {"block": str(block_at(now_ms)), "at": now_ms}
