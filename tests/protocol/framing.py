"""Requests and answers as the bytes that they are."""

from __future__ import annotations

import re
import socket
from typing import Final

PING: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG: Final = b'{"jsonrpc":"2.0","id":1,"result":{}}'


def request(*headers: str, body: bytes = b"", line: str = "POST /results/mcp HTTP/1.1") -> bytes:
    """The bytes of one JSON request with just these headers beside the host's and the content type."""
    head = "\r\n".join((line, "Host: 127.0.0.1", "Content-Type: application/json", *headers, "", ""))
    return head.encode("latin-1") + body


def sized(body: bytes, *headers: str, line: str = "POST /results/mcp HTTP/1.1") -> bytes:
    return request(f"Content-Length: {len(body)}", *headers, body=body, line=line)


def chunked(*chunks: bytes) -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return request("Transfer-Encoding: chunked", body=body + b"0\r\n\r\n")


def statuses(answer: bytes) -> list[int]:
    """The status of every response in what came back."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", answer)]


def padded(size: int) -> bytes:
    """A ping of so many bytes."""
    return PING + b" " * (size - len(PING))


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def read_all(connection: socket.socket) -> bytes:
    """What a connection yields until it ends, however it ends."""
    received = bytearray()
    try:
        while piece := connection.recv(65_536):
            received += piece
    except ConnectionResetError:
        pass
    return bytes(received)


DOUBTFUL: Final[list[tuple[str, ...]]] = [
    (f"Content-Length: {len(PING)}", "Transfer-Encoding: chunked"),
    ("Content-Length: 40", "Content-Length: 41"),
    ("Content-Length: 40", "Content-Length: 40"),
    ("Content-Length: -1",),
    ("Content-Length: 4_0",),
    ("Content-Length: 0x28",),
    ("Content-Length : 40",),
    ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    ("Transfer-Encoding: chunked, identity",),
    ("Transfer-Encoding: identity",),
    ("Transfer-Encoding:\x0bchunked",),
    ("X-Folded: a\r\n b", "Content-Length: 40"),
    ("X-Cr: a\rContent-Length: 40",),
    ("X-Nul: a\x00b", "Content-Length: 40"),
    ("Content_Length: 40", "Bad Name: x"),
    ("Host: evil.example", "Content-Length: 40"),
]
"""Headers that leave room for doubt where the request ends."""

BARE_LINE_FEED: Final = ("X-Bare: a\nContent-Length: 40",)
"""Headers that are one or two, by whether a line feed alone ends a line."""
