"""``manage.py call`` as a person types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from papertrade_site.env import BASE_DIR
from papertrade_site.limits.models import ToolSwitch
from papertrade_site.shell.call import Outcome
from papertrade_site.shell.management.commands import call as command
from papertrade_site.shell.report import SIMULATED
from papertrade_site.upstream import exchange
from tests.filled_venue import FilledVenue
from tests.ports import free_pair
from tests.venue_bodies import body

pytestmark = pytest.mark.django_db

WALLET = body("wallet")["address"]


@pytest.fixture(autouse=True)
def venue(monkeypatch: pytest.MonkeyPatch) -> Iterator[FilledVenue]:
    monkeypatch.setenv("COLUMNS", "100")
    venue = FilledVenue()
    venue.put(exchange.wallet(WALLET), body("wallet"))
    with venue.read_by_tools():
        yield venue


def _said(*words: str) -> str:
    said = StringIO()
    call_command("call", *words, stdout=said)
    return said.getvalue()


def test_without_a_tool_it_lists_what_there_is() -> None:
    everything = _said()
    assert "liquidations: Papertrade Liquidations\n" in everything
    assert "  get_market_stats        Market stats\n" in everything
    assert everything.endswith("Add a tool's name and --about to learn more.\n")
    assert "analytics" not in _said("liquidations")


def test_it_says_what_a_tool_takes() -> None:
    assert "  wallet  (required, string)\n" in _said("liquidations", "get_wallet_distance_to_bust", "--about")


def test_a_person_gets_the_sentence_the_figures_and_their_age() -> None:
    lines = _said("liquidations", "get_wallet_distance_to_bust", f"wallet={WALLET}").splitlines()
    assert lines[0].startswith(f"Wallet {WALLET} has 3 open positions")
    assert f"wallet       {WALLET}" in lines
    assert "positions" in lines
    assert lines[-2].startswith("Age: oldest input ")
    assert lines[-1] == SIMULATED


def test_a_program_gets_the_structured_content_alone() -> None:
    result = json.loads(_said("analytics", "get_market_stats", "symbol=eth", "--json"))
    assert [market["market"] for market in result["markets"]] == ["ETH"]
    assert "include_sparkline" not in result
    assert result["dataSource"] == "simulated"


def test_a_truth_value_is_understood() -> None:
    words = ("analytics", "get_market_stats", "symbol=BTC")
    (with_it,) = json.loads(_said(*words, "include_sparkline=true", "--json"))["markets"]
    (without,) = json.loads(_said(*words, "include_sparkline=FALSE", "--json"))["markets"]
    assert ("sparkline" in with_it, "sparkline" in without) == (True, False)


@pytest.mark.parametrize(
    "words", [["x"], ["analytics", "x"], ["analytics", "get_market_stats", "BTC"]], ids=" ".join
)
def test_what_cannot_be_a_call_ends_with_status_2(words: list[str]) -> None:
    with pytest.raises(CommandError) as refusal:
        _said(*words)
    assert refusal.value.returncode == 2


def test_a_tool_that_fails_says_so_on_standard_error_and_ends_with_status_1(
    capsys: pytest.CaptureFixture[str], venue: FilledVenue
) -> None:
    venue.fail("exchange.trading")
    with pytest.raises(SystemExit) as end:
        call_command("call", "analytics", "get_market_stats")
    said = capsys.readouterr()
    assert (end.value.code, said.out) == (1, "")
    assert said.err.startswith("exchange.trading cannot be reached now. Try again in 7 s.\n")


def test_what_the_operator_has_switched_off_is_not_called_and_his_reason_is_all_that_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, venue: FilledVenue
) -> None:
    monkeypatch.setattr(command, "answers_ok", lambda *_: False)
    ToolSwitch.objects.create(server="analytics", tool="get_market_stats", is_on=False, reason="Under repair")
    with pytest.raises(SystemExit) as end:
        call_command("call", "analytics", "get_market_stats")
    said = capsys.readouterr()
    assert (end.value.code, said.out, venue.asked) == (1, "", [])
    assert said.err.startswith("The operator has switched off get_market_stats: Under repair. ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["analytics", "get_market_stats", "symbol=XX"],
        ["analytics", "get_history", "metric=tvl", "mode=per_bucket"],
        ["liquidations", "get_bust_map", "market=XX"],
    ],
    ids=" ".join,
)
def test_a_wrong_argument_is_all_that_is_said_though_nothing_answers(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "answers_ok", lambda *_: False)
    with pytest.raises(SystemExit) as end:
        call_command("call", *words)
    said = capsys.readouterr().err
    assert (end.value.code, said.count("\n")) == (1, 1)
    assert f"Wrong arguments for {words[1]}: " in said


def test_the_text_of_a_failure_cannot_steer_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "call", lambda *_: Outcome("\x1b[2Jno", None))
    with pytest.raises(SystemExit):
        call_command("call", "analytics", "get_market_stats")
    assert capsys.readouterr().err.startswith("\\x1b[2Jno\n")


@pytest.mark.parametrize(
    ("options", "environ", "coloured"),
    [
        ((), {}, False),
        (("--force-color",), {}, True),
        (("--force-color",), {"NO_COLOR": "1"}, False),
        (("--no-color",), {}, False),
    ],
    ids=["a file", "forced", "NO_COLOR", "--no-color"],
)
def test_colours_appear_only_where_they_are_wanted(
    options: tuple[str, ...], environ: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[33m" in _said("analytics", "get_market_stats", *options)) is coloured


class TestProcess:
    """The command in a process of its own, where neither cache nor exchange run."""

    def test_without_the_service_it_says_how_to_start_it(self, tmp_path: Path) -> None:
        port = free_pair()
        run = _run("analytics", "--json", "get_market_stats", "symbol=BTC", port=port, folder=tmp_path)
        assert (run.returncode, run.stdout) == (1, "")
        advice = "`make run` starts the embedded exchange. PORT=… names another."
        said, told = run.stderr.splitlines()
        assert said.startswith("The exchange's list of markets cannot be reached now, ")
        assert told == f"Nothing answers on port {port + 1}: {advice}"

    def test_wrong_names_end_with_status_2(self, tmp_path: Path) -> None:
        run = _run("elsewhere", "x", port=free_pair(), folder=tmp_path)
        assert (run.returncode, run.stdout) == (2, "")
        expected = 'CommandError: There is no server "elsewhere"; there are liquidations, analytics.\n'
        assert run.stderr == expected


def _run(*words: str, port: int, folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "PORT": str(port),
        "TMPDIR": str(folder),
        "DATABASE_URL": "sqlite://:memory:",
    }
    command = [sys.executable, "manage.py", "call", *words]
    return subprocess.run(
        command, cwd=BASE_DIR, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
