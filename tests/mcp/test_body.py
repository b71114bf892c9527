from __future__ import annotations

from http import HTTPStatus
from io import BytesIO

import pytest
from django.http import HttpRequest
from django.test import RequestFactory

from papertrade_site.mcp.body import RefusedRequestError, read_body

MOST = 100


class Broken:
    """A connection that ends while a body is read from it."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def read(self, _: int) -> bytes:
        raise self.error


def post(stream: object, **meta: str) -> HttpRequest:
    request = RequestFactory().generic("POST", "/")
    request.META.update(
        {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": "", **meta, "wsgi.input": stream}
    )
    return request


def refusal(request: HttpRequest) -> HTTPStatus:
    with pytest.raises(RefusedRequestError) as caught:
        read_body(request, most_bytes=MOST)
    assert caught.value.error.code == -32600
    return caught.value.status


@pytest.mark.parametrize("size", [0, 1, MOST])
def test_a_body_is_read_whole_by_its_length_or_to_the_end_of_its_chunks(size: int) -> None:
    body = b"x" * size

    by_length = post(BytesIO(body + b"next request"), CONTENT_LENGTH=str(size))
    in_chunks = post(BytesIO(body), HTTP_TRANSFER_ENCODING="Chunked")

    assert read_body(by_length, most_bytes=MOST) == read_body(in_chunks, most_bytes=MOST) == body


@pytest.mark.parametrize("length", ["101", "9" * 30])
def test_a_body_declared_too_large_is_refused_unread(length: str) -> None:
    stream = Broken(AssertionError("was read"))

    assert refusal(post(stream, CONTENT_LENGTH=length)) == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def test_chunks_are_read_no_further_than_the_limit() -> None:
    stream = BytesIO(b"x" * 10_000)

    assert refusal(post(stream, HTTP_TRANSFER_ENCODING="chunked")) == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert stream.tell() == MOST + 1


@pytest.mark.parametrize("length", ["", "-5", "abc", "9" * 5_000])
def test_a_length_that_is_none_means_no_body(length: str) -> None:
    assert read_body(post(BytesIO(b"xyz"), CONTENT_LENGTH=length), most_bytes=MOST) == b""


@pytest.mark.parametrize("error", [ConnectionResetError(), TimeoutError(), ValueError("bad chunk")])
def test_a_body_that_cannot_be_read_is_a_bad_request(error: Exception) -> None:
    assert refusal(post(Broken(error), CONTENT_LENGTH="5")) == HTTPStatus.BAD_REQUEST


def test_a_body_shorter_than_declared_is_a_bad_request() -> None:
    assert refusal(post(BytesIO(b"1234"), CONTENT_LENGTH="5")) == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize(
    "meta",
    [
        {"CONTENT_TYPE": ""},
        {"CONTENT_TYPE": "text/json"},
        {"HTTP_CONTENT_ENCODING": "gzip"},
        {"HTTP_CONTENT_ENCODING": "identity, br"},
        {"HTTP_TRANSFER_ENCODING": "gzip, chunked"},
    ],
)
def test_what_is_not_plain_json_by_its_headers_is_refused_unread(meta: dict[str, str]) -> None:
    assert refusal(post(Broken(AssertionError("was read")), **meta)) == HTTPStatus.UNSUPPORTED_MEDIA_TYPE
