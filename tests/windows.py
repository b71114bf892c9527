"""Clients whose minute lasts longer than a test."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

LASTS_S: Final = 30


def client_with_time(ask: Callable[[str], str], network: str) -> str:
    """A client, with one request made, whose window does not end while the test runs.

    Args:
        ask: makes a request of the client with an address, and gives the ``RateLimit`` header of its answer.
        network: the first three numbers of all clients' addresses.
    """
    for number in range(1, 255):
        client = f"{network}.{number}"
        if seconds_left(ask(client)) > LASTS_S:
            return client
    raise AssertionError("no window is young")


def seconds_left(header: str) -> int:
    """How long the window lasts that a ``RateLimit`` header tells of."""
    found = re.search(r";t=(\d+)", header)
    assert found is not None
    return int(found[1])
