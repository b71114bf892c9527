"""Each fault as the bytes that reach a client."""

from __future__ import annotations

import gzip
import http.client
import json
import math
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import pytest

from papertrade_site.simulator.faults import (
    FAULTS,
    MEGABYTE,
    Call,
    Reply,
    UnknownFaultError,
    find_fault,
)
from papertrade_site.simulator.protocol import Answer, EventStream
from papertrade_site.simulator.server import ExchangeServer

STATE = b'{"price":"83065.5","count":2,"at":1791862480000}'


@contextmanager
def asked(server: ExchangeServer, path: str = "/state") -> Iterator[http.client.HTTPResponse]:
    """Ask for a path on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request("GET", path)
    try:
        with connection.getresponse() as response:
            yield response
    finally:
        connection.close()


def everything_sent(server: ExchangeServer, path: str = "/state") -> bytes:
    """All bytes of an answer up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        return client.makefile("rb").read()


class SilentConnection:
    """A connection to a client that waits, keeping what was sent and how long each wait was."""

    def __init__(self, *, leaves_after_waits: int = 10**9) -> None:
        self.sent: list[bytes] = []
        self.waits: list[float | None] = []
        self._leaves_after_waits = leaves_after_waits

    def head(self, reply: Reply, *, length: int | None) -> bytes:
        return b"HEAD"

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def is_left_within(self, seconds: float | None) -> bool:
        self.waits.append(seconds)
        return len(self.waits) > self._leaves_after_waits

    def reset(self) -> None:
        raise AssertionError("not reset in these tests")


def act(name: str, connection: SilentConnection, *, argument: float | None = None) -> Reply | None:
    """Let a fault spoil the answer ``[1]``."""
    fault, value = find_fault(name, argument)
    answer = Answer(status=HTTPStatus.OK, body=b"[1]")
    return fault.act(Call(ask=lambda: answer, connection=connection, number=1, argument=value))


@pytest.mark.parametrize(("argument", "statuses"), [(None, [200, 503, 200, 503]), (1, [503] * 4)])
def test_unavailable_answers_503_on_every_second_call_or_as_told(
    scripted_exchange: ExchangeServer, argument: float | None, statuses: list[int]
) -> None:
    scripted_exchange.board.put("/state", "unavailable", argument)
    seen = []
    for _ in range(4):
        with asked(scripted_exchange) as response:
            seen.append(response.status)
            assert response.getheader("X-Papertrade-Simulated") == "1"
            response.read()
    assert seen == statuses


@pytest.mark.parametrize(
    ("name", "status", "content_type", "start"),
    [
        ("html_500", 500, "text/html; charset=utf-8", b"<!doctype html>"),
        ("html_200", 200, "text/html; charset=utf-8", b"<!doctype html>"),
        ("error_object", 200, "application/json", b'{"error":'),
        ("empty", 200, "application/json", b""),
        ("no_content", 204, None, b""),
        ("redirect", 302, "application/json", b"{}"),
        ("too_many_requests", 429, "application/json", b'{"error":'),
    ],
)
def test_a_wrong_answer_is_well_framed(
    scripted_exchange: ExchangeServer, name: str, status: int, content_type: str | None, start: bytes
) -> None:
    scripted_exchange.board.put("/state", name)
    with asked(scripted_exchange) as response:
        assert (response.status, response.getheader("Content-Type")) == (status, content_type)
        body = response.read()
    assert body.startswith(start)
    assert (start == b"") is (body == b"")


def test_too_many_requests_says_when_to_come_back(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "too_many_requests", 3)
    with asked(scripted_exchange) as response:
        assert response.getheader("Retry-After") == "3"


def test_redirect_points_to_another_host(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "redirect")
    with asked(scripted_exchange) as response:
        assert response.getheader("Location") == "http://elsewhere.invalid/"


def test_delay_gives_the_right_answer_in_the_end(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "delay", 0.01)
    with asked(scripted_exchange) as response:
        assert response.read() == STATE


def test_delay_waits_as_long_as_told_and_gives_up_on_a_client_that_left() -> None:
    patient, impatient = SilentConnection(), SilentConnection(leaves_after_waits=0)
    assert act("delay", patient, argument=2.5) == Answer(status=HTTPStatus.OK, body=b"[1]")
    assert act("delay", impatient) is None
    assert (patient.waits, impatient.waits) == ([2.5], [5])


def test_hang_sends_nothing_until_the_client_leaves(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "hang")
    with socket.create_connection(("127.0.0.1", scripted_exchange.server_address[1]), timeout=10) as client:
        client.sendall(b"GET /state HTTP/1.1\r\n\r\n")
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(1)


def test_drip_sends_the_head_and_then_single_bytes() -> None:
    connection = SilentConnection()
    assert act("drip", connection) is None
    assert connection.sent == [b"HEAD", b"[", b"1", b"]"]
    assert connection.waits == [1, 1, 1]


def test_drip_head_sends_single_bytes_from_the_start() -> None:
    connection = SilentConnection()
    assert act("drip_head", connection, argument=0.5) is None
    assert connection.sent == [b"H", b"E", b"A", b"D", b"[", b"1", b"]"]
    assert connection.waits == [0.5] * 7


