"""What is logged of malformed requests."""

from __future__ import annotations

import logging
import logging.config
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFieldsSent

from papertrade_site.request_id import RequestIdFilter
from papertrade_site.strangers import LOG_EVERY_S, SuspicionFilter
from tests.clocks import ManualClock

KINDS = [RequestDataTooBig, SuspiciousOperation, TooManyFieldsSent]


def record(kind: type[Exception]) -> logging.LogRecord:
    error = kind("of the request" * 10_000)
    name = f"django.security.{kind.__name__}"
    info = (kind, error, None)
    return logging.LogRecord(name, logging.ERROR, __file__, 1, str(error), (), info)


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_is_short_and_tells_nothing_of_the_request(kind: type[Exception]) -> None:
    made = record(kind)
    assert SuspicionFilter(ManualClock()).filter(made)
    line = logging.Formatter("%(name)s %(message)s").format(made)
    assert line.startswith(f"django.security.{kind.__name__} A request was refused as malformed.")
    assert "of the request" not in line
    assert "\n" not in line


def test_there_is_one_line_a_minute_whatever_the_kinds() -> None:
    clock = ManualClock()
    suspicions = SuspicionFilter(clock)
    assert [suspicions.filter(record(kind)) for kind in KINDS] == [True, False, False]
    clock.advance(LOG_EVERY_S - 1)
    assert not suspicions.filter(record(KINDS[0]))
    clock.advance(1)
    assert suspicions.filter(record(KINDS[0]))


def test_no_message_makes_a_line_of_more_than_two_kilobytes() -> None:
    logging_settings: dict[str, Any] = settings.LOGGING
    configured = logging_settings["formatters"]["line"]
    formatter = logging.Formatter(configured["format"], style=configured["style"])
    made = logging.LogRecord("name" * 20, logging.ERROR, __file__, 1, "/%s", ("x" * 8_000,), None)
    assert RequestIdFilter().filter(made)
    assert len(formatter.format(made)) < 2_000
