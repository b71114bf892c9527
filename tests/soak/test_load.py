"""Requests come when they are due, and what came of them is counted."""

from __future__ import annotations

from threading import Barrier, Event

import pytest

from tests.soak.asks import Ask, Form
from tests.soak.load import Load, percentile

PAGE = Ask(kind="page", method="GET", path="/", client=None, form=Form.ANYTHING)
COUNT = 20


def test_no_request_waits_for_the_answers_of_others() -> None:
    together = Barrier(COUNT)

    def slow(_: Ask) -> tuple[int, bytes]:
        together.wait(30)
        return 200, b"all are here"

    load = Load(slow, lambda: PAGE, rate=1_000)
    load.run(COUNT / 1_000, Event())
    assert (load.tally.due, load.tally.answered, load.tally.faulty) == (COUNT, COUNT, 0)
    assert len(load.tally.took_s["page"]) == COUNT


def test_a_connection_that_breaks_is_no_answer() -> None:
    def broken(_: Ask) -> tuple[int, bytes]:
        raise ConnectionResetError

    load = Load(broken, lambda: PAGE, rate=1_000)
    load.run(0.005, Event())
    assert (load.tally.due, load.tally.answered, load.tally.faulty) == (5, 0, 5)
    assert load.tally.faults[0] == "page: ConnectionResetError()"


def test_it_ends_when_told_to() -> None:
    stop = Event()
    stop.set()
    load = Load(lambda _: (200, b"text"), lambda: PAGE, rate=1)
    load.run(1_000, stop)
    assert load.tally.due == 0


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 51), (95, 96), (100, 100)])
def test_a_percentile_is_a_value_that_was_met(percent: float, value: float) -> None:
    assert percentile([float(number) for number in range(100, 0, -1)], percent) == value
    assert percentile([], percent) == 0
