"""What the judge of a soak finds, and what it lets pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from papertrade_site.simulator.faults import FAULTS
from tests.soak.load import Tally
from tests.soak.verdict import Bounds, Soaked, changes, problems
from tests.soak.watch import Sample

COUNT = 40
ANSWERED = Counter({200: 1_000})


def _soaked(
    *,
    memory_mb: Callable[[int], float] = lambda _: 80,
    files: Callable[[int], int] = lambda _: 40,
    threads: Callable[[int], int] = lambda _: 14,
) -> Soaked:
    """A soak of two processes, of which one takes what the functions say of each sample's number."""
    usual = Sample(at_s=0, name="site 1", memory_mb=80, files=40, threads=14)
    samples = []
    for number in range(COUNT):
        other = Sample(
            at_s=number,
            name="site 2",
            memory_mb=memory_mb(number),
            files=files(number),
            threads=threads(number),
        )
        samples += [replace(usual, at_s=number), other]
    tally = Tally(due=1_000, answered=1_000, calls=700, with_figures=600, statuses=ANSWERED)
    return Soaked(samples=samples, wanted_s=10, rate=100, tally=tally)


def test_a_soak_in_which_nothing_happens_went_well() -> None:
    assert problems(_soaked()) == []


def test_what_goes_up_and_down_did_not_grow() -> None:
    swing = _soaked(
        memory_mb=lambda number: 80 + number % 2 * 30,
        files=lambda number: 40 + number % 2 * 30,
        threads=lambda number: 10 + number % 2 * 30,
    )
    assert problems(swing) == []


def test_a_leak_is_found() -> None:
    (problem,) = problems(_soaked(memory_mb=lambda number: 80 + number * 0.2))
    assert problem == "site 2 grew from 80.3 to 87.5 MB (9.0%)."


def test_growth_just_below_the_bound_is_let_pass() -> None:
    assert problems(_soaked(memory_mb=lambda number: 80 + number * 0.1)) == []


def test_less_than_the_least_is_no_growth() -> None:
    grown = _soaked(memory_mb=lambda number: 2 + number * 0.2)
    assert problems(grown) != []
    assert problems(replace(grown, bounds=Bounds(least_mb=10))) == []


def test_file_descriptors_that_are_not_given_back_are_found() -> None:
    assert problems(_soaked(files=lambda number: 40 + number)) == ["site 2 went from 42 to 78 files."]


def test_threads_that_do_not_end_are_found() -> None:
    assert problems(_soaked(threads=lambda number: 14 + number)) == ["site 2 went from 16 to 52 threads."]


def test_a_process_that_ends_or_comes_anew_is_found() -> None:
    whole = _soaked()
    without = [sample for sample in whole.samples if sample.name == "site 1" or sample.at_s < COUNT / 2]
    (problem,) = problems(replace(whole, samples=without))
    assert problem == "The process site 2 was not there all the time."


def test_a_soak_that_hardly_watched_says_so() -> None:
    whole = _soaked()
    assert problems(replace(whole, samples=whole.samples[:10])) == ["There are only 5 samples."]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"due": 900, "answered": 900}, "Of 1000 requests 900 were sent and 900 answered."),
        ({"answered": 900}, "Of 1000 requests 1000 were sent and 900 answered."),
        ({"statuses": Counter({200: 999})}, "Of 1000 answers only 999 could be judged."),
        ({"calls": 9, "with_figures": 4}, "Of 9 calls only 4 brought figures."),
        ({"faulty": 1, "faults": ["HTTP 500"]}, "1 answers were wrong, the first of them:"),
    ],
)
def test_answers_that_are_late_missing_or_wrong_are_found(changed: dict[str, Any], words: str) -> None:
    soaked = _soaked()
    assert problems(replace(soaked, tally=replace(soaked.tally, **changed)))[0] == words


def test_what_stuck_what_was_logged_and_what_was_never_tried_is_told() -> None:
    soaked = replace(
        _soaked(),
        stuck=["a:lock never expires"],
        log=["Traceback"],
        faults_tried=frozenset(FAULTS) - {"hang"},
    )
    assert problems(soaked) == [
        "Lock: a:lock never expires.",
        "Log: Traceback",
        "The exchange never had the fault hang.",
    ]


def test_a_change_is_told_by_the_medians_of_the_first_and_the_last_tenth() -> None:
    change = changes(_soaked(memory_mb=lambda number: 0 if number == 1 else number).samples, "memory_mb")[1]
    assert (change.first, change.last) == (1, 37.5)
