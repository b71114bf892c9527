"""What client and server agree on: protocol version, and the form of an answer."""

from __future__ import annotations

from typing import Final

from papertrade_site.mcp.errors import InvalidRequestError, cut, shown

PROTOCOL_VERSIONS: Final = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that the server speaks, newest first."""

ACCEPTED_IN_HEADER: Final = frozenset({*PROTOCOL_VERSIONS, "2025-11-25"})
"""Versions that a request may name: for a server of tools alone, 2025-11-25 is the same on the wire."""

JSON_TYPE: Final = "application/json"
STREAM_TYPE: Final = "text/event-stream"


def agree_on_version(wanted: object) -> str:
    """The client's version when the server speaks it, else the server's newest."""
    return wanted if isinstance(wanted, str) and wanted in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0]


def check_version_header(version: str | None) -> None:
    """Check the version that a request other than ``initialize`` names in its header.

    Raises:
        InvalidRequestError: naming the versions that the server speaks.
    """
    if version is None or version in ACCEPTED_IN_HEADER:
        return
    raise InvalidRequestError(
        f"Protocol version {shown(version)} is not supported; send one of {', '.join(PROTOCOL_VERSIONS)}.",
        data={"supported": list(PROTOCOL_VERSIONS), "requested": cut(version)},
    )


def media_type(header: str) -> str:
    """The media type alone, without parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


def wants_stream(accept: str) -> bool:
    """Whether a POST is to be answered as an event stream: only when that is all the client takes."""
    types = _accepted(accept)
    return STREAM_TYPE in types and not types & {JSON_TYPE, "application/*", "*/*"}


def lists_stream(accept: str) -> bool:
    """Whether a GET asks for an event stream among other things."""
    return STREAM_TYPE in _accepted(accept)


def _accepted(accept: str) -> set[str]:
    return {media_type(part) for part in accept.split(",")}
