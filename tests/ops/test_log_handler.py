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
from papertrade_site.ops.log_handler import ImpatientHandler, PatientHandler, drain_lost_lines


@pytest.fixture(autouse=True)
def time_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the last lines as long as a busy machine may need."""
    monkeypatch.setattr(request_lines, "GRACE_S", 20)


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
    reader, writer = pipe
    _fill(writer)
    handler = PatientHandler(writer)
    for _ in range(100):
        _log_with(handler).warning("Nobody reads this yet.")
    with monkeypatch.context() as patch:
        patch.setattr(request_lines, "GRACE_S", 0.05)
        handler.close()
    found = b""
    while b"Nobody reads this yet." not in found:  # all that was before it had to be read first
        found = found[-100:] + os.read(reader, 65536)
    handler.close()  # now that there is room, for the pipe ends with the test


def test_lines_that_nobody_takes_are_counted_once(pipe: tuple[int, int]) -> None:
    drain_lost_lines()
    _, writer = pipe
    _fill(writer)
    fcntl.fcntl(writer, fcntl.F_SETFL, fcntl.fcntl(writer, fcntl.F_GETFL) | os.O_NONBLOCK)
    handler = PatientHandler(writer)
    for _ in range(3):
        _log_with(handler).warning("Nobody reads this.")
    handler.close()
    assert drain_lost_lines() == 3
    assert drain_lost_lines() == 0


def test_a_process_that_forks_writes_at_once_whatever_is_taken_however_long(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    _log_with(ImpatientHandler(writer)).error("It failed: %s.", "x" * 10_000)
    assert os.read(reader, 65536).decode() == f"It failed: {'x' * 10_000}.\n"


def test_a_process_that_forks_waits_for_nobody_who_reads_its_log(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    _fill(writer)
    log = _log_with(ImpatientHandler(writer))
    log.error("This is lost.")
    assert b"lost" not in os.read(reader, 65536)
    log.error("This is taken.")
    assert b"This is taken.\n" in os.read(reader, 65536)


def test_a_process_that_forks_goes_on_where_nobody_is_left_to_read(pipe: tuple[int, int]) -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        _log_with(ImpatientHandler(full.fileno())).error("There is no room for this.")


def test_all_that_the_project_logs_goes_that_way() -> None:
    logging_: Any = settings.LOGGING
    classes = {handler["class"] for handler in logging_["handlers"].values()}
    assert classes == {f"{PatientHandler.__module__}.{PatientHandler.__qualname__}"}
