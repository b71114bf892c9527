"""How requests are told apart on a real connection, by the gunicorn and the configuration that serve."""

from __future__ import annotations

import gzip
import json
import re
import socket

import pytest

from tests.protocol.conftest import Gunicorn
from tests.protocol.framing import (
    BARE_LINE_FEED,
    DOUBTFUL,
    PING,
    PONG,
    body_of,
    chunked,
    padded,
    read_all,
    request,
    sized,
    statuses,
)
from tests.protocol.sample import BODY_BYTES


def test_a_body_in_chunks_is_answered_like_one_with_a_length(gunicorn: Gunicorn) -> None:
    answers = [gunicorn.exchange(raw) for raw in (sized(PING), chunked(PING), chunked(PING[:7], PING[7:]))]

    assert [body_of(answer) for answer in answers] == [PONG] * 3


def test_a_character_cut_by_a_chunk_border_is_read_whole(gunicorn: Gunicorn) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "é🌦", "method": "ping"}, ensure_ascii=False).encode()
    cut = body.index("🌦".encode()) + 2

    answer = gunicorn.exchange(chunked(body[:cut], body[cut:]))

    assert json.loads(body_of(answer))["id"] == "é🌦"


def test_a_body_that_arrives_byte_by_byte_is_read_whole(gunicorn: Gunicorn) -> None:
    with gunicorn.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in sized(PING, "Connection: close"):
            connection.sendall(bytes([byte]))

        assert body_of(read_all(connection)) == PONG


@pytest.mark.requirement("limit:body")
@pytest.mark.parametrize("frame", [sized, chunked])
def test_a_body_of_the_limit_is_read_and_one_byte_more_is_413(gunicorn: Gunicorn, frame: object) -> None:
    assert callable(frame)
    at_limit = gunicorn.exchange(frame(padded(BODY_BYTES)))
    above = gunicorn.exchange(frame(padded(BODY_BYTES + 1)))

    assert body_of(at_limit) == PONG
    assert statuses(above) == [413]
    assert json.loads(body_of(above))["error"]["code"] == -32600


@pytest.mark.parametrize("size", [10**6, 10**9, 10**30])
def test_a_length_far_above_the_limit_is_413_before_the_body_is_sent(gunicorn: Gunicorn, size: int) -> None:
    with gunicorn.connect() as connection:
        connection.sendall(request(f"Content-Length: {size}"))
        answer = connection.recv(65_536)

    assert statuses(answer) == [413]


@pytest.mark.parametrize("headers", [*DOUBTFUL, BARE_LINE_FEED], ids=lambda headers: repr(headers)[:50])
def test_a_request_whose_end_is_doubtful_is_400_and_closes_what_follows(
    gunicorn: Gunicorn, headers: tuple[str, ...]
) -> None:
    smuggled = sized(PING, line="POST /errors/mcp HTTP/1.1")

    answer = gunicorn.exchange(request(*headers, body=PING) + smuggled)

    assert statuses(answer) == [400]
    assert b"jsonrpc" not in answer


@pytest.mark.parametrize("line_end", [b"\n", b"\r"], ids=["LF", "CR"])
def test_a_head_whose_lines_end_otherwise_is_400_and_closes_what_follows(
    gunicorn: Gunicorn, line_end: bytes
) -> None:
    answer = gunicorn.exchange(sized(PING).replace(b"\r\n", line_end) + sized(PING))

    assert statuses(answer) == [400]
    assert PONG not in answer


@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\n",
        b"-1\r\n",
        b"5\r\nhelloXX0\r\n\r\n",
        b"5 \r\nhello\r\n0\r\n\r\n",
        b"5\nhello\n0\n\n",
        b"0\r\nContent-Length: 9\r\n\r\n",
        b"0\r\nno colon\r\n\r\n",
        b"28\r\n" + PING[:9],
    ],
)
def test_chunks_that_are_none_are_400_and_close_what_follows(gunicorn: Gunicorn, body: bytes) -> None:
    smuggled = sized(PING, line="POST /errors/mcp HTTP/1.1")
    is_cut_short = body.endswith(PING[:9])

    answer = gunicorn.exchange(
        request("Transfer-Encoding: chunked", body=body) + (b"" if is_cut_short else smuggled)
    )

    assert statuses(answer) == [400]
    assert b'"result"' not in answer


