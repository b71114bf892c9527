"""Slow, large and lying clients before a real nginx, configured as shipped, in front of a real gunicorn."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from papertrade_site.env import BASE_DIR
from tests.ports import free_pair
from tests.serving import serving

PATIENCE_S = 30
STALLED = 200
TIMEOUT_S = 2
"""How long the proxy of these tests waits for a stalled client; as shipped it is 10 s."""

CLOSING_CEILING_S = TIMEOUT_S + 5
"""By when a stalled client is gone: 15 s with the 10 s of the file."""

P95_CEILING_S = 0.5
MOST_BYTES = 65_536
MOST_AT_ONCE = 32
PATH = "/liquidations/mcp"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}
HEAD = b"POST /liquidations/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"

STALLS = {
    "before the head": b"",
    "in the head": HEAD,
    "before the body": HEAD + b"Content-Length: 40\r\n\r\n",
    "in the body": HEAD + b"Content-Length: 40\r\n\r\n" + PING[:20],
    "in a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n28\r\n" + PING[:20],
}
"""All that a client sends, which is never a whole request."""

MAIN = """
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


def _site(port: int, upstream_port: int) -> str:
    """The shipped configuration for this machine: other ports, IPv4 alone, and shorter waits."""
    text = (BASE_DIR / "deploy" / "nginx.conf").read_text()
    for shipped, here in {
        "\n    listen 80 default_server;": f"\n    listen 127.0.0.1:{port} default_server backlog=512;",
        "\n    listen [::]:80 default_server;": "",
        "\n    server 127.0.0.1:8000;": f"\n    server 127.0.0.1:{upstream_port};",
        "\n    client_header_timeout 10s;": f"\n    client_header_timeout {TIMEOUT_S}s;",
        "\n    client_body_timeout 10s;": f"\n    client_body_timeout {TIMEOUT_S}s;",
    }.items():
        assert text.count(shipped) == 1
        text = text.replace(shipped, here)
    return text


