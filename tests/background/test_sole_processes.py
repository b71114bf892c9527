"""Work that only one of two processes does, over a real Valkey: it dies, freezes, or loses the cache."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from tests.background.sole_process import sole_process
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import Running

REFUSALS_OF_A_LEASE = 16
"""More tries than fit into the life of a lease that nobody renews."""

pytestmark = pytest.mark.slow


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def owner(valkey: OwnValkey) -> Iterator[Running]:
    """A process that is in a round, which lasts until it must end."""
    with sole_process(valkey.url) as process:
        assert [process.out.line(), process.out.line()] == ["won", "begun"]
        yield process


@pytest.fixture
def other(owner: Running, valkey: OwnValkey) -> Iterator[Running]:
    """A process that waits for its turn."""
    with sole_process(valkey.url) as process:
        assert process.out.line() == "refused"
        yield process


def test_the_other_waits_while_a_round_outlasts_the_lease_and_takes_over_when_its_owner_is_killed(
    owner: Running, other: Running
) -> None:
    assert {other.out.line() for _ in range(REFUSALS_OF_A_LEASE)} == {"refused"}
    owner.kill()
    assert other.out.until("won")
    assert other.out.line() == "begun"


def test_the_other_takes_over_at_its_next_try_when_the_owner_is_asked_to_stop(
    valkey: OwnValkey, owner: Running, other: Running
) -> None:
    other.process.send_signal(signal.SIGSTOP)
    assert owner.ask_to_end() == 0
    assert owner.out.line() == "ended"
    assert valkey.stored_keys() == []  # so whoever tries next is given the lease
    other.process.send_signal(signal.SIGCONT)
    other.out.until("won")
    assert other.out.line() == "begun"


def test_an_owner_that_was_frozen_ends_its_round_before_it_does_anything_more(
    owner: Running, other: Running
) -> None:
    owner.process.send_signal(signal.SIGSTOP)
    other.out.until("begun")
    owner.process.send_signal(signal.SIGCONT)
    assert [owner.out.line(), owner.out.line()] == ["ended", "refused"]
    other.process.send_signal(signal.SIGTERM)
    assert other.out.line() == "ended"
    owner.out.until("begun")


@pytest.mark.parametrize("outage", ["gone", "stopped"])
def test_nobody_works_while_the_cache_is_away_and_one_does_when_it_is_back(
    valkey: OwnValkey, owner: Running, other: Running, outage: str
) -> None:
    with getattr(valkey, outage)():
        assert owner.out.line() == "ended"
        assert [owner.out.line(), owner.out.line()] == ["failed", "failed"]
        while (word := other.out.line()) == "refused":
            pass
        assert [word, other.out.line()] == ["failed", "failed"]
    with ThreadPoolExecutor(2) as pool:
        hearing = [pool.submit(process.out.until, "begun") for process in (owner, other)]
        begun, waiting = wait(hearing, return_when=FIRST_COMPLETED)
        assert [each.result()[-1] for each in begun] == ["begun"]
        owner.kill()
        other.kill()
    assert len(waiting) == 1
