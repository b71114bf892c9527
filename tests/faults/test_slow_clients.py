"""Slow clients before a real nginx: they hold nobody up, and are closed."""

from __future__ import annotations

import json
import socket
import time
from contextlib import ExitStack

from tests.faults.proxy import HEAD, PATH, TIMEOUT_S, connect, post
from tests.protocol.framing import PING, PONG, body_of, read_all, sized

STALLED = 200
CLOSING_CEILING_S = TIMEOUT_S + 5
"""By when a stalled client is gone: 15 s with the 10 s of the file."""

P95_CEILING_S = 0.5
LINE = f"POST {PATH} HTTP/1.1"

STALLS = {
    "before the head": b"",
    "in the head": HEAD,
    "before the body": HEAD + b"Content-Length: 40\r\n\r\n",
    "in the body": HEAD + b"Content-Length: 40\r\n\r\n" + PING[:20],
    "in a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n28\r\n" + PING[:20],
}
"""All that a client sends, which is never a whole request."""


def _is_closed(connection: socket.socket, more: bytes = b"") -> bool:
    """Whether the other end, sent more, is gone within the connection's time; it may say why first."""
    try:
        connection.sendall(more)
        while connection.recv(4096):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_stalled_clients_hold_nobody_up_and_are_closed(proxy: int) -> None:
    assert post(proxy, client="127.1.0.1").content == PONG
    with ExitStack() as stack:
        began = time.monotonic()
        stalled = []
        for number in range(STALLED):
            connection = stack.enter_context(connect(proxy, client=f"127.2.0.{number + 1}"))
            connection.sendall(list(STALLS.values())[number % len(STALLS)])
            stalled.append(connection)
        took = sorted(_seconds(proxy, client="127.1.0.1") for _ in range(20))
        assert took[18] < P95_CEILING_S  # the 19th of 20

        for connection in stalled:
            connection.settimeout(max(began + CLOSING_CEILING_S - time.monotonic(), 0.001))
        assert all(_is_closed(connection) for connection in stalled)


def _seconds(port: int, *, client: str) -> float:
    began = time.monotonic()
    assert post(port, client=client).content == PONG
    return time.monotonic() - began


def test_a_head_that_comes_a_byte_at_a_time_is_given_up_like_one_that_stalls(proxy: int) -> None:
    with connect(proxy, client="127.1.0.1") as connection:
        connection.settimeout(0.1)
        began = time.monotonic()
        for byte in HEAD + b"X-Drip: " + b"x" * 1000:
            if _is_closed(connection, bytes([byte])):
                break
        assert time.monotonic() - began < CLOSING_CEILING_S


def test_bodies_that_come_a_byte_at_a_time_hold_nobody_up_and_are_answered(proxy: int) -> None:
    with ExitStack() as stack:
        drips = [stack.enter_context(connect(proxy, client=f"127.4.0.{number}")) for number in range(1, 51)]
        for drip in drips:
            drip.sendall(sized(b"", "Connection: close", line=LINE).replace(b"Length: 0", b"Length: 40"))
        took: list[float] = []
        for byte in PING:
            for drip in drips:
                drip.sendall(bytes([byte]))
            took.append(_seconds(proxy, client=f"127.4.1.{len(took) + 1}"))
        assert sorted(took)[37] < P95_CEILING_S  # the 38th of 40
        assert {body_of(read_all(drip)) for drip in drips} == {PONG}


def test_readers_that_do_not_read_hold_nobody_up_and_get_all_in_the_end(proxy: int) -> None:
    batch = json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}] * 10).encode()
    large = sized(batch, "Connection: close", line="POST /analytics/mcp HTTP/1.1")
    with ExitStack() as stack:
        readers = []
        for number in range(1, 51):
            reader = stack.enter_context(connect(proxy, client=f"127.5.0.{number}", buffer_bytes=4096))
            reader.sendall(large)
            readers.append(reader)
        took = sorted(_seconds(proxy, client="127.5.1.1") for _ in range(20))
        assert took[18] < P95_CEILING_S  # the 19th of 20
        answers = {body_of(read_all(reader)) for reader in readers}
        assert [len(json.loads(answer)) for answer in answers] == [10]
