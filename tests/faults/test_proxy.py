"""What a real nginx, configured as shipped, passes on to the service, and what it refuses itself."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path

import pytest

from papertrade_site.limits.bounds import BODY_BYTES
from tests.faults.proxy import (
    HEAD,
    PATH,
    PATIENCE_S,
    Reply,
    connect,
    exchange,
    post,
    running_proxy,
)
from tests.protocol.framing import BARE_LINE_FEED, DOUBTFUL, PING, PONG, body_of, request, sized, statuses
from tests.windows import client_with_time

MOST_BYTES = 65_536
MOST_AT_ONCE = 32
HALF_A_BODY = HEAD + b"Content-Length: 40\r\n\r\n" + PING[:20]


@pytest.mark.requirement("limit:body")
@pytest.mark.parametrize("is_chunked", [False, True], ids=["with a length", "in chunks"])
def test_the_size_limit_is_the_service_s_own(proxy: int, is_chunked: bool) -> None:
    most = post(proxy, PING.ljust(MOST_BYTES), client="127.1.0.2", is_chunked=is_chunked)
    over = post(proxy, PING.ljust(MOST_BYTES + 1), client="127.1.0.2", is_chunked=is_chunked)

    assert (most.status, most.content) == (200, PONG)
    assert (over.status, over.json()["error"]["code"]) == (413, -32600)
    assert "65536" in over.json()["error"]["message"]


def test_the_proxy_lets_through_as_much_as_an_operator_may_set(proxy: int) -> None:
    over = post(proxy, PING.ljust(BODY_BYTES.most + 1), client="127.1.0.8")

    assert (over.status, over.json()["error"]["code"]) == (413, -32600)


@pytest.mark.parametrize("is_chunked", [False, True], ids=["with a length", "in chunks"])
def test_what_is_far_too_large_is_refused_by_the_proxy_in_json(proxy: int, is_chunked: bool) -> None:
    reply = post(proxy, PING.ljust(280_000), client="127.1.0.3", is_chunked=is_chunked)

    assert (reply.status, reply.json()["error"]) == (413, "Content Too Large")
    _assert_is_refusal(reply)


def test_a_head_that_is_too_large_is_refused_by_the_proxy_in_json(proxy: int) -> None:
    reply = post(proxy, client="127.1.0.4", headers={"X-Long": "x" * 20_000})

    assert (reply.status, reply.json()["error"]) == (400, "Bad Request")
    _assert_is_refusal(reply)


def test_a_service_that_is_away_is_told_in_json(tmp_path: Path) -> None:
    with socket.socket() as taken:  # by nobody who listens
        taken.bind(("127.0.0.1", 0))
        with running_proxy(tmp_path, int(taken.getsockname()[1])) as port:
            reply = post(port, client="127.1.0.5")

    assert (reply.status, reply.json()["error"]) == (502, "Bad Gateway")
    assert reply.headers["Retry-After"] == "60"
    _assert_is_refusal(reply)


@pytest.mark.parametrize("path", ["/metrics", "/metrics/", "/%6detrics", "/metrics?x=1", "/x/../metrics"])
def test_what_the_service_counts_is_not_there_for_the_outside(proxy: int, path: str) -> None:
    answer = exchange(
        proxy,
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode(),
        client="127.0.0.1",
    )
    assert statuses(answer) == [404]
    assert json.loads(body_of(answer))["error"] == "Not Found"
    assert b"papertrade_" not in answer


def test_what_is_not_there_is_told_by_the_service_itself(proxy: int) -> None:
    answer = exchange(
        proxy, b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", client="127.1.0.6"
    )
    assert statuses(answer) == [404]
    assert "requestId" in json.loads(body_of(answer))


def test_one_address_may_have_only_so_many_requests_under_way(proxy: int) -> None:
    with ExitStack() as stack:
        for _ in range(MOST_AT_ONCE):
            connection = stack.enter_context(connect(proxy, client="127.1.0.6"))
            connection.sendall(HALF_A_BODY)
        refused = post(proxy, client="127.1.0.6")
        other = post(proxy, client="127.1.0.7")

    assert (refused.status, refused.json()["error"]) == (429, "Too Many Requests")
    assert refused.headers["Retry-After"] == "1"
    _assert_is_refusal(refused)
    assert other.content == PONG


def _assert_is_refusal(reply: Reply) -> None:
    assert set(reply.json()) == {"error", "message"}
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["Server"] == "nginx"


LINE = f"POST {PATH} HTTP/1.1"
LAST = sized(PING, "Connection: close", line=LINE)


@pytest.mark.parametrize("headers", DOUBTFUL, ids=lambda headers: repr(headers)[:50])
def test_a_request_whose_end_is_doubtful_is_refused_and_what_follows_is_not_answered(
    proxy: int, headers: tuple[str, ...]
) -> None:
    answer = exchange(proxy, request(*headers, body=PING, line=LINE) + LAST, client="127.1.0.10")

    assert statuses(answer) in ([400], [501])
    assert set(json.loads(body_of(answer))) == {"error", "message"}


def test_a_line_feed_alone_ends_a_line_for_the_proxy_and_so_for_the_service(proxy: int) -> None:
    one_of_two = request(*BARE_LINE_FEED, body=PING, line=LINE)
    answer = exchange(proxy, one_of_two + LAST, client="127.1.0.11")

    assert statuses(answer) == [200, 200]
    assert answer.count(b'"result"') == 2


@pytest.mark.parametrize(
    ("raw", "status", "phrase"),
    [
        (sized(b"", "Connection: close", line=f"TRACE {PATH} HTTP/1.1"), 405, "Method Not Allowed"),
        (request("Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n", line=LINE), 501, "Not Implemented"),
        (sized(PING, line=f"POST {PATH} HTTP/9.9"), 505, "HTTP Version Not Supported"),
        (sized(PING, line=f"POST /{'a' * 20_000} HTTP/1.1"), 414, "URI Too Long"),
        (sized(PING, line="POST /%zz HTTP/1.1"), 400, "Bad Request"),
        (LAST.replace(b"Host: 127.0.0.1\r\n", b""), 400, "Bad Request"),
    ],
    ids=["TRACE", "coding", "version", "long address", "malformed address", "no host"],
)
def test_what_the_proxy_takes_for_no_request_is_refused_in_json(
    proxy: int, raw: bytes, status: int, phrase: str
) -> None:
    answer = exchange(proxy, raw, client="127.1.0.12")

    assert statuses(answer) == [status]
    assert json.loads(body_of(answer))["error"] == phrase
    assert (b"\r\nAllow: GET, HEAD, OPTIONS, POST\r\n" in answer) is (status == 405)


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("http://127.0.0.1", "127.0.0.1", 200),
        ("http://127.0.0.1:8000", "127.0.0.1", 200),
        ("http://LOCALHOST", "localhost.:8000", 200),
        ("http://[::1]", "[::1]:8000", 200),
        ("http://evil.example", "127.0.0.1", 400),
        ("http://127.0.0.1", "evil.example", 400),
        ("http://evil.example", "evil.example", 400),
        ("http://127.0.0.1.evil.example", "127.0.0.1", 400),
        ("http://[::2]", "[::1]", 400),
    ],
)
def test_a_request_line_may_name_no_other_host_than_the_header(
    proxy: int, target: str, host: str, status: int
) -> None:
    raw = sized(PING, "Connection: close", line=f"POST {target}{PATH} HTTP/1.1")
    raw = raw.replace(b"Host: 127.0.0.1\r\n", f"Host: {host}\r\n".encode())
    answer = exchange(proxy, raw, client="127.1.0.13")

    assert statuses(answer) == [status]
    assert b"evil" not in answer


@pytest.mark.requirement("limit:requests:liquidations")
def test_a_client_that_makes_up_forwarded_addresses_has_one_allowance(proxy: int) -> None:
    client = client_with_time(lambda each: post(proxy, client=each).headers["RateLimit"], "127.3.0")
    statuses = [
        post(proxy, client=client, headers={"X-Forwarded-For": f"198.51.100.{number}"}).status
        for number in range(30)
    ]
    assert statuses == [200] * 29 + [429]
    assert post(proxy, client="127.4.0.1").status == 200


def test_an_event_stream_of_the_service_arrives_as_one(proxy: int) -> None:
    accept = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    reply = post(proxy, client="127.1.0.8", headers=accept)

    assert reply.headers["Content-Type"] == "text/event-stream"
    assert reply.content == b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'


def test_an_event_is_passed_on_before_the_next_one_comes(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n\r\n"
    with (
        socket.create_server(("127.0.0.1", 0)) as source,
        running_proxy(tmp_path, int(source.getsockname()[1])) as port,
        connect(port, client="127.1.0.9") as reader,
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
