"""``manage.py check_upstream`` against an embedded exchange that behaves or not."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from papertrade_site.clock import SystemClock
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue

LINE = re.compile(r"(ok|FAILED) +(\S+) \((.*)\): (.+)")
ADDRESSES = 23
"""Thirteen fixed ones, a wallet, a book and candles for two markets, the chain, and four guesses."""

Lines = dict[str, tuple[str, str, str]]
Check = Callable[..., tuple[Lines, str]]


@pytest.fixture(scope="module")
def board() -> FaultBoard:
    return FaultBoard()


@pytest.fixture(scope="module")
def server(board: FaultBoard) -> Iterator[ExchangeServer]:
    """Run one exchange for all tests of the file."""
    running = ExchangeServer(SimulatedVenue.create(seed=3, clock=SystemClock()), port=0, board=board)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def check(server: ExchangeServer, board: FaultBoard) -> Check:
    """Run the command; give its lines by the resource's key, and the complaint that it ended with."""
    board.clear()

    def run(
        *, address: str = server.address, map_path: str = "/state/liquidation-map?instrumentId={id}"
    ) -> tuple[Lines, str]:
        printed, complaint = StringIO(), ""
        with override_settings(
            PAPERTRADE_SOURCE="simulated",
            EXCHANGE_URL=address,
            HYPERLIQUID_URL=address,
            HYPEREVM_URL=f"{address}/evm",
            LIQUIDATION_MAP_PATH=map_path,
            BEST_POSITIONS_PATH="/state/leaderboard/positions",
        ):
            try:
                call_command("check_upstream", stdout=printed)
            except CommandError as error:
                complaint = str(error)
        lines = {}
        for line in printed.getvalue().splitlines():
            parts = LINE.fullmatch(line)
            assert parts is not None, line
            lines[parts[2]] = (parts[1], parts[3], parts[4])
        return lines, complaint

    return run


def test_a_source_that_behaves_gives_one_line_for_each_address_and_no_complaint(check: Check) -> None:
    lines, complaint = check()
    assert complaint == ""
    assert len(lines) == ADDRESSES
    assert {(verdict, finding) for verdict, _, finding in lines.values()} == {("ok", "shape recognised")}


def test_a_line_gives_address_status_time_and_size(check: Check, server: ExchangeServer) -> None:
    _, asked, _ = check()[0]["exchange:summary"]
    pattern = rf"GET {server.address}/query/protocol/summary, status 200, \d+ ms, [1-9]\d+ bytes"
    assert re.fullmatch(pattern, asked)


def test_the_guessed_paths_are_marked(check: Check) -> None:
    guessed = [key for key, (_, asked, _) in check()[0].items() if asked.startswith("guessed path, ")]
    assert len(guessed) == 4
    assert all("best_positions" in key or "liquidation_map" in key for key in guessed)


def test_a_documented_address_that_fails_is_named_and_complained_about(
    check: Check, board: FaultBoard
) -> None:
    board.put("/query/protocol/summary", "error_object")
    board.put("/state/user/live", "html_500")
    lines, complaint = check()
    assert complaint == "Documented addresses that failed: 2."
    verdict, asked, finding = lines["exchange:summary"]
    assert verdict == "FAILED"
    assert "status 200" in asked
    assert (
        finding
        == "The answer of exchange.summary has an unexpected form or figure at source, so it is not used."
    )
    assert sum(verdict == "FAILED" for verdict, _, _ in lines.values()) == 2


def test_a_guess_that_is_wrong_is_no_failure(check: Check) -> None:
    lines, complaint = check(map_path="/nowhere/{id}")
    assert complaint == ""
    verdict, asked, finding = lines["exchange:liquidation_map:/nowhere/0"]
    assert (verdict, finding) == ("FAILED", "There is nothing at the address of exchange.liquidation_map.")
    assert "status 404" in asked


def test_what_needs_the_markets_is_left_out_without_them(check: Check, board: FaultBoard) -> None:
    board.put("/state/trading", "nan")
    lines, complaint = check()
    assert complaint == "Documented addresses that failed: 1."
    assert not any(key.startswith(("hyperliquid", "exchange:liquidation_map")) for key in lines)


def test_a_source_that_is_not_there_is_said_so_and_soon_left_alone(check: Check) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    lines, complaint = check(address=address)
    assert complaint.startswith("Documented addresses that failed: ")
    asked = [asked for _, asked, _ in lines.values()]
    assert "no status" in asked[0]
    assert "not asked" in asked
