"""The lines and events of a server-sent event stream, as the HTML standard has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def first_event(pieces: Iterable[bytes], name: str) -> bytes | None:
    """The data of a stream's first event of the given name, or None when the stream ends before it.

    No piece is asked for once the event is complete. An event without data is none.
    """
    event, data = b"", bytearray()
    for line in _lines(pieces):
        field, _, value = line.partition(b":")
        if not line:
            if event == name.encode() and data:
                return bytes(data[:-1])
            event, data = b"", bytearray()
        elif field == b"event":
            event = value.removeprefix(b" ")
        elif field == b"data":
            data += value.removeprefix(b" ") + b"\n"
    return None


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Every ended line, whether CR, LF or both end it, as soon as its end is seen."""
    line = bytearray()
    ended_by_cr = False
    mark = _BYTE_ORDER_MARK
    for piece in pieces:
        if ended_by_cr:
            piece = piece.removeprefix(b"\n")
        if not piece:
            continue
        ended_by_cr = piece.endswith(b"\r")
        *ends, rest = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for end in ends:
            line += end
            yield bytes(line).removeprefix(mark)
            line.clear()
            mark = b""
        line += rest
