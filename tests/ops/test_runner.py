"""Starting, watching and stopping the parts of the service."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest

from papertrade_site.env import Environment
from papertrade_site.ops.children import Child
from papertrade_site.ops.runner import (
    MAX_RESTARTS,
    Part,
    StartError,
    answers_ok,
    background_parts,
    parts_of,
    refuse_used_ports,
    start,
    stop_all,
    watch,
)
from papertrade_site.ops.valkey import answers_ping, valkey_command
from tests.ports import free_pair

SLEEPER = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
DYING = [sys.executable, "-c", "raise SystemExit(3)"]


@pytest.fixture
def sleeper() -> Iterator[Child]:
    child = Child("sleeper", SLEEPER, os.environ)
    yield child
    child.stop()


@pytest.fixture
def used_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def free_port() -> int:
    return free_pair()


def test_a_child_runs_in_a_session_of_its_own_and_is_gone_after_stop(sleeper: Child) -> None:
    sleeper.start()
    assert sleeper.process is not None
    assert os.getsid(sleeper.process.pid) == sleeper.process.pid
    sleeper.stop()
    assert sleeper.has_died
    assert not psutil.pid_exists(sleeper.process.pid)


def test_stopping_a_child_that_never_started_or_has_died_does_nothing(sleeper: Child) -> None:
    sleeper.stop()
    sleeper.start()
    sleeper.stop()
    sleeper.stop()
    assert sleeper.has_died


def test_a_child_that_ignores_the_request_to_stop_is_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("papertrade_site.ops.children.STOP_SECONDS", 0.2)
    ready = tmp_path / "ready"
    code = (
        f"import signal, time; signal.signal(15, signal.SIG_IGN); open({str(ready)!r}, 'w'); time.sleep(600)"
    )
    child = Child("stubborn", [sys.executable, "-c", code], os.environ)
    part = Part(child, ready.exists)
    start([part], Event())
    child.stop()
    assert child.process is not None
    assert child.process.returncode == -signal.SIGKILL


def test_a_part_that_ends_while_starting_is_named() -> None:
    part = Part(Child("exchange", DYING, os.environ), lambda: False)
    with pytest.raises(StartError, match="exchange ended while starting"):
        start([part], Event())


def test_a_part_that_never_comes_up_is_named(sleeper: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("papertrade_site.ops.runner.START_SECONDS", 0)
    with pytest.raises(StartError, match="sleeper was not up"):
        start([Part(sleeper, lambda: False)], Event())


def test_a_part_that_dies_is_started_again(sleeper: Child) -> None:
    stop, said = Event(), list[str]()
    sleeper.start()
    assert sleeper.process is not None
    first = sleeper.process
    first.kill()
    first.wait()

    def say(line: str) -> None:
        said.append(line)
        stop.set()

    watch([Part(sleeper, lambda: True)], stop, say)
    assert said == ["The sleeper ended; starting it again."]
    assert sleeper.process is not first
    assert not sleeper.has_died


def test_a_part_that_keeps_dying_ends_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("papertrade_site.ops.runner.WATCH_SECONDS", 0.01)
    child = Child("exchange", DYING, os.environ)
    child.start()
    said = list[str]()
    with pytest.raises(StartError, match="exchange keeps ending"):
        watch([Part(child, lambda: True)], Event(), said.append)
    assert len(said) == MAX_RESTARTS


def test_parts_stop_last_started_first(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = list[str]()
    monkeypatch.setattr(Child, "stop", lambda child: stopped.append(child.name))
    stop_all([Part(Child(name, [], {}), lambda: True) for name in ("cache", "exchange", "site")])
    assert stopped == ["site", "exchange", "cache"]


def test_a_used_port_is_refused_by_number(used_port: int, free_port: int) -> None:
    environment = Environment(PORT=free_port, PAPERTRADE_SIMULATOR_PORT=used_port)
    with pytest.raises(StartError, match=rf"^Port {used_port} cannot be used\. .* make run PORT="):
        refuse_used_ports(environment)


def test_free_ports_are_accepted(free_port: int) -> None:
    refuse_used_ports(Environment(PORT=free_port, PAPERTRADE_SOURCE="live"))
    assert not answers_ok(free_port, "/")


def test_simulated_needs_cache_exchange_and_site_in_that_order(free_port: int) -> None:
    environment = Environment(PORT=free_port)
    assert [part.child.name for part in parts_of(environment, {})] == ["cache", "exchange", "site"]


def test_live_with_a_named_redis_needs_the_site_alone(free_port: int) -> None:
    environment = Environment(PORT=free_port, PAPERTRADE_SOURCE="live", REDIS_URL="redis://cache:6379")
    assert [part.child.name for part in parts_of(environment, {})] == ["site"]


def test_wallets_are_tracked_history_is_recorded_and_usage_is_rolled_up_beside_any_service() -> None:
    started = [(part.child.name, part.child.command[-1]) for part in background_parts({})]
    assert started == [
        ("tracker", "track_wallets"),
        ("recorder", "record_history"),
        ("rollup", "roll_up_usage"),
    ]


def test_the_embedded_valkey_answers_on_its_socket_and_limits_its_memory(
    short_tmp_path: Path,
) -> None:
    path = short_tmp_path / "valkey.sock"
    part = Part(Child("cache", valkey_command(path), os.environ), lambda: answers_ping(path))
    assert not answers_ping(path)
    start([part], Event())
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(path))
            connection.sendall(b"CONFIG GET maxmemory\r\n")
            assert b"268435456" in connection.recv(100)
    finally:
        part.child.stop()
    assert not answers_ping(path)


def test_watching_ends_when_asked_to_stop() -> None:
    stop = Event()
    watcher = Thread(target=watch, args=([], stop, print))
    watcher.start()
    stop.set()
    watcher.join(5)
    assert not watcher.is_alive()
