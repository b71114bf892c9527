"""What the log and an operator are told of requests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import httpx
import pytest

from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import MissingError, UnreachableError, UpstreamError
from papertrade_site.upstream.http import Answer, HttpClient
from tests.clocks import ManualClock
from tests.upstream.scripted_host import SOURCE, UPSTREAM_TEXT, Answering, failed


def test_each_failure_is_logged_in_one_line_of_our_words(
    answering: Answering, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with pytest.raises(UnreachableError):
        answering(failed(500)).get()
    with pytest.raises(UnreachableError):
        answering(httpx.ReadError(UPSTREAM_TEXT)).get()
    assert caplog.messages == [
        "exchange.trading: UnreachableError: "
        "The exchange's list of markets answers with status 500, a fault on its side. (status 500)",
        "exchange.trading: UnreachableError: "
        "The exchange's list of markets breaks off before its answer is whole. (status None)",
    ]


def test_an_operator_is_told_what_each_request_came_to(answering: Answering) -> None:
    sent = httpx.Response(200, content=iter([b"[1", b"]"]), headers={"Content-Type": "application/json"})
    exchange = answering(failed(503), sent)
    exchange.get()
    assert [(answer.method, answer.url, answer.status, answer.size) for answer in exchange.answers] == [
        ("GET", "https://venue.example/state", 503, 0),
        ("GET", "https://venue.example/state", 200, 3),
    ]


@pytest.mark.parametrize(
    ("status", "media_type"), [(500, "text/html"), (404, "text/html"), (200, "text/html")]
)
def test_an_operator_is_told_the_size_of_an_answer_that_is_of_no_use(
    answering: Answering, status: int, media_type: str
) -> None:
    sent = httpx.Response(status, content=iter([b"<html>", b"no"]), headers={"Content-Type": media_type})
    exchange = answering(sent)
    with pytest.raises(UpstreamError):
        exchange.get()
    assert [(answer.status, answer.size) for answer in exchange.answers] == [(status, 8)]


def test_a_useless_answer_that_breaks_off_keeps_its_own_error(answering: Answering) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"<html>"
        raise httpx.ReadError(UPSTREAM_TEXT)

    exchange = answering(httpx.Response(404, content=pieces()))
    with pytest.raises(MissingError):
        exchange.get()
    assert exchange.answers[0].size == 6


def test_a_reader_who_needs_no_size_is_told_of_a_refused_answer_without_its_body(clock: ManualClock) -> None:
    told: list[Answer] = []
    taken: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        for piece in (b"<html>", b"no"):
            taken.append(piece)
            yield piece

    transport = httpx.MockTransport(lambda _: httpx.Response(404, content=pieces()))
    client = HttpClient(
        base_url="https://venue.example",
        clock=clock,
        expect_simulated=False,
        transport=transport,
        on_answer=told.append,
    )
    with pytest.raises(MissingError):
        client.get_json("/state", source=SOURCE, budget=CallBudget(clock))
    client.close()
    assert [(answer.source, answer.status, answer.size, type(answer.error)) for answer in told] == [
        (SOURCE, 404, 0, MissingError)
    ]
    assert taken == []