@contextmanager
def _proxy(folder: Path, upstream_port: int) -> Iterator[int]:
    """Run nginx for the block, and give its port."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        if os.environ.get("CI") == "true":
            pytest.fail("nginx is not installed")
        pytest.skip("nginx is not installed")
    port = free_pair()
    folder.joinpath("main.conf").write_text(MAIN)
    folder.joinpath("site.conf").write_text(_site(port, upstream_port))
    command = [nginx, "-e", "stderr", "-p", str(folder), "-c", "main.conf"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait_until_listening(process.stderr or ())
            yield port
        finally:
            process.terminate()


def _wait_until_listening(log: Iterable[str]) -> None:
    said = []
    for line in log:
        if "event method" in line:  # it comes once the sockets are open
            return
        said.append(line)
    pytest.fail("".join(said))


@pytest.fixture(scope="module")
def service() -> Iterator[int]:
    """The whole site as it is served in production, with as few threads as it may have."""
    environ = {
        "PAPERTRADE_THREADS": "2",
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1/32",
        "WEB_CONCURRENCY": "1",
    }
    with serving("papertrade_site.wsgi:application", environ=environ) as served:
        yield served.port


@pytest.fixture(scope="module")
def proxy(service: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with _proxy(tmp_path_factory.mktemp("nginx"), service) as port:
        yield port


def _connect(port: int, *, client: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S, source_address=(client, 0))


def _post(
    port: int,
    body: bytes = PING,
    *,
    client: str,
    is_chunked: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S, source_address=(client, 0))
    pieces = (body[at : at + 10_000] for at in range(0, len(body), 10_000))
    connection.request(
        "POST",
        PATH,
        pieces if is_chunked else body,
        {"Content-Type": "application/json", **(headers or {})},
        encode_chunked=is_chunked,
    )
    response = connection.getresponse()
    reply = Reply(response.status, dict(response.headers.items()), response.read())
    connection.close()
    return reply


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other end is gone within the connection's time; it may say why first."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


def test_stalled_clients_hold_nobody_up_and_are_closed(proxy: int) -> None:
    assert _post(proxy, client="127.1.0.1").json() == PONG
    with ExitStack() as stack:
        began = time.monotonic()
        stalled = []
        for number in range(STALLED):
            connection = stack.enter_context(_connect(proxy, client=f"127.2.0.{number + 1}"))
            connection.sendall(list(STALLS.values())[number % len(STALLS)])
            stalled.append(connection)
        took = sorted(_seconds(proxy, client="127.1.0.1") for _ in range(20))
        assert took[18] < P95_CEILING_S  # the 19th of 20

        for connection in stalled:
            connection.settimeout(max(began + CLOSING_CEILING_S - time.monotonic(), 0.001))
        assert all(_is_closed(connection) for connection in stalled)


def _seconds(port: int, *, client: str) -> float:
    began = time.monotonic()
    assert _post(port, client=client).json() == PONG
    return time.monotonic() - began


@pytest.mark.requirement("limit:body")
@pytest.mark.parametrize("is_chunked", [False, True], ids=["with a length", "in chunks"])
def test_the_size_limit_is_the_service_s_own(proxy: int, is_chunked: bool) -> None:
    most = _post(proxy, PING.ljust(MOST_BYTES), client="127.1.0.2", is_chunked=is_chunked)
    over = _post(proxy, PING.ljust(MOST_BYTES + 1), client="127.1.0.2", is_chunked=is_chunked)

    assert (most.status, most.json()) == (200, PONG)
    assert (over.status, over.json()["error"]["code"]) == (413, -32600)
    assert "65536" in over.json()["error"]["message"]


@pytest.mark.parametrize("is_chunked", [False, True], ids=["with a length", "in chunks"])
def test_what_is_far_too_large_is_refused_by_the_proxy_in_json(proxy: int, is_chunked: bool) -> None:
    reply = _post(proxy, PING.ljust(80_000), client="127.1.0.3", is_chunked=is_chunked)

    assert (reply.status, reply.json()["error"]) == (413, "Content Too Large")
    _assert_is_refusal(reply)


def test_a_head_that_is_too_large_is_refused_by_the_proxy_in_json(proxy: int) -> None:
    reply = _post(proxy, client="127.1.0.4", headers={"X-Long": "x" * 20_000})

    assert (reply.status, reply.json()["error"]) == (400, "Bad Request")
    _assert_is_refusal(reply)


def test_a_service_that_is_away_is_told_in_json(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = int(closed.getsockname()[1])
    with _proxy(tmp_path, nobody) as port:
        reply = _post(port, client="127.1.0.5")

    assert (reply.status, reply.json()["error"]) == (502, "Bad Gateway")
    assert reply.headers["Retry-After"] == "60"
    _assert_is_refusal(reply)


def test_one_address_may_have_only_so_many_requests_under_way(proxy: int) -> None:
    with ExitStack() as stack:
        for _ in range(MOST_AT_ONCE):
            connection = stack.enter_context(_connect(proxy, client="127.1.0.6"))
            connection.sendall(STALLS["in the body"])
        refused = _post(proxy, client="127.1.0.6")
        other = _post(proxy, client="127.1.0.7")

    assert (refused.status, refused.json()["error"]) == (429, "Too Many Requests")
    assert refused.headers["Retry-After"] == "1"
    _assert_is_refusal(refused)
    assert other.json() == PONG


def _assert_is_refusal(reply: Reply) -> None:
    assert set(reply.json()) == {"error", "message"}
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["Server"] == "nginx"


@pytest.mark.requirement("limit:requests:liquidations")
def test_a_client_that_makes_up_forwarded_addresses_has_one_allowance(proxy: int) -> None:
    client = _client_with_time(proxy)
    statuses = [
        _post(proxy, client=client, headers={"X-Forwarded-For": f"198.51.100.{number}"}).status
        for number in range(30)
    ]
    assert statuses == [200] * 29 + [429]
    assert _post(proxy, client="127.4.0.1").status == 200


def _client_with_time(port: int) -> str:
    """A client, with one request made, whose window does not end while the test runs."""
    for number in range(1, 255):
        client = f"127.3.0.{number}"
        if int(_post(port, client=client).headers["RateLimit"].partition(";t=")[2]) > PATIENCE_S:
            return client
    raise AssertionError("no window is young")


def test_an_event_stream_of_the_service_arrives_as_one(proxy: int) -> None:
    accept = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    reply = _post(proxy, client="127.1.0.8", headers=accept)

    assert reply.headers["Content-Type"] == "text/event-stream"
    assert reply.content == b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'


def test_an_event_is_passed_on_before_the_next_one_comes(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n\r\n"
    with (
        socket.create_server(("127.0.0.1", 0)) as source,
        _proxy(tmp_path, int(source.getsockname()[1])) as port,
        _connect(port, client="127.1.0.9") as reader,
    ):
        reader.sendall(HEAD + b"Accept-Encoding: gzip\r\nContent-Length: 0\r\n\r\n")
        source.settimeout(PATIENCE_S)
        writer, _ = source.accept()
        with writer:
            writer.recv(4096)
            writer.sendall(head + b"data: 1\n\n")
            response = HTTPResponse(reader)
            response.begin()
            first = [response.readline(), response.readline()]
            writer.sendall(b"data: 2\n\n")
        assert (first, response.read()) == ([b"data: 1\n", b"\n"], b"data: 2\n\n")
