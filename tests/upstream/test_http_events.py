"""The client as a reader of one event of a stream."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from papertrade_site.upstream.bodies import MAX_EVENT_BYTES
from papertrade_site.upstream.errors import UnexpectedError
from tests.upstream.scripted_host import Answering, ok

EVENTS = {"Content-Type": "text/event-stream"}


def _events(*chunks: bytes, **headers: str) -> httpx.Response:
    return httpx.Response(200, content=iter(chunks), headers={**EVENTS, **headers})


def test_the_first_event_of_a_name_is_taken_whatever_comes_before(answering: Answering) -> None:
    exchange = answering(
        _events(
            b'event: liveness\ndata: {"heartbeatIntervalMs":10000}\n\n',
            b": comment\n\nevent: wal",
            b'let\r\ndata: {"balance":\r\nda',
            b'ta: "5"}\r\n\r\n',
            b'event: wallet\ndata: {"balance":"6"}\n\n',
        )
    )
    assert exchange.first() == {"balance": "5"}
    (request,) = exchange.requests
    assert request.headers["Accept"] == "text/event-stream"
    assert str(request.url) == "https://venue.example/live?wallet=0x1"


def test_nothing_after_the_event_is_read(answering: Answering) -> None:
    def frames() -> Iterator[bytes]:
        yield b"event: wallet\ndata: 1\n\n"
        raise AssertionError("read on")

    answer = httpx.Response(200, content=frames(), headers=EVENTS)
    assert answering(answer).first() == 1


@pytest.mark.parametrize(
    "answer",
    [
        _events(),
        _events(b"event: heartbeat\ndata: null\n\n"),
        _events(b"event: wallet\ndata: 1\n"),
        _events(b"event: wallet\ndata: NaN\n\n"),
        _events(b"event: wallet\n\n"),
        _events(b"data: 1\n\n"),
        _events(b'event: wallet\ndata: "\xff"\n\n'),
        ok(),
    ],
    ids=["nothing", "another", "unfinished", "nan", "no data", "no name", "not utf-8", "no stream"],
)
def test_a_stream_without_a_sound_event_is_refused(answering: Answering, answer: httpx.Response) -> None:
    with pytest.raises(UnexpectedError):
        answering(answer).first()


def test_a_stream_is_given_up_once_it_grows_too_large(answering: Answering) -> None:
    read: list[int] = []

    def frames() -> Iterator[bytes]:
        for number in range(1000):
            read.append(number)
            yield b": " + b"x" * 100_000 + b"\n"

    with pytest.raises(UnexpectedError):
        answering(httpx.Response(200, content=frames(), headers=EVENTS)).first()
    assert len(read) == MAX_EVENT_BYTES // 100_003 + 1
