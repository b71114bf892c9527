"""The local HTTP/1.1 server in front of the embedded exchange.

It listens on the loopback address alone. Every answer says ``X-Papertrade-Simulated: 1``, so that
nobody can take it for the venue's.
"""

from __future__ import annotations

import logging
import re
import select
import socket
import struct
import sys
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Lock, Thread
from urllib.parse import parse_qsl, unquote

from papertrade_site.env import SIMULATED_HEADER
from papertrade_site.simulator import controls
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.faults import Call, Reply
from papertrade_site.simulator.protocol import HEARTBEAT_SECONDS, Answer, EventStream, Request, Venue
from papertrade_site.simulator.wire import json_answer

LOOPBACK = "127.0.0.1"
MAX_BODY = 2**20

_LENGTH = re.compile(r"[0-9]{1,18}")

_log = logging.getLogger(__name__)

_STREAM = Answer(status=HTTPStatus.OK, body=b"", content_type="text/event-stream")


class ExchangeServer(ThreadingTCPServer):
    """Serves a venue, one thread for each connection, until it is stopped."""

    allow_reuse_address = True
    request_queue_size = 256

    def __init__(
        self, venue: Venue, *, port: int, board: FaultBoard, heartbeat_seconds: float = HEARTBEAT_SECONDS
    ) -> None:
        """Bind the port (0 for any free one).

        Raises:
            OSError: when the port cannot be used.
        """
        self.venue = venue
        self.board = board
        self.controls = controls.Controls(board)
        self.heartbeat_seconds = heartbeat_seconds
        self.is_stopping = False
        self._connections: set[socket.socket] = set()
        self._lock = Lock()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, name="exchange")
        super().__init__((LOOPBACK, port), _Handler)

    @property
    def address(self) -> str:
        """The base address, such as ``http://127.0.0.1:8001``."""
        return f"http://{LOOPBACK}:{self.server_address[1]}"

    def start(self) -> None:
        """Begin to accept connections, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Accept no more connections, hang up on the open ones, and wait until their threads have ended."""
        self.shutdown()
        self._thread.join()
        with self._lock:
            self.is_stopping = True
            for connection in self._connections:
                _hang_up(connection)
        self.server_close()

    def enter_connection(self, connection: socket.socket) -> None:
        """Remember an open connection; hang up at once when the server is stopping."""
        with self._lock:
            self._connections.add(connection)
            if self.is_stopping:
                _hang_up(connection)

    def forget_connection(self, connection: socket.socket) -> None:
        """Forget a connection that is about to be closed."""
        with self._lock:
            self._connections.discard(connection)

    def handle_error(self, request: object, client_address: object) -> None:
        """Log what ended a connection; a client that left is no error."""
        error = sys.exception()
        if isinstance(error, OSError):
            _log.debug("connection from %s ended: %s", client_address, error)
        else:
            _log.error("a request from %s could not be answered", client_address, exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    """Speaks HTTP on one connection, which is what a fault acts on."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ExchangeServer

    def setup(self) -> None:
        super().setup()
        self.server.enter_connection(self.connection)

    def finish(self) -> None:
        self.server.forget_connection(self.connection)
        super().finish()

    def do_GET(self) -> None:
        request = self._read_request()
        if isinstance(request, HTTPStatus):
            self.send_error(request)
            return
        reply = self._reply_to(request)
        if isinstance(reply, Answer):
            self.send(self.head(reply, length=len(reply.body)) + reply.body)
            return
        self.close_connection = True
        if isinstance(reply, EventStream):
            self._stream(reply)

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def _read_request(self) -> Request | HTTPStatus:
        """Read the whole request, or say why it cannot be read."""
        length = self.headers.get("Content-Length", "0")
        if not _LENGTH.fullmatch(length) or "Transfer-Encoding" in self.headers:
            return HTTPStatus.BAD_REQUEST
        if int(length) > MAX_BODY:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return HTTPStatus.BAD_REQUEST
        path, _, query = self.path.partition("?")
        pairs = parse_qsl(query, keep_blank_values=True)
        return Request(method=self.command, path=unquote(path), query=tuple(pairs), body=body)

    def _reply_to(self, request: Request) -> Reply | None:
        if request.path.startswith(controls.PREFIX):
            if "Origin" in self.headers:
                return json_answer({"error": "not for web pages"}, status=HTTPStatus.FORBIDDEN)
            return self.server.controls.answer(request)
        ask = partial(self.server.venue.answer, request)
        met = self.server.board.meet(request.path)
        if met is None:
            return ask()
        active, number = met
        return active.fault.act(Call(ask=ask, connection=self, number=number, argument=active.argument))

    def _stream(self, stream: EventStream) -> None:
        self.send(self.head(stream, length=None) + stream.opening)
        while not self.is_left_within(self.server.heartbeat_seconds):
            self.send(stream.heartbeat())

    def head(self, reply: Reply, *, length: int | None) -> bytes:
        answer = reply if isinstance(reply, Answer) else _STREAM
        lines = [f"HTTP/1.1 {answer.status.value} {answer.status.phrase}", f"{SIMULATED_HEADER}: 1"]
        if answer.status is not HTTPStatus.NO_CONTENT:
            lines.append(f"Content-Type: {answer.content_type}")
            lines.append("Connection: close" if length is None else f"Content-Length: {length}")
        lines += [f"{name}: {value}" for name, value in answer.headers]
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1")

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def is_left_within(self, seconds: float | None) -> bool:
        poll = select.poll()
        poll.register(self.connection, select.POLLIN)
        return bool(poll.poll(None if seconds is None else seconds * 1000))

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.close(self.connection.detach())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that could not be read, and close the connection."""
        self.close_connection = True
        status = HTTPStatus(code)
        answer = json_answer({"error": status.phrase}, status=status)
        with suppress(OSError):
            self.send(self.head(answer, length=len(answer.body)) + answer.body)


def _hang_up(connection: socket.socket) -> None:
    """Wake whoever waits on a connection, which may be closed already."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
