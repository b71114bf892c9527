"""Which fault is in force on a path, and counting requests."""

from __future__ import annotations

import pytest

from papertrade_site.simulator.fault_board import MAX_COUNTED_PATHS, FaultBoard
from papertrade_site.simulator.faults import UnknownFaultError


def fault_on(board: FaultBoard, path: str) -> str | None:
    """Name the fault that a request for a path meets."""
    met = board.meet(path)
    return met[0].fault.name if met else None


def test_the_longest_matching_prefix_decides() -> None:
    board = FaultBoard()
    board.put("/state", "hang")
    board.put("/state/leaderboard", "empty")
    assert fault_on(board, "/state/trading") == "hang"
    assert fault_on(board, "/state/leaderboard/accounts") == "empty"
    assert fault_on(board, "/query/protocol/summary") is None


def test_a_later_fault_on_the_same_prefix_takes_the_place_of_the_first_and_counts_anew() -> None:
    board = FaultBoard()
    board.put("/", "hang")
    board.meet("/state")
    board.put("/", "delay")
    met = board.meet("/state")
    assert met is not None
    fault, number = met
    assert (fault.fault.name, fault.argument, number) == ("delay", 5, 1)
    assert len(board.active()) == 1


def test_a_cleared_board_lets_every_path_behave() -> None:
    board = FaultBoard()
    board.put("/", "hang")
    board.clear()
    assert fault_on(board, "/state") is None


@pytest.mark.parametrize(
    ("text", "prefix", "name", "argument"),
    [
        ("/state/trading=delay:2.5", "/state/trading", "delay", 2.5),
        ("/info=hang", "/info", "hang", 0),
        ("/=drip", "/", "drip", 1),
    ],
)
def test_a_fault_is_read_from_text(text: str, prefix: str, name: str, argument: float) -> None:
    board = FaultBoard()
    board.put_text(text)
    (active,) = board.active()
    assert (active.prefix, active.fault.name, active.argument) == (prefix, name, argument)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/state", "There is no fault ''"),
        ("state=hang", "beginning of a path"),
        ("/state=delay:", "must be a number"),
        ("/state=delay:soon", "must be a number"),
        ("/state=delay:inf", "at most 3600"),
        ("", "beginning of a path"),
    ],
)
def test_a_text_that_names_no_fault_is_refused(text: str, message: str) -> None:
    board = FaultBoard()
    with pytest.raises(UnknownFaultError, match=message):
        board.put_text(text)
    assert board.active() == ()


def test_requests_are_counted_by_path_until_reset() -> None:
    board = FaultBoard()
    for path in ("/a", "/b", "/a"):
        board.meet(path)
    assert board.counts() == {"/a": 2, "/b": 1}
    board.reset_counts()
    assert board.counts() == {}


def test_the_number_of_counted_paths_is_bounded() -> None:
    board = FaultBoard()
    for number in range(MAX_COUNTED_PATHS + 10):
        board.meet(f"/{number}")
    board.meet("/0")
    counts = board.counts()
    assert len(counts) == MAX_COUNTED_PATHS
    assert counts["/0"] == 2
