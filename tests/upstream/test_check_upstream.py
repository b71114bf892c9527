"""``manage.py check_upstream`` against an embedded exchange that behaves or not."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.test import override_settings

from papertrade_site.clock import SystemClock
from papertrade_site.env import Problem
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream import probe

ADDRESSES = 23
"""Thirteen fixed ones, a wallet, a book and candles for two markets, the chain, and four guesses."""

GUESSES = 4

ASSUMPTION = "No markets are known from exchange.trading"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the command, by its columns."""

    state: str
    path: str
    status: str
    ms: str
    size: str
    verdict: str


Check = Callable[..., tuple[dict[str, Row], str]]


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
    """Run the command; give its lines by what was asked, and the complaint that it ended with."""
    board.clear()

    def run(
        *, address: str = server.address, map_path: str = "/state/liquidation-map?instrumentId={id}"
    ) -> tuple[dict[str, Row], str]:
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
        print(printed.getvalue(), end="")
        return _rows(printed.getvalue(), address), complaint

    return run


def _rows(printed: str, address: str) -> dict[str, Row]:
    """Read the columns, which two or more spaces part."""
    printed_lines = [line for line in printed.splitlines() if not line.startswith(ASSUMPTION)]
    heading, *lines = (re.split(" {2,}", line) for line in printed_lines)
    assert heading == ["STATE", "PATH", "STATUS", "MS", "BYTES", "REQUEST", "VERDICT"]
    rows = {}
    for state, path, status, ms, size, request, verdict in lines:
        rows[request.replace(address, "")] = Row(state, path, status, ms, size, verdict)
    return rows


def test_columns_stand_under_their_headings(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    check()
    heading, *lines = capsys.readouterr().out.splitlines()
    request = heading.index("REQUEST")
    assert {line[request - 2 : request] for line in lines} == {"  "}
    assert {line[request - 3].isspace() for line in lines} == {False}
    assert {line.partition("http://")[0][request:] for line in lines} == {"GET ", "POST "}


def test_a_source_that_behaves_gives_one_line_for_each_address_and_no_complaint(check: Check) -> None:
    rows, complaint = check()
    assert complaint == ""
    assert len(rows) == ADDRESSES
    assert {(row.state, row.status, row.verdict) for row in rows.values()} == {
        ("ok", "200", "shape recognised")
    }


def test_a_line_gives_what_was_asked_once_and_the_status_time_and_size(check: Check) -> None:
    rows, _ = check()
    row = rows["GET /query/protocol/summary"]
    assert row.status == "200"
    assert row.ms.isdigit()
    assert int(row.size) > 10


def test_what_shares_an_address_is_told_apart(check: Check) -> None:
    rows, _ = check()
    assert {request for request in rows if request.startswith("POST")} == {
        "POST /info book:BTC",
        "POST /info candles:BTC:1h:169",
        "POST /info book:ETH",
        "POST /info candles:ETH:1h:169",
        "POST /evm paper",
    }


def test_the_guessed_paths_are_marked(check: Check) -> None:
    rows, _ = check()
    guessed = [request for request, row in rows.items() if row.path == "guess"]
    assert len(guessed) == GUESSES
    assert all("/state/leaderboard/positions" in each or "/liquidation-map" in each for each in guessed)
    assert {row.path for row in rows.values()} == {"known", "guess"}


def test_a_documented_address_that_fails_is_named_and_complained_about(
    check: Check, board: FaultBoard
) -> None:
    board.put("/query/protocol/summary", "error_object")
    board.put("/state/user/live", "html_500")
    rows, complaint = check()
    assert complaint == "Documented addresses that failed: 2."
    summary = rows["GET /query/protocol/summary"]
    assert (summary.state, summary.status) == ("FAILED", "200")
    assert (
        summary.verdict == "The answer of the exchange's summary has an unexpected form or figure, "
        "so it is not used. (at source)"
    )
    assert [row.state for row in rows.values()].count("FAILED") == 2


def test_a_guess_that_is_wrong_is_no_failure(check: Check) -> None:
    rows, complaint = check(map_path="/nowhere/{id}")
    assert complaint == ""
    row = rows["GET /nowhere/0"]
    assert (row.state, row.path, row.status) == ("FAILED", "guess", "404")
    assert row.verdict == "There is nothing at the address of the exchange's liquidation map."


def test_without_the_markets_those_that_are_known_by_name_are_asked_about_and_it_is_said(
    check: Check, board: FaultBoard, capsys: pytest.CaptureFixture[str]
) -> None:
    usual, _ = check()
    assert ASSUMPTION not in capsys.readouterr().out
    board.put("/state/trading", "nan")
    rows, complaint = check()
    assert complaint == "Documented addresses that failed: 1."
    assert rows.keys() == usual.keys()
    assert [request for request, row in rows.items() if row.state == "FAILED"] == ["GET /state/trading"]
    (said,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith(ASSUMPTION))
    assert said.endswith("BTC (id 0, price scale 10), ETH (id 1, price scale 100).")


@pytest.mark.parametrize(
    ("fault", "seconds", "status", "size", "verdict"),
    [
        ("html_500", 5.0, "500", r"[1-9]\d*", r"[\w\' ]+ answers with status 500, a fault on its side\."),
        ("too_many_requests", 5.0, "429", r"[1-9]\d*", r"[\w\' ]+ is being asked too often\."),
        ("hang", 0.4, "-", "0", r"[\w\' ]+ did not answer in time\."),
    ],
)
def test_however_all_addresses_fail_each_is_asked_and_nothing_else_is_printed(
    check: Check,
    board: FaultBoard,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: str,
    seconds: float,
    status: str,
    size: str,
    verdict: str,
) -> None:
    monkeypatch.setattr(probe, "SECONDS_EACH", seconds)
    board.put("/", fault)
    rows, complaint = check()
    assert complaint == f"Documented addresses that failed: {ADDRESSES - GUESSES}."
    assert len(rows) == ADDRESSES
    for row in rows.values():
        assert (row.state, row.status) == ("FAILED", status)
        assert re.fullmatch(size, row.size)
        assert re.fullmatch(verdict, row.verdict)
    assert caplog.messages == []


def test_a_source_that_is_not_there_is_said_so_for_each_address(check: Check) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    rows, _ = check(address=address)
    assert len(rows) == ADDRESSES
    for row in rows.values():
        assert (row.status, row.size) == ("-", "0")
        assert "as its host refuses the connection" in row.verdict


def test_a_wrong_setting_stops_it_by_name_before_anything_is_asked() -> None:
    problem = Problem("papertrade.E002", "PAPERTRADE_EXCHANGE_URL", "is 'ftp://x': must be an http address")
    printed = StringIO()
    with (
        override_settings(ENVIRONMENT_PROBLEMS=(problem,)),
        pytest.raises(SystemCheckError, match=r"papertrade\.E002.*PAPERTRADE_EXCHANGE_URL"),
    ):
        call_command("check_upstream", stdout=printed, skip_checks=False)
    assert printed.getvalue() == ""
