"""How the venue writes things down: exact amounts as text, everything in compact JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from papertrade_site.market.scale import WAD
from papertrade_site.simulator.chain import block_at
from papertrade_site.simulator.world import World

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A document that can be sent."""


def encode(document: Json) -> bytes:
    """A document as compact JSON in ASCII."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")


def plain(amount: int) -> float:
    """An amount at 10^18 as the float that the venue shows beside exact amounts."""
    return amount / WAD


def snapshot_source(world: World) -> dict[str, Json]:
    """Which block and moment an answer belongs to."""
    return {"block": str(block_at(world.now_ms)), "at": world.now_ms}
