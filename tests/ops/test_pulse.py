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
from papertrade_site.ops.pulse import LOG_EVERY_S, Pulse, Task, look_at_limits, process_pulse, tell_usage
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


SOON_S = 0.01


@pytest.fixture
def beating() -> Iterator[Callable[..., Pulse]]:
    made: list[Pulse] = []

    def start(*tasks: Task) -> Pulse:
        made.append(Pulse(tasks, SystemClock()))
        made[-1].start()
        return made[-1]

    yield start
    for each in made:
        each.stop()


def test_every_task_is_done_before_the_start_is_over_and_again_when_its_time_has_come(
    beating: Callable[..., Pulse],
) -> None:
    often, seldom = Counting(), Counting()
    beating(Task(seldom, WAIT_S * 10), Task(often, SOON_S))
    assert (often.times >= 1, seldom.times) == (True, 1)
    assert often.third.wait(WAIT_S)
    assert seldom.times == 1


def test_a_task_that_fails_goes_on(beating: Callable[..., Pulse]) -> None:
    counted = Counting()

    def failing() -> None:
        counted()
        raise LookupError("a bug")

    beating(Task(failing, SOON_S))
    assert counted.third.wait(WAIT_S)


def test_a_task_that_fails_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    def failing() -> None:
        raise LookupError("a bug")

    clock = ManualClock()
    pulse = Pulse([Task(failing, WAIT_S, is_last_too=True)], clock)
    for _ in range(30):
        pulse.stop()
        clock.advance(1)
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == ["a bug"]
    clock.advance(LOG_EVERY_S)
    pulse.stop()
    assert len(caplog.records) == 2


def test_what_asks_for_it_is_done_once_more_at_the_end() -> None:
    told, seen = Counting(), Counting()
    pulse = Pulse([Task(told, WAIT_S, is_last_too=True), Task(seen, WAIT_S)], SystemClock())
    pulse.start()
    pulse.stop()
    assert (told.times, seen.times) == (2, 1)


def test_a_pulse_that_never_began_can_be_stopped() -> None:
    told = Counting()
    Pulse([Task(told, WAIT_S, is_last_too=True)], SystemClock()).stop()
    assert told.times == 1


def test_a_task_that_hangs_keeps_neither_the_process_from_start_and_end_nor_the_others_from_their_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pulse, "START_S", 0.01)
    monkeypatch.setattr(pulse, "GRACE_S", 0.01)
    hanging, over, often = Event(), Event(), Counting()

    def hang() -> None:
        hanging.set()
        over.wait(WAIT_S)

    beats = Pulse([Task(hang, SOON_S), Task(often, SOON_S, is_last_too=True)], SystemClock())
    beats.start()
    assert hanging.wait(WAIT_S)
    assert often.third.wait(WAIT_S)
    beats.stop()
    assert not over.is_set()
    over.set()


def test_a_task_still_under_way_at_the_end_is_not_done_in_a_second_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pulse, "START_S", 0.01)
    monkeypatch.setattr(pulse, "GRACE_S", 0.01)
    begun: list[int] = []
    over = Event()

    def hang() -> None:
        begun.append(1)
        over.wait(WAIT_S)

    beats = Pulse([Task(hang, SOON_S, is_last_too=True)], SystemClock())
    beats.start()
    beats.stop()
    assert begun == [1]
    over.set()


def test_the_process_s_own_tells_usage_each_second_and_at_the_end_and_looks_at_the_limits_every_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[list[Task]] = []
    monkeypatch.setattr(pulse, "Pulse", lambda tasks, _: made.append(tasks))
    process_pulse()
    assert made == [[Task(tell_usage, 1, is_last_too=True), Task(look_at_limits, 2)]]


def test_usage_is_told_to_the_metrics_too(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    lines = RequestLines(is_silent=True)
    monkeypatch.setattr(request_log, "process_lines", lines)
    monkeypatch.setattr(pulse, "process_totals", Totals())
    settings.METRICS_FOLDER = tmp_path / "metrics"
    lines.put(SimpleNamespace(counted=lambda: Line("", "analytics", 200)))
    lines.stop()
    monkeypatch.setattr(pulse, "drain_lost_lines", lambda: 3)
    tell_usage()
    (path,) = settings.METRICS_FOLDER.iterdir()
    rows = json.loads(path.read_text())
    assert ["requests", "analytics", 200, 1] in rows
    assert ["lost_lines", 3] in rows