def test_dripping_ends_when_the_client_leaves() -> None:
    connection = SilentConnection(leaves_after_waits=2)
    act("drip", connection)
    assert connection.sent == [b"HEAD", b"[", b"1"]


@pytest.mark.parametrize("name", ["drip", "drip_head"])
def test_a_dripped_answer_is_whole_in_the_end(scripted_exchange: ExchangeServer, name: str) -> None:
    undisturbed = everything_sent(scripted_exchange)
    scripted_exchange.board.put("/state", name, 0.0005)
    assert everything_sent(scripted_exchange) == undisturbed


def test_truncated_promises_more_than_it_sends(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "truncated")
    with asked(scripted_exchange) as response, pytest.raises(http.client.IncompleteRead) as cut:
        response.read()
    assert cut.value.partial == STATE[: len(STATE) // 2]
    assert cut.value.expected == len(STATE) - len(STATE) // 2


def test_reset_drops_the_connection(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "reset")
    with pytest.raises(ConnectionResetError):
        everything_sent(scripted_exchange)


def test_oversized_is_a_sound_document_of_many_megabytes(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "oversized", 3)
    with asked(scripted_exchange) as response:
        body = response.read()
    assert len(body) == 3 * MEGABYTE + 2
    assert json.loads(body) == {}


def test_oversized_floods_a_stream_as_well(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/stream", "oversized", 3)
    with asked(scripted_exchange, "/stream") as response:
        assert response.getheader("Content-Type") == "text/event-stream"
        assert len(response.read()) == 3 * MEGABYTE + 2


def test_oversized_sends_50_megabytes_unless_told() -> None:
    connection = SilentConnection()
    act("oversized", connection)
    assert sum(len(part) for part in connection.sent[1:]) == 50 * MEGABYTE + 2


def test_a_gzip_bomb_is_small_on_the_wire(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "gzip_bomb", 5)
    with asked(scripted_exchange) as response:
        assert response.getheader("Content-Encoding") == "gzip"
        body = response.read()
    assert len(body) < 10_000
    assert len(gzip.decompress(body)) == 5 * MEGABYTE + 2


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("broken_json", json.JSONDecodeError),
        ("not_utf8", UnicodeDecodeError),
        ("nested", RecursionError),
        ("long_number", ValueError),
    ],
)
def test_an_unreadable_document_comes_whole(
    scripted_exchange: ExchangeServer, name: str, error: type[Exception]
) -> None:
    scripted_exchange.board.put("/state", name)
    with asked(scripted_exchange) as response:
        assert response.status == 200
        body = response.read()
    with pytest.raises(error):
        json.loads(body)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wrong_types", {"price": 1, "count": "many", "at": "many"}),
        ("negative_price", {"price": "-83065.5", "count": 2, "at": 1791862480000}),
        ("zero_price", {"price": "0", "count": 2, "at": 1791862480000}),
        ("future", {"price": "83065.5", "count": 2, "at": 1791948880000}),
    ],
)
def test_a_spoiled_document_keeps_its_shape(
    scripted_exchange: ExchangeServer, name: str, expected: dict[str, object]
) -> None:
    scripted_exchange.board.put("/state", name)
    with asked(scripted_exchange) as response:
        assert json.loads(response.read()) == expected


def test_nan_stands_where_numbers_stood(scripted_exchange: ExchangeServer) -> None:
    scripted_exchange.board.put("/state", "nan")
    with asked(scripted_exchange) as response:
        document = json.loads(response.read())
    assert document["price"] == "NaN"
    assert math.isnan(document["count"])
    assert math.isnan(document["at"])


@pytest.mark.parametrize(
    ("name", "data"), [("wrong_types", b'{"balance":1}'), ("broken_json", b"event: liveness\ndata: {")]
)
def test_the_first_frames_of_a_stream_are_spoiled_as_well(
    scripted_exchange: ExchangeServer, name: str, data: bytes
) -> None:
    scripted_exchange.board.put("/stream", name)
    with asked(scripted_exchange, "/stream") as response:
        assert response.getheader("Content-Type") == "text/event-stream"
        frames = b"".join(response.readline() for _ in range(6))
    assert b"data: " + data in frames


def test_a_truncated_stream_ends_within_its_first_frames(
    scripted_exchange: ExchangeServer, replies: dict[str, Reply]
) -> None:
    stream = replies["/stream"]
    assert isinstance(stream, EventStream)
    scripted_exchange.board.put("/stream", "truncated")
    _, _, body = everything_sent(scripted_exchange, "/stream").partition(b"\r\n\r\n")
    assert body == stream.opening[: len(stream.opening) // 2]


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_every_fault_says_in_one_line_what_it_does(name: str) -> None:
    summary = FAULTS[name].summary
    assert summary.endswith(".")
    assert "\n" not in summary


@pytest.mark.parametrize(
    ("name", "argument", "message"),
    [
        ("none_such", None, "There is no fault 'none_such'"),
        ("hang", 1, "takes no argument"),
        ("delay", 0, "must be above 0"),
        ("delay", -1, "must be above 0"),
        ("delay", 3601, "at most 3600"),
        ("delay", math.nan, "must be above 0"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(name: str, argument: float | None, message: str) -> None:
    with pytest.raises(UnknownFaultError, match=message):
        find_fault(name, argument)
