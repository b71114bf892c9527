"""The HTTP server in front of a venue, as a client on the socket sees it."""

from __future__ import annotations

import http.client
import logging
import socket
from http import HTTPStatus
from threading import Event, Thread, current_thread

import pytest

from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.protocol import Answer, EventStream, Request
from papertrade_site.simulator.server import ExchangeServer


def connect(server: ExchangeServer) -> http.client.HTTPConnection:
    """Open a connection to a server."""
    return http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)


def send_raw(server: ExchangeServer, data: bytes) -> bytes:
    """Send bytes, say that no more will come, and return everything up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return client.makefile("rb").read()


def test_an_answer_is_sent_as_the_venue_gave_it_and_says_that_it_is_simulated(
    scripted_exchange: ExchangeServer,
) -> None:
    answered = send_raw(scripted_exchange, b"GET /missing HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answered == (
        b"HTTP/1.1 404 Not Found\r\nX-Papertrade-Simulated: 1\r\nContent-Type: application/json\r\n"
        b'Content-Length: 21\r\n\r\n{"error":"not found"}'
    )


def test_headers_of_an_answer_are_sent_along(
    scripted_exchange: ExchangeServer, replies: dict[str, Answer | EventStream]
) -> None:
    replies["/busy"] = Answer(
        status=HTTPStatus.TOO_MANY_REQUESTS, body=b"{}", headers=(("Retry-After", "3"),)
    )
    connection = connect(scripted_exchange)
    connection.request("GET", "/busy")
    response = connection.getresponse()
    assert (response.status, response.getheader("Retry-After")) == (429, "3")
    connection.close()


def test_one_connection_carries_many_requests(scripted_exchange: ExchangeServer) -> None:
    connection = connect(scripted_exchange)
    connection.connect()
    first_socket = connection.sock
    for _ in range(3):
        connection.request("GET", "/state")
        assert connection.getresponse().read() == b'{"price":"83065.5","count":2,"at":1791862480000}'
    assert connection.sock is first_socket
    connection.close()


def test_the_venue_sees_path_query_method_and_body_as_they_were_sent(
    scripted_exchange: ExchangeServer, seen: list[Request]
) -> None:
    connection = connect(scripted_exchange)
    connection.request("POST", "/st%61te?b=2&a=%31&b=&c=x+y", body=b'{"type":"l2Book"}')
    connection.getresponse().read()
    connection.close()
    query = (("b", "2"), ("a", "1"), ("b", ""), ("c", "x y"))
    assert seen == [Request(method="POST", path="/state", query=query, body=b'{"type":"l2Book"}')]


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST /state HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /state HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400),
        (b"POST /state HTTP/1.1\r\nContent-Length: 10\r\n\r\nshort", 400),
        (b"POST /state HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST /state HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413),
        (b"BREW /state HTTP/1.1\r\n\r\n", 501),
        (b"GET /state HTTP/9.9\r\n\r\n", 505),
        (b"nonsense\r\n\r\n", 400),
    ],
)
def test_an_unreadable_request_is_refused_without_reaching_the_venue(
    scripted_exchange: ExchangeServer, seen: list[Request], request_bytes: bytes, status: int
) -> None:
    head, _, body = send_raw(scripted_exchange, request_bytes).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"X-Papertrade-Simulated: 1" in head
    assert body.startswith(b'{"error":')
    assert seen == []


def test_a_stream_opens_at_once_and_then_beats(scripted_exchange: ExchangeServer) -> None:
    connection = connect(scripted_exchange)
    connection.request("GET", "/stream")
    response = connection.getresponse()
    assert (response.status, response.getheader("Content-Type")) == (200, "text/event-stream")
    assert response.getheader("X-Papertrade-Simulated") == "1"
    assert response.getheader("Content-Length") is None
    events = [response.readline() for _ in range(12)]
    response.close()
    connection.close()
    assert [line for line in events if line.startswith(b"event")] == [
        b"event: liveness\n",
        b"event: wallet\n",
        b"event: heartbeat\n",
        b"event: heartbeat\n",
    ]


class _QuietVenue:
    """Streams without ever beating, and remembers which thread serves the stream."""

    def __init__(self) -> None:
        self.threads: list[Thread] = []

    def answer(self, request: Request) -> Answer | EventStream:
        self.threads.append(current_thread())
        return EventStream(opening=b"event: liveness\n\n", heartbeat=lambda: b"")


def open_stream(server: ExchangeServer) -> socket.socket:
    """Ask for a stream and read its first frame."""
    client = socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10)
    client.sendall(b"GET /stream HTTP/1.1\r\n\r\n")
    received = b""
    while not received.endswith(b"event: liveness\n\n"):
        received += client.recv(1024)
    return client


def test_a_stream_ends_as_soon_as_the_client_leaves() -> None:
    venue = _QuietVenue()
    server = ExchangeServer(venue, port=0, board=FaultBoard(), heartbeat_seconds=3600)
    server.start()
    open_stream(server).close()
    venue.threads[0].join(10)
    assert not venue.threads[0].is_alive()
    server.stop()


def test_stopping_hangs_up_on_streams_idle_connections_and_hanging_calls() -> None:
    board = FaultBoard()
    board.put("/hang", "hang")
    venue = _QuietVenue()
    server = ExchangeServer(venue, port=0, board=board, heartbeat_seconds=3600)
    server.start()
    stream = open_stream(server)
    idle = socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10)
    hanging = socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10)
    hanging.sendall(b"GET /hang HTTP/1.1\r\n\r\n")
    server.stop()
    assert not any(thread.is_alive() for thread in venue.threads)
    for client in (stream, idle, hanging):
        with client:
            assert _ended(client)


def test_a_connection_that_is_taken_up_while_stopping_is_hung_up_on(
    scripted_exchange: ExchangeServer,
) -> None:
    scripted_exchange.is_stopping = True
    ours, theirs = socket.socketpair()
    with ours, theirs:
        scripted_exchange.enter_connection(theirs)
        scripted_exchange.forget_connection(theirs)
        assert _ended(ours)


def _ended(client: socket.socket) -> bool:
    """Whether the other side closed; a connection that was never accepted ends in a reset."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_port_in_use_is_refused(scripted_exchange: ExchangeServer) -> None:
    port = scripted_exchange.server_address[1]
    with pytest.raises(OSError, match="in use"):
        ExchangeServer(_QuietVenue(), port=port, board=FaultBoard())


