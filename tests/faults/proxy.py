"""The site behind a real nginx, configured as shipped, and a client that asks it from any local address."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import pytest

from papertrade_site.env import BASE_DIR
from tests.ports import free_pair
from tests.protocol.framing import PING, read_all

PATIENCE_S: Final = 30
TIMEOUT_S: Final = 2
"""How long the proxy of these tests waits for a stalled client; as shipped it is 10 s."""

PATH: Final = "/liquidations/mcp"
HEAD: Final = b"POST /liquidations/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"

SERVER: Final = "\n    server 127.0.0.1:8000 max_fails=3 fail_timeout=5s;"

MAIN: Final = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include site.conf;
}
"""


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.content)
        return document


@contextmanager
def running_proxy(folder: Path, *upstream_ports: int, more: str = "") -> Iterator[int]:
    """Run nginx before so many machines for the block, and give its port.

    Args:
        folder: its own.
        upstream_ports: of the machines.
        more: lines that its http block has besides.
    """
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        if os.environ.get("CI") == "true":
            pytest.fail("nginx is not installed")
        pytest.skip("nginx is not installed")
    port = free_pair()
    folder.joinpath("main.conf").write_text(MAIN)
    folder.joinpath("site.conf").write_text(more + _site(port, upstream_ports))
    command = [nginx, "-e", "stderr", "-p", str(folder), "-c", "main.conf"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait_until_listening(process.stderr or ())
            yield port
        finally:
            process.terminate()


def _site(port: int, upstream_ports: Iterable[int]) -> str:
    """The shipped configuration for this machine: other ports, IPv4 alone, and shorter waits."""
    served = "".join(SERVER.replace("8000", str(upstream_port)) for upstream_port in upstream_ports)
    text = (BASE_DIR / "deploy" / "nginx.conf").read_text()
    for shipped, here in {
        "\n    listen 80 default_server;": f"\n    listen 127.0.0.1:{port} default_server backlog=512;",
        "\n    listen [::]:80 default_server;": "",
        SERVER: served,
        "\n    client_header_timeout 10s;": f"\n    client_header_timeout {TIMEOUT_S}s;",
        "\n    client_body_timeout 10s;": f"\n    client_body_timeout {TIMEOUT_S}s;",
    }.items():
        assert text.count(shipped) == 1
        text = text.replace(shipped, here)
    return text


def _wait_until_listening(log: Iterable[str]) -> None:
    said = []
    for line in log:
        if "event method" in line:  # it comes once the sockets are open
            return
        said.append(line)
    pytest.fail("".join(said))


def connect(port: int, *, client: str, buffer_bytes: int | None = None) -> socket.socket:
    """A connection from an address of this machine, such as 127.1.2.3.

    Its answers wait unread in as many bytes as the system thinks fit, or in ``buffer_bytes``.
    """
    connection = socket.socket()
    connection.settimeout(PATIENCE_S)
    if buffer_bytes is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    connection.bind((client, 0))
    connection.connect(("127.0.0.1", port))
    return connection


def exchange(port: int, request: bytes, *, client: str) -> bytes:
    """Everything that comes back until the connection is closed, as the request has to ask for."""
    with connect(port, client=client) as connection:
        connection.sendall(request)
        return read_all(connection)


def post(
    port: int,
    body: bytes = PING,
    *,
    client: str,
    path: str = PATH,
    is_chunked: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """What a client's POST gets."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S, source_address=(client, 0))
    pieces = (body[at : at + 10_000] for at in range(0, len(body), 10_000))
    connection.request(
        "POST",
        path,
        pieces if is_chunked else body,
        {"Content-Type": "application/json", **(headers or {})},
        encode_chunked=is_chunked,
    )
    response = connection.getresponse()
    reply = Reply(response.status, dict(response.headers.items()), response.read())
    connection.close()
    return reply