@pytest.mark.parametrize("raw", [request(), request("Content-Length: 0"), chunked()])
def test_an_empty_body_is_a_parse_error(gunicorn: Gunicorn, raw: bytes) -> None:
    answer = gunicorn.exchange(raw)

    assert statuses(answer) == [400]
    assert json.loads(body_of(answer))["error"]["code"] == -32700


def test_a_body_shorter_than_its_length_is_never_acted_on(gunicorn: Gunicorn) -> None:
    answer = gunicorn.exchange(request(f"Content-Length: {len(PING) + 1}", body=PING))

    assert statuses(answer) == [400]
    assert json.loads(body_of(answer))["error"]["code"] == -32600


def test_pipelined_requests_are_answered_each_in_order(gunicorn: Gunicorn) -> None:
    second = PING.replace(b"1,", b"2,")

    answer = gunicorn.exchange(chunked(PING) + sized(second) + sized(PING, "Connection: close"))

    assert statuses(answer) == [200, 200, 200]
    assert re.findall(rb'"id":(\d)', answer) == [b"1", b"2", b"1"]


def test_an_unread_body_is_not_taken_for_the_next_request(gunicorn: Gunicorn) -> None:
    inner = sized(PING, line="POST /errors/mcp HTTP/1.1")
    refused = request("Content-Encoding: gzip", f"Content-Length: {len(inner)}", body=inner)
    deleted = sized(inner, line="DELETE /results/mcp HTTP/1.1")

    answer = gunicorn.exchange(refused + deleted + sized(PING, "Connection: close"))

    assert statuses(answer) == [415, 405, 200]


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "zstd", "GZIP", "identity, gzip"])
def test_an_encoded_body_is_415_whatever_its_coding(gunicorn: Gunicorn, coding: str) -> None:
    answer = gunicorn.exchange(sized(gzip.compress(PING), f"Content-Encoding: {coding}"))

    assert statuses(answer) == [415]


def test_a_gzip_bomb_is_never_inflated(gunicorn: Gunicorn) -> None:
    bomb = gzip.compress(bytes(40 * 1024 * 1024))
    gunicorn.exchange(sized(PING))
    before = gunicorn.memory()

    by_content = gunicorn.exchange(sized(bomb, "Content-Encoding: gzip"))
    by_transfer = gunicorn.exchange(request("Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"))

    assert statuses(by_content) + statuses(by_transfer) == [415, 415]
    assert gunicorn.memory() - before < 5 * 1024 * 1024


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (sized(PING, *(f"X-{n}: 1" for n in range(98))), 431),
        (sized(PING, "X-Long: " + "a" * 9_000), 431),
        (sized(PING, line=f"POST /results/mcp?{'a' * 5_000} HTTP/1.1"), 414),
        (sized(PING, "Expect: a-miracle"), 417),
        (sized(PING, line="POST /results/mcp HTTP/9.9"), 400),
    ],
    ids=["101 headers", "9 KB header", "5 KB address", "unknown expectation", "unknown version"],
)
def test_what_is_too_large_or_unknown_is_refused_by_the_server(
    gunicorn: Gunicorn, raw: bytes, status: int
) -> None:
    before = gunicorn.log.stat().st_size

    answer = gunicorn.exchange(raw)

    assert statuses(answer) == [status]
    logged = gunicorn.log.read_bytes()[before:]
    assert max(map(len, logged.splitlines()), default=0) <= 2_048


