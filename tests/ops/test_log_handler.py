"""Lines of the log, which keep nobody waiting for whoever reads standard error."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from papertrade_site.ops import request_lines
from papertrade_site.ops.log_handler import PatientHandler


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(writer)
    os.close(reader)


def _fill(writer: int) -> None:
    """Leave no room in a pipe, so that the next to write waits until somebody reads."""
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, b"x" * 512)
    except BlockingIOError:
        fcntl.fcntl(writer, fcntl.F_SETFL, flags)


def _log_with(handler: logging.Handler) -> logging.Logger:
    logger = logging.Logger("somebody")
    logger.addHandler(handler)
    return logger


def test_what_is_logged_is_written_in_its_format_with_its_traceback(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    handler = PatientHandler(writer)
    handler.setFormatter(logging.Formatter("{levelname} {name}: {message}", style="{"))
    try:
        raise LookupError("a bug")
    except LookupError:
        _log_with(handler).exception("It failed for %s.", "once")
    handler.close()
    first, *_, last = os.read(reader, 65536).decode().splitlines()
    assert (first, last) == ("ERROR somebody: It failed for once.", "LookupError: a bug")


def test_a_full_pipe_keeps_neither_who_logs_nor_the_end_waiting(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_lines, "GRACE_S", 0.05)
    reader, writer = pipe
    _fill(writer)
    handler = PatientHandler(writer)
    for _ in range(100):
        _log_with(handler).warning("Nobody reads this yet.")
    handler.close()
    found = b""
    while b"Nobody reads this yet." not in found:  # all that was before it had to be read first
        found = found[-100:] + os.read(reader, 65536)


def test_all_that_the_project_logs_goes_that_way() -> None:
    logging_: Any = settings.LOGGING
    classes = {handler["class"] for handler in logging_["handlers"].values()}
    assert classes == {f"{PatientHandler.__module__}.{PatientHandler.__qualname__}"}
