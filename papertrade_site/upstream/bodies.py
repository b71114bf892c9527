"""Taking in the body of an answer: as JSON, or as an event's, and no more of it than is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from papertrade_site.strict_json import Json, StrictJsonError, decode
from papertrade_site.upstream.deadline import Allowance, TooLargeError
from papertrade_site.upstream.event_stream import first_event

MAX_BODY_BYTES = 1_000_000
"""The most that is read of an answer for which nothing else is said, counted as it comes in."""

MAX_EVENT_BYTES = 500_000
"""The same of a stream until its event is there: a wallet of 3,000 positions, and many are read at once."""

MOST_NESTING = 32
"""Deepest nesting of lists and objects in an answer; the venue's own stay below ten."""

MOST_PARTS = 200_000
"""Most commas and opening brackets of an answer; the venue's longest history has a tenth of this."""

WIRE_SHARE = 2
"""How many times its own size a body may take on the wire, where chunks have frames."""

_decode = partial(decode, most_nesting=MOST_NESTING, most_parts=MOST_PARTS)


def bounded(pieces: Iterable[bytes], allowance: Allowance, *, max_bytes: int) -> Iterator[bytes]:
    """The pieces of a body, of at most so many bytes in all.

    Raises:
        TooLargeError: when there are more, or taking them in has cost more than the allowance.
    """
    allowance.bytes_left = WIRE_SHARE * max_bytes
    size = 0
    for piece in pieces:
        allowance.take()
        size += len(piece)
        if size > max_bytes:
            raise TooLargeError
        yield piece


def json_of(pieces: Iterator[bytes]) -> Json:
    """The document that a body is.

    Raises:
        StrictJsonError: when it is none.
    """
    body = bytearray()
    for piece in pieces:
        body += piece
    return _decode(body)


def first_event_of(pieces: Iterator[bytes], *, name: str) -> Json:
    """The document in a stream's first event of a name; nothing after it is asked for.

    Raises:
        StrictJsonError: when it holds none, or the stream ends before it.
    """
    data = first_event(pieces, name)
    if data is None:
        raise StrictJsonError("ended before the event")
    return _decode(data)
