"""Many callers at once over plain sockets, without a thread for each that would take the machine's time."""

from __future__ import annotations

import json
import re
import selectors
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

MOST_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Caught:
    """What one caller got: the status, the JSON, and how many seconds after the storm began."""

    status: int
    body: Any
    seconds: float


def storm(port: int, path: str, call: Mapping[str, Any], *, callers: int) -> list[Caught]:
    """Send one call from so many callers, each of an address of its own, and wait for all answers."""
    with ExitStack() as stack, selectors.DefaultSelector() as waiting:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(callers)
        ]
        began = time.monotonic()
        for number, connection in enumerate(connections):
            connection.sendall(_request(path, call, client=f"10.0.{number // 250}.{number % 250 + 1}"))
            waiting.register(connection, selectors.EVENT_READ, bytearray())
        caught: list[Caught] = []
        while len(caught) < callers:
            assert time.monotonic() - began < MOST_S
            for key, _ in waiting.select(MOST_S):
                assert isinstance(key.fileobj, socket.socket)
                key.data.extend(key.fileobj.recv(65536))
                if _is_whole(key.data):
                    waiting.unregister(key.fileobj)
                    caught.append(_caught(key.data, time.monotonic() - began))
        return caught


def _request(path: str, call: Mapping[str, Any], *, client: str) -> bytes:
    body = json.dumps(call).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {client}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _is_whole(answer: bytearray) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"\r\ncontent-length: (\d+)", head.lower())
    return bool(end) and length is not None and len(body) >= int(length[1])


def _caught(answer: bytearray, seconds: float) -> Caught:
    head, _, body = answer.partition(b"\r\n\r\n")
    return Caught(int(head.split(b" ", 2)[1]), json.loads(body), seconds)
