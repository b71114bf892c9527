"""Which events are found in a stream, however its bytes are cut and its lines end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from papertrade_site.upstream.event_stream import first_event

STREAM = b": comment\nevent: other\ndata: 0\n\nid: 7\nevent:wallet\ndata: {\ndata:  1}\n\n"


def test_the_first_event_of_the_name_is_found_with_its_lines_joined() -> None:
    assert first_event([STREAM + b"event: wallet\ndata: 2\n\n"], "wallet") == b"{\n 1}"


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_line_end_and_a_byte_order_mark_are_read_without_waiting_for_more(
    end: bytes, mark: bytes
) -> None:
    def pieces() -> Iterator[bytes]:
        stream = mark + STREAM.replace(b"\n", end)
        yield from (stream[place : place + 1] for place in range(len(stream.removesuffix(b"\n") + b"\n")))
        raise AssertionError("read on")

    assert first_event(pieces(), "wallet") == b"{\n 1}"


@given(cuts=st.lists(st.integers(0, 200), max_size=8), end=st.sampled_from([b"\n", b"\r", b"\r\n"]))
def test_where_the_bytes_are_cut_makes_no_difference(cuts: list[int], end: bytes) -> None:
    stream = STREAM.replace(b"\n", end)
    edges = [0, *sorted(cuts), len(stream)]
    pieces = [stream[begin:until] for begin, until in pairwise(edges)]
    assert first_event(pieces, "wallet") == b"{\n 1}"


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        b"data: 1\n\n",
        b"event: wallet\n\ndata: 1\n\n",
        b"event: wallet\ndata: 1",
        b"event: wallet\ndata: 1\n",
        b"event: wallets\ndata: 1\n\n",
        b"event:  wallet\ndata: 1\n\n",
        b": event: wallet\ndata: 1\n\n",
        b"\n\xef\xbb\xbfevent: wallet\ndata: 1\n\n",
    ],
)
def test_a_stream_without_a_whole_event_of_the_name_has_none(stream: bytes) -> None:
    assert first_event([stream], "wallet") is None