def test_the_server_listens_on_the_loopback_address_alone(scripted_exchange: ExchangeServer) -> None:
    host, port = scripted_exchange.socket.getsockname()
    assert host == "127.0.0.1"
    assert scripted_exchange.address == f"http://127.0.0.1:{port}"


def test_a_venue_that_fails_is_logged_and_the_others_are_still_served(
    scripted_exchange: ExchangeServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert send_raw(scripted_exchange, b"GET /unscripted HTTP/1.1\r\n\r\n") == b""
    assert [record.getMessage().split(" ")[:2] for record in caplog.records] == [["a", "request"]]
    assert send_raw(scripted_exchange, b"GET /state HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 200 OK")


class _SlowVenue:
    """Answers only once it is told to."""

    def __init__(self) -> None:
        self.asked, self.may_answer = Event(), Event()
        self.threads: list[Thread] = []

    def answer(self, request: Request) -> Answer | EventStream:
        self.threads.append(current_thread())
        self.asked.set()
        self.may_answer.wait(10)
        return Answer(status=HTTPStatus.OK, body=b"0" * 2**24)


def test_a_client_that_leaves_before_its_answer_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    venue = _SlowVenue()
    server = ExchangeServer(venue, port=0, board=FaultBoard())
    server.start()
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10) as client:
        client.sendall(b"GET /state HTTP/1.1\r\n\r\n")
        venue.asked.wait(10)
    venue.may_answer.set()
    venue.threads[0].join(10)
    server.stop()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
