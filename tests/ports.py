"""Ports for services that tests start."""

from __future__ import annotations

import socket
from random import SystemRandom

_random = SystemRandom()  # the other one is seeded alike in every process that runs tests


def free_pair() -> int:
    """A free port whose follower, the embedded exchange's, is free too.

    Both are below those that the system itself gives to connections and to whoever leaves the choice to it.
    """
    while True:
        port = _random.randrange(20_000, 32_000, 2)
        try:
            for number in (port, port + 1):
                socket.create_server(("127.0.0.1", number)).close()
        except OSError:
            continue
        return port
