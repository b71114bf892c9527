"""The block number of the chain at a time, since every source states one."""

from __future__ import annotations

KNOWN_BLOCK = 48_068_869
KNOWN_BLOCK_AT_MS = 1_791_537_460_000
MS_PER_BLOCK = 984


def block_at(at_ms: int) -> int:
    """The newest block at a time; one about every second."""
    return KNOWN_BLOCK + (at_ms - KNOWN_BLOCK_AT_MS) // MS_PER_BLOCK
