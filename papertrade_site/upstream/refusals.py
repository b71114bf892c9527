"""What a failed request means: its status, its headers, and the sentences that say so."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http import HTTPStatus
from math import ceil

from papertrade_site.env import SIMULATED_HEADER
from papertrade_site.upstream.errors import (
    BusyError,
    MissingError,
    RefusedError,
    SlowError,
    UnavailableError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.labels import sentence

RETRIED_STATUSES = frozenset(
    {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
)

DEFAULT_RETRY_AFTER_SECONDS = 2
MAX_RETRY_AFTER_SECONDS = 300


def refusal(status: int, *, retry_after: str, source: str, now_ms: int) -> UpstreamError | None:
    """The error that a status stands for, or None for 200; ``retry_after`` is that header, or empty."""
    if status == HTTPStatus.OK:
        return None
    wait_s = retry_after_seconds(retry_after, now_ms=now_ms)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        wait_s = wait_s or DEFAULT_RETRY_AFTER_SECONDS
        return BusyError(
            sentence("{} is being asked too often.", source), source=source, retry_after_s=wait_s
        )
    if status == HTTPStatus.NOT_FOUND:
        return MissingError(sentence("There is nothing at the address of {}.", source), source=source)
    if status in RETRIED_STATUSES:
        return UnavailableError(_faulty(source, status), source=source, retry_after_s=wait_s)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return UnreachableError(_faulty(source, status), source=source)
    if status >= HTTPStatus.BAD_REQUEST:
        return RefusedError(
            sentence("{} refuses this request.", source), source=source, advice="Ask for something else."
        )
    return unexpected(source, "is a redirect or has no content")


def unfit(
    headers: Mapping[str, str], *, accept: str, expect_simulated: bool, source: str
) -> UpstreamError | None:
    """The error of a 200 that cannot be used by its headers, or None.

    Args:
        headers: of the answer; their case must not matter.
        accept: the media type that was asked for.
        expect_simulated: whether every answer must, or must not, come from the embedded exchange.
        source: whose answer it is.
    """
    if (headers.get(SIMULATED_HEADER) == "1") is not expect_simulated:
        return unexpected(
            source,
            "does not come from the embedded exchange, although simulated data is configured"
            if expect_simulated
            else "comes from an embedded exchange, although live data is configured",
        )
    if headers.get("Content-Encoding", "identity").lower() != "identity":
        return unexpected(source, "is compressed, which was not asked for")
    if headers.get("Content-Type", "").partition(";")[0].strip().lower() != accept:
        return unexpected(source, "is not of the kind that was asked for")
    return None


def retry_after_seconds(text: str, *, now_ms: int) -> int | None:
    """Seconds that a ``Retry-After`` header asks for, 1 to 300; None when it says nothing."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        seconds = int(text[:10])
    else:
        try:
            seconds = ceil(parsedate_to_datetime(text).timestamp() - now_ms / 1000)
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 1), MAX_RETRY_AFTER_SECONDS)


class Hindrance(StrEnum):
    """Why no connection to a host came about; continues "cannot be reached now, as"."""

    NAME = "the name of its host is not known"
    REFUSAL = "its host refuses the connection"
    TLS = "its host gives no TLS connection that can be trusted"
    TIME = "its host does not take the connection in time"
    OTHER = "no connection to its host comes about"


def hindrance_of(error: BaseException | None) -> Hindrance:
    """What kept a connection from coming about, by the system's own error behind the one that was raised.

    httpcore keeps that one as the context of its own only.
    """
    while error is not None:
        if isinstance(error, (socket.gaierror, UnicodeError)):
            return Hindrance.NAME
        if isinstance(error, ConnectionRefusedError):
            return Hindrance.REFUSAL
        if isinstance(error, ssl.SSLError):
            return Hindrance.TLS
        error = error.__context__
    return Hindrance.OTHER


def _faulty(source: str, status: int) -> str:
    return sentence(f"{{}} answers with status {status}, a fault on its side.", source)


def unconnected(source: str, why: Hindrance) -> UnavailableError:
    """No connection to the host came about."""
    return UnavailableError(sentence(f"{{}} cannot be reached now, as {why}.", source), source=source)


def broken_off(source: str) -> UnreachableError:
    """The host failed before its answer was whole."""
    return UnreachableError(sentence("{} breaks off before its answer is whole.", source), source=source)


def misaddressed(source: str) -> UnreachableError:
    """The configured address is none that could be asked."""
    return UnreachableError(
        sentence("The address of {} is not a valid one.", source),
        source=source,
        advice="Whoever runs this server must correct it in the settings.",
    )


def slow(source: str) -> SlowError:
    """No whole answer came within the time that was left."""
    return SlowError(sentence("{} did not answer in time.", source), source=source)


def unexpected(source: str, what: str, *, detail: str = "") -> UnexpectedError:
    """An answer came that cannot be used; ``what`` continues "The answer of the source"."""
    text = sentence(f"The answer of {{}} {what}, so it is not used.", source)
    return UnexpectedError(text, source=source, detail=detail)
