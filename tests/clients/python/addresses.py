"""Host names for this machine, as a resolver would know them."""

from __future__ import annotations

import socket
from typing import Any

THIS_MACHINE = "127.0.0.1"


def resolve_here(names: list[str]) -> None:
    """Let these names stand for this machine from now on."""
    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *rest: Any, **named: Any) -> Any:  # noqa: ANN401
        name = host.decode("ascii") if isinstance(host, bytes) else host
        return resolve(THIS_MACHINE if name in names else host, *rest, **named)

    socket.getaddrinfo = getaddrinfo
