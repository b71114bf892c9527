"""Who may wait on sources, who may stand in line for it, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from unittest.mock import patch

import pytest

from papertrade_site.upstream.waiting_room import LINE_S, OTHERS_LINE_S, REST_S, SLOW_S, WaitingRoom
from tests.clocks import ManualClock

SOON_S = 0.05
LONG_S = 10.0


@pytest.fixture
def room(clock: ManualClock) -> WaitingRoom:
    return WaitingRoom(1, clock)


def enters(room: WaitingRoom, *keys: str, seconds: float = LONG_S) -> bool:
    with room.place(set(keys), seconds=seconds) as has_place:
        return has_place


def patience(room: WaitingRoom, *keys: str, seconds: float = LONG_S) -> float:
    """How long somebody would stand in line for a place, in vain; 0 or below when he may not."""
    with patch.object(room._changed, "wait_for", return_value=False) as wait_for:
        assert not enters(room, *keys, seconds=seconds)
    _, longest_s = wait_for.call_args.args
    return float(longest_s)


def test_a_place_is_anybodys_until_all_are_taken_and_again_afterwards(room: WaitingRoom) -> None:
    with room.place({"trading"}, seconds=0) as has_place:
        assert has_place
        assert not enters(room, "trading", seconds=0)
    assert enters(room, "trading", seconds=0)


def test_who_wants_what_is_being_read_stands_in_line_until_a_place_is_free(
    room: WaitingRoom, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave, asked = Event(), Event()
    timeouts: list[float] = []
    wait_for = room._changed.wait_for

    def note_and_wait(condition: Callable[[], bool], timeout: float) -> bool:
        timeouts.append(timeout)
        asked.set()  # he has the lock, so nobody leaves before he waits
        return wait_for(condition, timeout)

    with _taken(room, pool, leave, "trading", "summary"):
        monkeypatch.setattr(room._changed, "wait_for", note_and_wait)
        waiting = pool.submit(enters, room, "trading")
        assert asked.wait(LONG_S)
        leave.set()
        assert waiting.result(LONG_S)
    assert timeouts[0] > 0


def test_who_wants_something_else_too_stands_in_line_for_a_moment_only(
    room: WaitingRoom, clock: ManualClock
) -> None:
    with room.place({"trading"}, seconds=0):
        assert patience(room, "trading", "wallet") == OTHERS_LINE_S
        clock.advance(LINE_S - SOON_S)
        assert patience(room, "trading", "wallet") == pytest.approx(SOON_S)
        clock.advance(SOON_S)
        assert patience(room, "trading", "wallet") <= 0


def test_nobody_stands_in_line_any_more_once_the_first_has_waited_for_long(
    clock: ManualClock, pool: ThreadPoolExecutor
) -> None:
    room, leave = WaitingRoom(2, clock), Event()
    with _taken(room, pool, leave, "trading"):
        clock.advance(LINE_S)
        with room.place({"trading"}, seconds=0) as has_place:
            assert has_place
            assert patience(room, "trading") <= 0
        leave.set()


def test_a_line_ends_when_the_first_has_waited_for_long(room: WaitingRoom, clock: ManualClock) -> None:
    with room.place({"trading"}, seconds=0):
        clock.advance(LINE_S - SOON_S)
        assert patience(room, "trading") == pytest.approx(SOON_S)
        assert not enters(room, "trading")


def test_nobody_stands_in_line_longer_than_he_has_time(room: WaitingRoom) -> None:
    with room.place({"trading"}, seconds=0):
        assert patience(room, "trading", seconds=SOON_S) == SOON_S
        assert not enters(room, "trading", seconds=SOON_S)


def test_nobody_stands_in_line_for_a_while_after_sources_were_slow(clock: ManualClock) -> None:
    room = WaitingRoom(1, clock)
    with room.place({"trading"}, seconds=0):
        clock.advance(SLOW_S)
    with room.place({"trading"}, seconds=0):
        assert patience(room, "trading") <= 0
        assert patience(room, "wallet") <= 0
    clock.advance(REST_S)
    with room.place({"trading"}, seconds=0):
        assert patience(room, "trading") > 0
        assert patience(room, "wallet") > 0


@contextmanager
def _taken(room: WaitingRoom, pool: ThreadPoolExecutor, leave: Event, *keys: str) -> Iterator[None]:
    """While the block runs, somebody else has a place, until he is told to leave it."""
    entered = Event()

    def stay() -> None:
        with room.place(set(keys), seconds=0):
            entered.set()
            leave.wait(LONG_S)

    guest = pool.submit(stay)
    assert entered.wait(LONG_S)
    yield
    guest.result(LONG_S)