def test_a_client_that_expects_100_is_told_to_go_on_and_then_answered(gunicorn: Gunicorn) -> None:
    with gunicorn.connect() as connection:
        connection.sendall(
            request(f"Content-Length: {len(PING)}", "Expect: 100-continue", "Connection: close")
        )
        go_on = connection.recv(len(b"HTTP/1.1 100 Continue\r\n\r\n"), socket.MSG_WAITALL)
        connection.sendall(PING)
        answer = read_all(connection)

    assert statuses(go_on) == [100]
    assert body_of(answer) == PONG


def test_head_has_the_headers_of_get_and_no_body(gunicorn: Gunicorn) -> None:
    got = gunicorn.exchange(request(line="GET /results/mcp HTTP/1.1"))
    head = gunicorn.exchange(request(line="HEAD /results/mcp HTTP/1.1"))

    dateless = re.compile(rb"Date: [^\r]*")
    assert dateless.sub(b"", head) == dateless.sub(b"", got.removesuffix(body_of(got)))
    assert body_of(got)


def test_head_is_nothing_to_warn_of(gunicorn: Gunicorn) -> None:
    for path, status in (("/results/mcp", 200), ("/nothing", 404)):
        head = gunicorn.exchange(request(line=f"HEAD {path} HTTP/1.1"))
        assert statuses(head) == [status]
        assert re.search(rb"Content-Length: [1-9]", head)

    assert "no-body response" not in gunicorn.log.read_text()


def test_http_1_1_without_a_host_is_a_400(gunicorn: Gunicorn) -> None:
    raw = sized(PING).replace(b"Host: 127.0.0.1\r\n", b"")

    assert statuses(gunicorn.exchange(raw)) == [400]
    assert body_of(gunicorn.exchange(raw.replace(b"HTTP/1.1", b"HTTP/1.0"))) == PONG


@pytest.mark.requirement("transport:get:stream")
@pytest.mark.parametrize(
    "accept", ["text/event-stream", "application/json, text/event-stream"], ids=["alone", "among others"]
)
def test_a_get_for_a_stream_is_405_and_its_connection_stays_useful(gunicorn: Gunicorn, accept: str) -> None:
    stream = request(f"Accept: {accept}", line="GET /results/mcp HTTP/1.1")

    answer = gunicorn.exchange(stream + sized(PING, "Connection: close"))

    assert statuses(answer) == [405, 200]
    assert b"Allow: POST\r\n" in answer


@pytest.mark.requirement("notification:initialized")
def test_a_notification_gets_202_with_neither_body_nor_type(gunicorn: Gunicorn) -> None:
    answer = gunicorn.exchange(sized(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'))

    assert statuses(answer) == [202]
    assert b"Content-Length: 0\r\n" in answer
    assert b"Content-Type" not in answer
    assert body_of(answer) == b""


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json; charset*=x''y", 200),
        ("application/json; charset*=utf-8''%00", 200),
        ("; ;=;", 415),
        ("a" * 8_000, 415),
    ],
    ids=["unknown encoding", "NUL", "nothing", "long"],
)
def test_a_content_type_that_makes_no_sense_is_never_a_500(
    gunicorn: Gunicorn, content_type: str, status: int
) -> None:
    raw = sized(PING).replace(b"application/json", content_type.encode())

    assert statuses(gunicorn.exchange(raw)) == [status]


def test_a_client_that_stalls_in_its_head_or_body_holds_one_thread_and_no_other(gunicorn: Gunicorn) -> None:
    """A proxy in front reads requests whole; without one each stalled client costs one of the threads."""
    stalled = [b"POST /results/mcp HTTP/1.1\r\nHo", request("Content-Length: 40", body=PING[:9])]
    connections = [gunicorn.connect() for _ in stalled]
    for connection, sent in zip(connections, stalled, strict=True):
        connection.sendall(sent)

    answer = gunicorn.exchange(sized(PING))

    for connection in connections:
        connection.close()
    assert body_of(answer) == PONG
