from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from papertrade_site.mcp.errors import InvalidRequestError
from papertrade_site.mcp.negotiation import (
    PROTOCOL_VERSIONS,
    agree_on_version,
    check_version_header,
    lists_stream,
    media_type,
    wants_stream,
)


@given(
    st.none()
    | st.integers()
    | st.lists(st.text())
    | st.text().filter(lambda text: text not in PROTOCOL_VERSIONS)
)
def test_a_version_that_is_not_spoken_becomes_the_newest(wanted: object) -> None:
    assert agree_on_version(wanted) == "2025-06-18"


@pytest.mark.parametrize("version", PROTOCOL_VERSIONS)
def test_a_version_that_is_spoken_is_agreed_on(version: str) -> None:
    assert agree_on_version(version) == version


@pytest.mark.parametrize("version", [None, *PROTOCOL_VERSIONS, "2025-11-25"])
def test_a_header_may_be_absent_or_name_a_version_of_the_same_wire(version: str | None) -> None:
    check_version_header(version)


def test_another_version_is_refused_with_at_most_60_characters_of_it() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        check_version_header("9" * 500)

    assert caught.value.data == {"supported": list(PROTOCOL_VERSIONS), "requested": "9" * 59 + "…"}
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("accept", "for_post", "for_get"),
    [
        ("text/event-stream", True, True),
        ("Text/Event-Stream ; q=1", True, True),
        ("text/event-stream, application/json", False, True),
        ("*/*;q=0.1, text/event-stream", False, True),
        ("application/*,text/event-stream", False, True),
        ("text/*", False, False),
        ("text/event-streams", False, False),
        ("", False, False),
        (",;", False, False),
    ],
)
def test_a_stream_is_sent_to_those_who_take_nothing_else(accept: str, for_post: bool, for_get: bool) -> None:
    assert (wants_stream(accept), lists_stream(accept)) == (for_post, for_get)


def test_a_media_type_has_no_case_and_no_parameters() -> None:
    assert media_type(" Application/JSON ; charset=utf-8") == "application/json"
