"""Lines about requests on their way to standard error, whatever becomes of that."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from papertrade_site.env import BASE_DIR
from papertrade_site.ops import request_lines
from papertrade_site.ops.request_lines import CHUNK_BYTES, Line, RequestLines

Started = Callable[..., RequestLines]


@pytest.fixture(autouse=True)
def time_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the last lines as long as a busy machine may need."""
    monkeypatch.setattr(request_lines, "GRACE_S", 20)


@pytest.fixture
def started() -> Iterator[Started]:
    """Make lines that write to a descriptor, and end their threads after the test."""
    made: list[RequestLines] = []

    def start(descriptor: int, *, is_silent: bool = False) -> RequestLines:
        made.append(RequestLines(descriptor=descriptor, is_silent=is_silent))
        return made[-1]

    yield start
    for lines in made:
        lines.stop()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)
    os.close(writer)


@pytest.fixture
def full_disk() -> Iterator[int]:
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Request:
    """One that has a line."""

    told: Line

    def line(self) -> Line:
        return self.told

    def counted(self) -> Line:
        return self.told._replace(text="")


class CountedRequest(Request):
    """One whose line nobody may make."""

    def line(self) -> Line:
        raise AssertionError


def _line(text: str, *, server: str = "analytics", status: int = 200) -> Request:
    return Request(Line(f"{text}\n", server, status))


def test_lines_come_whole_in_their_order(started: Started, pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    lines = started(writer)
    for number in range(100):
        lines.put(_line(f"{number:050d}"))
    lines.stop()
    assert os.read(reader, 65536).decode().split() == [f"{number:050d}" for number in range(100)]


def test_several_are_written_in_pieces_that_processes_do_not_mix(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces: list[bytes] = []

    def write(_: int, piece: bytes) -> int:
        pieces.append(piece)
        return len(piece)

    monkeypatch.setattr(
        request_lines, "os", SimpleNamespace(write=write, register_at_fork=os.register_at_fork)
    )
    lines = started(0)
    for _ in range(60):
        lines.put(_line("x" * 300))
    lines.stop()
    assert all(len(piece) <= CHUNK_BYTES and piece.endswith(b"\n") for piece in pieces)
    assert sum(piece.count(b"\n") for piece in pieces) == 60
    assert len(pieces) < 30


def test_requests_are_counted_by_server_and_status(started: Started, pipe: tuple[int, int]) -> None:
    lines = started(pipe[1])
    for line in (_line("a"), _line("b"), _line("c", server="", status=404)):
        lines.put(line)
    lines.stop()
    assert lines.drain() == ({("analytics", 200): 2, ("", 404): 1}, 0)
    assert lines.drain() == ({}, 0)


def test_a_full_disk_costs_lines_and_nothing_else(started: Started, full_disk: int) -> None:
    lines = started(full_disk)
    for number in range(20):
        lines.put(_line(str(number)))
    lines.stop()
    assert lines.drain() == ({("analytics", 200): 20}, 20)


def test_a_line_that_was_torn_by_a_disk_that_fills_does_not_spoil_the_next(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []

    def write(_: int, piece: bytes) -> int:
        kept = piece if written else piece[:7]
        written.append(kept)
        return len(kept)

    monkeypatch.setattr(
        request_lines, "os", SimpleNamespace(write=write, register_at_fork=os.register_at_fork)
    )
    monkeypatch.setattr(request_lines, "CHUNK_BYTES", 1)
    lines = started(0)
    for text in ("first line", "second line", "third line"):
        lines.put(_line(text))
    lines.stop()
    assert b"".join(written).split(b"\n") == [b"first l", b"second line", b"third line", b""]
    assert lines.drain().lost == 1


def test_a_reader_that_has_stopped_keeps_no_request_waiting(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    monkeypatch.setattr(request_lines, "MOST_LINES", 50)
    lines = started(writer)
    for _ in range(5_000):
        lines.put(_line("x" * 400))
    assert lines.drain().lost > 4_000
    os.close(reader)  # which ends the write that waits
    lines.stop()
    os.close(writer)


def test_a_line_that_cannot_be_made_costs_itself_alone(
    started: Started, pipe: tuple[int, int], caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def line(self) -> Line:
            raise LookupError("a bug")

        def counted(self) -> Line:
            raise LookupError("a bug")

    lines = started(pipe[1])
    for answered in (_line("before"), Broken(), _line("after")):
        lines.put(answered)
    lines.stop()
    assert os.read(pipe[0], 100) == b"before\nafter\n"
    assert lines.drain().lost == 1
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_nothing_is_written_where_only_counting_is_wanted(started: Started, pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.set_blocking(reader, False)
    lines = started(writer, is_silent=True)
    lines.put(CountedRequest(_line("a").told))
    lines.stop()
    with pytest.raises(BlockingIOError):
        os.read(reader, 10)
    assert lines.drain() == ({("analytics", 200): 1}, 0)


def test_a_closed_standard_error_is_left_alone_whatever_has_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_lines, "sys", SimpleNamespace(__stderr__=None))
    lines = RequestLines()
    lines.put(_line("a"))
    lines.stop()
    assert lines.drain() == ({("analytics", 200): 1}, 1)


FORKING = """
import os, sys
from papertrade_site.ops.request_lines import Line, RequestLines

class Request:
    def line(self):
        return Line("a\\n", "analytics", 200)

lines = RequestLines(descriptor=1)
lines.put(Request())
child = os.fork()
if not child:
    lines.put(Request())
    lines.stop()
    print(dict(lines.drain().requests), flush=True)
    os._exit(0)
os.waitpid(child, 0)
lines.stop()
"""


def test_a_forked_process_writes_lines_of_its_own_and_counts_none_of_its_parent() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKING],
        capture_output=True,
        text=True,
        check=True,
        cwd=BASE_DIR,
    )
    assert run.stdout.split("\n") == ["a", "{('analytics', 200): 1}", "a", ""]


def test_letters_beyond_ascii_are_written_as_their_numbers(started: Started, pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    lines = started(writer)
    lines.put(_line("\u20ac"))
    lines.stop()
    assert os.read(reader, 100) == b"\\u20ac\n"
