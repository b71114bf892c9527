"""Which processes are weighed, and what one takes that has ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from tests.weighing import MEBIBYTE, cpu_s, family, memory_bytes, of_session

PROGRAM = f"held = bytearray({50 * MEBIBYTE}); sum(range(5_000_000)); print('ready', flush=True); input()"


@pytest.fixture
def heavy() -> Iterator[psutil.Process]:
    """A process in a session of its own, that holds 50 MiB."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield psutil.Process(process.pid)
        process.kill()


def test_a_session_and_a_family_have_the_process_that_is_in_them(heavy: psutil.Process) -> None:
    assert of_session(heavy.pid) == [heavy]
    assert heavy in family(os.getpid())
    assert heavy not in of_session(os.getsid(0))


def test_what_a_process_takes_is_told_and_what_one_takes_that_has_ended_is_nothing(
    heavy: psutil.Process,
) -> None:
    assert 50 < memory_bytes([heavy]) / MEBIBYTE < 100
    assert 0 < cpu_s([heavy]) < 5
    heavy.kill()
    heavy.wait()
    assert (memory_bytes([heavy]), cpu_s([heavy])) == (0, 0)
