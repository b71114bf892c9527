"""What a process does beside its requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from pytest_django import Settings

from papertrade_site.clock import SystemClock
from papertrade_site.ops import pulse, request_log
from papertrade_site.ops.pulse import LOG_EVERY_S, Pulse, Task, process_pulse, tell_usage
from papertrade_site.ops.request_lines import Line, RequestLines
from papertrade_site.ops.totals import Totals
from tests.clocks import ManualClock

WAIT_S = 20


class Counting:
    """A task that counts how often it was done, and may wait for a number."""

    def __init__(self) -> None:
        self.times = 0
        self.third = Event()

    def __call__(self) -> None:
        self.times += 1
        if self.times == 3:
            self.third.set()


@pytest.fixture
def beating() -> Iterator[Callable[..., Pulse]]:
    made: list[Pulse] = []

    def start(*tasks: Task) -> Pulse:
        made.append(Pulse(tasks, SystemClock(), beat_s=0.01))
        made[-1].start()
        return made[-1]

    yield start
    for each in made:
        each.stop()


def test_every_task_is_done_before_the_start_is_over_and_again_and_again(
    beating: Callable[..., Pulse],
) -> None:
    often, seldom = Counting(), Counting()
    started = Pulse([Task(often), Task(seldom, 2)], SystemClock(), beat_s=WAIT_S)
    started.start()
    assert (often.times, seldom.times) == (1, 1)
    started.stop()
    beating(Task(often), Task(seldom, 2))
    assert seldom.third.wait(WAIT_S)
    assert often.times >= seldom.times


def test_every_second_beat_is_a_task_s_that_asks_for_it() -> None:
    often, seldom = Counting(), Counting()
    beats = Pulse([Task(often), Task(seldom, 2)], ManualClock())
    for number in range(7):
        beats.beat(number)
    assert (often.times, seldom.times) == (7, 4)


def test_a_task_that_fails_keeps_no_other_from_its_turn_and_the_thread_goes_on(
    beating: Callable[..., Pulse],
) -> None:
    def failing() -> None:
        raise LookupError("a bug")

    healthy = Counting()
    beating(Task(failing), Task(healthy))
    assert healthy.third.wait(WAIT_S)


def test_a_task_that_fails_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    def failing() -> None:
        raise LookupError("a bug")

    clock = ManualClock()
    beats = Pulse([Task(failing)], clock)
    for _ in range(30):
        beats.beat()
        clock.advance(1)
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["a bug"]
    clock.advance(LOG_EVERY_S)
    beats.beat()
    assert len(caplog.records) == 2


def test_what_is_done_each_time_is_done_once_more_at_the_end() -> None:
    often, seldom = Counting(), Counting()
    beats = Pulse([Task(often), Task(seldom, 2)], SystemClock(), beat_s=WAIT_S)
    beats.start()
    beats.stop()
    assert (often.times, seldom.times) == (2, 1)


def test_a_pulse_that_never_began_can_be_stopped() -> None:
    often = Counting()
    Pulse([Task(often)], SystemClock()).stop()
    assert often.times == 1


def test_a_task_that_hangs_does_not_keep_the_process_from_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "GRACE_S", 0.01)
    hanging, over, often = Event(), Event(), Counting()

    def hang() -> None:
        if often.times == 2:
            hanging.set()
            over.wait(WAIT_S)

    beats = Pulse([Task(often), Task(hang)], SystemClock(), beat_s=0.01)
    beats.start()
    assert hanging.wait(WAIT_S)
    beats.stop()
    over.set()
    assert often.times >= 3


def test_the_process_s_own_tells_usage_each_second_and_looks_at_the_limits_every_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, refreshed = Counting(), Counting()
    monkeypatch.setattr(pulse, "tell_usage", told)
    monkeypatch.setattr(pulse, "close_old_connections", lambda: None)
    monkeypatch.setattr(pulse, "refresh", refreshed)
    beats = process_pulse()
    for second in range(1, 61):
        beats.beat(second)
    assert (told.times, refreshed.times) == (60, 30)


def test_usage_is_told_to_the_metrics_too(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    lines = RequestLines(is_silent=True)
    monkeypatch.setattr(request_log, "process_lines", lines)
    monkeypatch.setattr(pulse, "process_totals", Totals())
    settings.METRICS_FOLDER = tmp_path / "metrics"
    lines.put(SimpleNamespace(counted=lambda: Line("", "analytics", 200)))
    lines.stop()
    tell_usage()
    (path,) = settings.METRICS_FOLDER.iterdir()
    assert ["requests", "analytics", 200, 1] in json.loads(path.read_text())
