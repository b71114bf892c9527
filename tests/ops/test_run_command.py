"""``manage.py run`` as a newcomer starts it: real processes, real sockets, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest

from papertrade_site.env import BASE_DIR, OWN_FOLDERS
from tests.faults.deployment import within
from tests.ports import free_pair
from tests.running import Running, manage, newcomers_environ, running

LAST_LINE = "Ctrl-C stops everything."
GIVE_UP_SECONDS = 120
GONE_SECONDS = 40

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Service:
    running: Running
    port: int
    greeting: list[str]

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
            return answer.status, json.loads(answer.read())

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.running.process.pid).children(recursive=True)


def _environ(tmp_path: Path, **settings: str) -> dict[str, str]:
    return newcomers_environ(**{"DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}", **settings})


@contextmanager
def _serving(command: list[str], environ: dict[str, str]) -> Iterator[Service]:
    with running(command, environ, give_up_s=GIVE_UP_SECONDS) as process:
        yield Service(process, int(environ["PORT"]), process.out.until(LAST_LINE))
        process.ask_to_end(within_s=GONE_SECONDS)


@pytest.fixture(scope="module")
def kept_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="module")
def service(kept_in: Path) -> Iterator[Service]:
    """One for all tests after which it still goes on."""
    with _serving(manage("run"), _environ(kept_in, PORT=str(free_pair()))) as service:
        yield service


def test_it_serves_each_source_fresh(service: Service) -> None:
    assert service.greeting[0] == "Papertrade MCP is serving simulated data."
    assert service.greeting[-1] == LAST_LINE
    assert service.get("/healthz") == (200, {"status": "ok"})
    status, ready = service.get("/readyz")
    assert (status, ready["status"], ready["dataSource"]) == (200, "ready", "simulated")
    assert len(ready["sources"]) >= 5
    assert within(GONE_SECONDS, lambda: _is_fresh(service.get("/readyz")[1]["sources"]))


def _is_fresh(sources: list[dict[str, Any]]) -> bool:
    """Whether each is, which one that another process is just reading anew is not."""
    return all(source["state"] == "fresh" and 0 <= source["ageSeconds"] < 60 for source in sources)


@pytest.mark.usefixtures("service")
def test_what_it_keeps_is_for_this_user_alone(kept_in: Path) -> None:
    kept = {}
    for path in kept_in.iterdir():
        with suppress(FileNotFoundError):  # SQLite removes what it needs no more
            kept[path.name] = path.stat().st_mode & 0o777
    assert {"db.sqlite3", "db.sqlite3.secret-key"} <= set(kept)
    assert set(kept.values()) == {0o600}


def test_ctrl_c_leaves_neither_a_process_nor_a_temporary_folder(tmp_path: Path) -> None:
    with TemporaryDirectory(prefix="pt-") as folder:
        of_killed = Path(folder, f"{OWN_FOLDERS}00000000")
        of_killed.mkdir(mode=0o700)
        os.utime(of_killed, (0, 0))
        environ = _environ(tmp_path, PORT=str(free_pair()), TMPDIR=folder)
        with _serving(manage("run"), environ) as service:
            assert list(Path(folder).glob("papertrade-*/valkey.sock"))
            assert not of_killed.exists()
            children = service.children()
            commands = [word for child in children for word in child.cmdline()]
            assert {"simulate_exchange", "track_wallets", "record_history", "roll_up_usage"} <= {*commands}
            assert service.running.ask_to_end(signal.SIGINT, within_s=GONE_SECONDS) == 0
            assert psutil.wait_procs(children, timeout=5)[1] == []
            assert service.running.out.rest().splitlines() == [
                "Stopping, once the requests under way are answered.",
                "Everything has stopped.",
            ]
        assert list(Path(folder).glob("papertrade-*")) == []


def test_make_run_starts_where_only_a_public_host_is_allowed_and_ends_whole_with_make(tmp_path: Path) -> None:
    port = str(free_pair())
    command = [
        "make",
        "run",
        f"PORT={port}",
        "--assume-old=.venv/runtime",
        f"BIN={Path(sys.executable).parent}",
    ]
    environ = _environ(tmp_path, PORT=port, PAPERTRADE_ALLOWED_HOSTS="mcp.example.com")
    with _serving(command, environ) as service:
        assert service.greeting[0] == "Papertrade MCP is serving simulated data."
        children = service.children()
        assert len(children) >= 5
        service.running.ask_to_end(within_s=GONE_SECONDS)
        assert psutil.wait_procs(children, timeout=GONE_SECONDS)[1] == []


def test_live_without_a_network_says_that_no_source_could_be_read(tmp_path: Path) -> None:
    nowhere = "https://papertrade.invalid"
    environ = _environ(
        tmp_path,
        PORT=str(free_pair()),
        PAPERTRADE_SOURCE="live",
        PAPERTRADE_EXCHANGE_URL=nowhere,
        PAPERTRADE_HYPERLIQUID_URL=nowhere,
        PAPERTRADE_HYPEREVM_URL=nowhere,
    )
    with _serving(manage("run"), environ) as service:
        assert service.greeting[:2] == [
            "Papertrade MCP is serving live data.",
            "No source could be read yet; the readiness address says why.",
        ]


def test_a_part_that_is_killed_comes_back_and_the_service_goes_on(service: Service) -> None:
    (exchange,) = [child for child in service.children() if "simulate_exchange" in child.cmdline()]
    exchange.kill()
    exchange.wait(GONE_SECONDS)
    assert service.get("/healthz")[0] == 200
    address = f"The embedded exchange answers at http://127.0.0.1:{service.port + 1}"
    for words in (address, "The exchange ended; starting it again.", address):
        service.running.err.until(words)
    assert within(GONE_SECONDS, lambda: service.get("/readyz")[1]["status"] == "ready")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent is gone")
def test_killing_the_parent_outright_ends_its_children_too(tmp_path: Path) -> None:
    with _serving(manage("run"), _environ(tmp_path, PORT=str(free_pair()))) as service:
        children = service.children()
        service.running.kill()
        assert psutil.wait_procs(children, timeout=GONE_SECONDS)[1] == []


def test_a_second_start_on_the_same_ports_names_both(service: Service, tmp_path: Path) -> None:
    second = _run_to_its_end(_environ(tmp_path, PORT=str(service.port)))
    assert second.returncode == 1
    assert second.stderr == (
        f"CommandError: Port {service.port} and port {service.port + 1} cannot be used. "
        "Is the service running already? Else choose others: make run PORT=…\n"
    )
    assert service.get("/readyz")[0] == 200


def test_a_database_that_cannot_be_opened_is_named_without_a_traceback(tmp_path: Path) -> None:
    missing = f"sqlite:///{tmp_path / 'missing' / 'db.sqlite3'}"
    run = _run_to_its_end(_environ(tmp_path, DATABASE_URL=missing))
    assert run.returncode == 1
    assert run.stderr == "CommandError: The database cannot be opened or written; DATABASE_URL names it.\n"


def _run_to_its_end(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = manage("run")
    return subprocess.run(command, cwd=BASE_DIR, env=environ, capture_output=True, text=True, timeout=60)
