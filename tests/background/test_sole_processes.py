"""Work that only one of two processes does, over a real Valkey: it dies, freezes, or loses the cache."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from tests.background.sole_process import SoleProcess
from tests.limits.valkey import OwnValkey, running_valkey

REFUSALS_OF_A_LEASE = 16
"""More tries than fit into the life of a lease that nobody renews."""

pytestmark = pytest.mark.slow


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def owner(valkey: OwnValkey) -> Iterator[SoleProcess]:
    """A process that is in a round, which lasts until it must end."""
    process = SoleProcess(valkey.url)
    assert [process.hear(), process.hear()] == ["won", "begun"]
    yield process
    process.close()


@pytest.fixture
def other(owner: SoleProcess, valkey: OwnValkey) -> Iterator[SoleProcess]:
    """A process that waits for its turn."""
    process = SoleProcess(valkey.url)
    assert process.hear() == "refused"
    yield process
    process.close()


def test_the_other_waits_while_a_round_outlasts_the_lease_and_takes_over_when_its_owner_is_killed(
    owner: SoleProcess, other: SoleProcess
) -> None:
    assert {other.hear() for _ in range(REFUSALS_OF_A_LEASE)} == {"refused"}
    owner.kill()
    assert other.hear_until("won")
    assert other.hear() == "begun"


def test_the_other_takes_over_at_its_next_try_when_the_owner_is_asked_to_stop(
    owner: SoleProcess, other: SoleProcess
) -> None:
    owner.send(signal.SIGTERM)
    assert owner.hear() == "ended"
    assert owner.process.wait(10) == 0
    assert len(other.hear_until("won")) <= 4
    assert other.hear() == "begun"


def test_an_owner_that_was_frozen_ends_its_round_before_it_does_anything_more(
    owner: SoleProcess, other: SoleProcess
) -> None:
    owner.send(signal.SIGSTOP)
    other.hear_until("begun")
    owner.send(signal.SIGCONT)
    assert [owner.hear(), owner.hear()] == ["ended", "refused"]
    other.send(signal.SIGTERM)
    assert other.hear() == "ended"
    owner.hear_until("begun")


@pytest.mark.parametrize("outage", ["gone", "stopped"])
def test_nobody_works_while_the_cache_is_away_and_one_does_when_it_is_back(
    valkey: OwnValkey, owner: SoleProcess, other: SoleProcess, outage: str
) -> None:
    with getattr(valkey, outage)():
        assert owner.hear() == "ended"
        assert [owner.hear(), owner.hear()] == ["failed", "failed"]
        while (word := other.hear()) == "refused":
            pass
        assert [word, other.hear()] == ["failed", "failed"]
    with ThreadPoolExecutor(2) as pool:
        hearing = [pool.submit(process.hear_until, "begun") for process in (owner, other)]
        begun, waiting = wait(hearing, return_when=FIRST_COMPLETED)
        owner.kill()
        other.kill()
    assert (len(begun), len(waiting)) == (1, 1)
