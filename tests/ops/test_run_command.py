"""``manage.py run`` as a newcomer starts it: real processes, real sockets, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from papertrade_site.env import BASE_DIR

LAST_LINE = "Ctrl-C stops everything."
GONE_SECONDS = 40

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Service:
    process: subprocess.Popen[str]
    port: int
    greeting: list[str]

    def get(self, path: str) -> tuple[int, dict[str, object]]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
            return answer.status, json.loads(answer.read())

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    port = _free_pair()
    environ = {**os.environ, "PORT": str(port), "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}"}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "run"],
        cwd=BASE_DIR,
        env={**environ, "PAPERTRADE_LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    greeting = []
    for line in process.stdout:
        greeting.append(line.strip())
        if line.strip() == LAST_LINE:
            break
    service = Service(process, port, greeting)
    yield service
    process.terminate()
    process.wait(GONE_SECONDS)
    process.stdout.close()
    process.stderr.close()


def _free_pair() -> int:
    """A free port whose follower, the embedded exchange's, is free too."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port = int(first.getsockname()[1])
            try:
                socket.create_server(("127.0.0.1", port + 1)).close()
            except (OSError, OverflowError):
                continue
        return port


def test_it_serves_each_source_fresh_and_ctrl_c_leaves_no_process(service: Service) -> None:
    assert service.greeting[0] == "Papertrade MCP is serving simulated data."
    assert service.greeting[-1] == LAST_LINE
    assert service.get("/healthz") == (200, {"status": "ok"})
    status, ready = service.get("/readyz")
    assert (status, ready["status"], ready["dataSource"]) == (200, "ready", "simulated")
    sources = ready["sources"]
    assert isinstance(sources, list)
    assert len(sources) >= 5
    assert {source["state"] for source in sources} == {"fresh"}
    assert all(0 <= source["ageSeconds"] < 60 for source in sources)

    children = service.children()
    assert len(children) >= 4
    service.process.send_signal(signal.SIGINT)
    assert service.process.wait(GONE_SECONDS) == 0
    assert psutil.wait_procs(children, timeout=1)[1] == []


def test_a_part_that_is_killed_comes_back_and_the_service_goes_on(service: Service) -> None:
    (exchange,) = [child for child in service.children() if "simulate_exchange" in child.cmdline()]
    exchange.kill()
    exchange.wait(10)
    assert service.get("/healthz")[0] == 200
    assert service.process.stderr is not None
    address = f"http://127.0.0.1:{service.port + 1}"
    said = [service.process.stderr.readline().strip() for _ in range(3)]
    assert said == [address, "The exchange ended; starting it again.", address]
    assert service.get("/readyz")[1]["status"] == "ready"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent is gone")
def test_killing_the_parent_outright_ends_its_children_too(service: Service) -> None:
    children = service.children()
    service.process.kill()
    service.process.wait(10)
    assert psutil.wait_procs(children, timeout=GONE_SECONDS)[1] == []


def test_a_second_start_on_the_same_port_is_refused_by_name(service: Service) -> None:
    environ = {**os.environ, "PORT": str(service.port), "PAPERTRADE_SIMULATOR_PORT": str(_free_pair())}
    second = subprocess.run(
        [sys.executable, "manage.py", "run"],
        cwd=BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 1
    assert f"Port {service.port} cannot be used; set PORT to a free one." in second.stderr
    assert service.get("/readyz")[0] == 200


def test_a_database_that_cannot_be_opened_is_named_without_a_traceback(tmp_path: Path) -> None:
    environ = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'missing' / 'db.sqlite3'}"}
    run = subprocess.run(
        [sys.executable, "manage.py", "run"],
        cwd=BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 1
    assert run.stderr == "CommandError: The database cannot be opened or written; DATABASE_URL names it.\n"
