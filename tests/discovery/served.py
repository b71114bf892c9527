"""The site as gunicorn serves it, asked over a socket."""

from __future__ import annotations

import http.client
import socket
from contextlib import closing
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """The site on a port of this machine; each server has a host name below ``localhost`` too."""

    port: int

    def ask(self, request_line: str, *headers: str, host: str = "analytics.localhost") -> tuple[int, bytes]:
        """Status and body of the answer to a request line that is sent as it stands."""
        head = "\r\n".join(
            [f"{request_line} HTTP/1.1", f"Host: {host}", *headers, "Connection: close", "", ""]
        )
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(head.encode("latin-1"))
            method = request_line.partition(" ")[0]
            with closing(http.client.HTTPResponse(connection, method=method)) as answer:
                answer.begin()
                body = answer.read()
                rest = connection.recv(1) if method == "HEAD" else b""
                return answer.status, body + rest

    def post(self, path: str, body: str, headers: dict[str, str]) -> tuple[int, bytes]:
        """Status and body of the answer to a POST."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with closing(connection):
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
