"""Which error each status stands for, and how long it asks to wait."""

from __future__ import annotations

import pytest

from papertrade_site.upstream.errors import (
    BusyError,
    MissingError,
    RefusedError,
    UnavailableError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.refusals import refusal, retry_after_seconds

NOW_MS = 1_796_040_000_000  # Mon, 30 Nov 2026 12:00:00 GMT


def _refusal(status: int, retry_after: str = "") -> UpstreamError | None:
    return refusal(status, retry_after=retry_after, source="exchange.trading", now_ms=NOW_MS)


def test_200_is_no_refusal() -> None:
    assert _refusal(200) is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (204, UnexpectedError),
        (206, UnexpectedError),
        (302, UnexpectedError),
        (400, RefusedError),
        (403, RefusedError),
        (404, MissingError),
        (429, BusyError),
        (500, UnreachableError),
        (501, UnreachableError),
        (502, UnavailableError),
        (503, UnavailableError),
        (504, UnavailableError),
        (599, UnreachableError),
    ],
)
def test_each_status_has_its_error_that_names_the_source(status: int, kind: type[UpstreamError]) -> None:
    error = _refusal(status)
    assert type(error) is kind
    assert error.source == "exchange.trading"
    assert "the exchange's list of markets" in str(error).lower()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0", 1),
        ("301", 300),
        ("9" * 5000, 300),
        ("Mon, 30 Nov 2026 12:00:09 GMT", 9),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 1),
        ("Tue, 01 Dec 2026 12:00:00 GMT", 300),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date_and_bounded(header: str, seconds: int) -> None:
    assert retry_after_seconds(header, now_ms=NOW_MS) == seconds


@pytest.mark.parametrize(
    "header", ["", "soon", "-5", "1.5", "\u0667", "Mon, 99 Nov 2026 12:00:09 GMT", "x" * 9000]
)
def test_a_retry_after_that_says_nothing_is_none(header: str) -> None:
    assert retry_after_seconds(header, now_ms=NOW_MS) is None


def test_429_without_a_usable_retry_after_means_two_seconds() -> None:
    error = _refusal(429, "soon")
    assert error is not None
    assert error.retry_after_s == 2


def test_503_carries_its_retry_after() -> None:
    error = _refusal(503, "4")
    assert error is not None
    assert error.retry_after_s == 4
