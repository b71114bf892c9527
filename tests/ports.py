"""Ports for services that tests start."""

from __future__ import annotations

import socket


def free_pair() -> int:
    """A free port whose follower, the embedded exchange's, is free too."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port = int(first.getsockname()[1])
            try:
                socket.create_server(("127.0.0.1", port + 1)).close()
            except (OSError, OverflowError):
                continue
        return port
