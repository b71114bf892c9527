"""What the client makes of answers; transport faults are in ``test_http_transport.py``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import httpx
import pytest

from papertrade_site.clock import Clock
from papertrade_site.env import SIMULATED_HEADER
from papertrade_site.upstream.bodies import MAX_BODY_BYTES
from papertrade_site.upstream.budget import CALL_REQUESTS, CallBudget
from papertrade_site.upstream.deadline import MAX_STEPS
from papertrade_site.upstream.errors import UnexpectedError, UnreachableError, UpstreamError
from papertrade_site.upstream.http import HttpClient
from tests.upstream.scripted_host import SOURCE, UPSTREAM_TEXT, Answering, failed, ok


@pytest.mark.parametrize(
    "address",
    [
        "",
        "venue.example",
        "//venue.example",
        "http://",
        "ftp://venue.example",
        "http://venue.example:port",
        "http://127.0.0.1:99999",
        "http://[::1",
        "http://xn--zz--",
        "http://venue..example\u00e9",
        "http://\x00",
    ],
)
def test_an_address_that_is_none_is_an_error_of_ours_and_is_not_asked(clock: Clock, address: str) -> None:
    client = HttpClient(base_url=address, clock=clock, expect_simulated=False)
    budget = CallBudget(clock)
    with pytest.raises(UnreachableError, match="correct it in the settings") as refused:
        client.get_json("/state", source=SOURCE, budget=budget)
    client.close()
    assert refused.value.source == SOURCE
    assert budget.requests_left == CALL_REQUESTS


def test_a_get_returns_the_decoded_document(answering: Answering) -> None:
    exchange = answering(ok({"a": [1, "2"]}))
    assert exchange.get(params=[("window", "all"), ("page", "0")]) == {"a": [1, "2"]}
    (request,) = exchange.requests
    assert str(request.url) == "https://venue.example/state?window=all&page=0"
    assert request.method == "GET"
    assert request.headers["Accept"] == "application/json"
    assert request.headers["Accept-Encoding"] == "identity"
    assert request.headers["User-Agent"].startswith("papertrade-mcp/")


def test_a_query_that_is_part_of_the_path_is_kept(answering: Answering, budget: CallBudget) -> None:
    exchange = answering(ok())
    exchange.client.get_json("/map?instrumentId=0", source=SOURCE, budget=budget)
    assert str(exchange.requests[0].url) == "https://venue.example/map?instrumentId=0"


def test_a_post_sends_json_and_may_go_to_the_base_address_itself(
    answering: Answering, budget: CallBudget
) -> None:
    exchange = answering(ok([1]))
    assert exchange.client.post_json("", [{"id": 0}], source=SOURCE, budget=budget) == [1]
    (request,) = exchange.requests
    assert str(request.url) in {"https://venue.example", "https://venue.example/"}
    assert json.loads(request.content) == [{"id": 0}]
    assert request.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "media_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"]
)
def test_json_is_recognised_by_its_media_type(answering: Answering, media_type: str) -> None:
    answer = httpx.Response(200, content=b"[1]", headers={"Content-Type": media_type})
    assert answering(answer).get() == [1]


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "text/event-stream", ""])
def test_any_other_media_type_is_refused(answering: Answering, media_type: str) -> None:
    answer = httpx.Response(200, content=b"[1]", headers={"Content-Type": media_type})
    with pytest.raises(UnexpectedError):
        answering(answer).get()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"a":',
        b"<html>" + UPSTREAM_TEXT.encode(),
        b'{"a":NaN}',
        b"[1e999]",
        b"[" * 100_000,
        b'"\xff"',
    ],
)
def test_a_body_that_is_not_strict_json_is_refused(answering: Answering, content: bytes) -> None:
    answer = httpx.Response(200, content=content, headers={"Content-Type": "application/json"})
    with pytest.raises(UnexpectedError) as refused:
        answering(answer).get()
    assert UPSTREAM_TEXT not in str(refused.value)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "identity, gzip"])
def test_a_compressed_body_is_refused_and_never_unpacked(answering: Answering, encoding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    packed = httpx.Response(200, stream=httpx.ByteStream(gzip.compress(b"[1]")), headers=headers)
    exchange = answering(packed)
    with pytest.raises(UnexpectedError):
        exchange.get()
    assert exchange.answers[0].size == len(gzip.compress(b"[1]"))


def test_a_body_of_the_greatest_size_is_read_and_a_larger_one_is_refused(answering: Answering) -> None:
    fits = b'"' + b"x" * (MAX_BODY_BYTES - 2) + b'"'
    headers = {"Content-Type": "application/json"}
    exchange = answering(
        httpx.Response(200, content=fits, headers=headers),
        httpx.Response(200, content=fits + b" ", headers=headers),
    )
    assert len(exchange.get()) == MAX_BODY_BYTES - 2
    with pytest.raises(UnexpectedError):
        exchange.get()


def test_a_resource_may_allow_for_a_larger_body(answering: Answering, budget: CallBudget) -> None:
    body = b" " * MAX_BODY_BYTES + b"[1]"
    exchange = answering(httpx.Response(200, content=body, headers={"Content-Type": "application/json"}))
    found = exchange.client.get_json("/", source=SOURCE, budget=budget, max_bytes=len(body))
    assert found == [1]


@pytest.mark.parametrize("media_type", ["application/json", "text/event-stream"])
def test_an_answer_in_very_many_pieces_is_refused_before_it_costs_much(
    answering: Answering, media_type: str
) -> None:
    taken: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        for _ in range(2 * MAX_STEPS):
            taken.append(b" ")
            yield b" "

    exchange = answering(httpx.Response(200, content=pieces(), headers={"Content-Type": media_type}))
    with pytest.raises(UnexpectedError, match="larger"):
        exchange.get() if media_type == "application/json" else exchange.first()
    assert len(taken) == MAX_STEPS + 1


@pytest.mark.parametrize(
    "location", ["http://169.254.169.254/", "file:///etc/passwd", "//", "http://[::", ""]
)
def test_a_redirect_is_not_followed(answering: Answering, location: str) -> None:
    exchange = answering(failed(302, Location=location), ok())
    with pytest.raises(UpstreamError):
        exchange.get()
    assert len(exchange.requests) == 1


def test_cookies_are_never_kept(answering: Answering) -> None:
    exchange = answering(ok(**{"Set-Cookie": "id=7; Path=/"}), ok())
    exchange.get()
    exchange.get()
    assert "Cookie" not in exchange.requests[1].headers


def test_live_mode_refuses_simulated_answers(answering: Answering) -> None:
    exchange = answering(ok(**{SIMULATED_HEADER: "1"}))
    with pytest.raises(UnexpectedError, match="embedded exchange"):
        exchange.get()


def test_simulated_mode_refuses_live_answers(answering: Answering) -> None:
    exchange = answering(ok(), ok([1], **{SIMULATED_HEADER: "1"}), simulated=True)
    with pytest.raises(UnexpectedError, match="embedded exchange"):
        exchange.get()
    assert exchange.get() == [1]
