"""``manage.py record_history`` as an operator starts it: a real process over a real cache and database."""

from __future__ import annotations

import re
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from papertrade_site.clock import SystemClock
from papertrade_site.env import BASE_DIR
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import GIVE_UP_S, Running, manage, newcomers_environ, running

GONE_S = 8
"""Below the 12 s that a hanging source may keep a reader."""

pytestmark = pytest.mark.slow

Environ = dict[str, str]


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def environ(valkey: OwnValkey, tmp_path: Path) -> Environ:
    """What the command needs but an exchange: a cache, and a database that has no tables yet."""
    return newcomers_environ(
        PAPERTRADE_LOG_LEVEL="DEBUG",
        DATABASE_URL=f"sqlite:///{tmp_path / 'db.sqlite3'}",
        REDIS_URL=valkey.url,
    )


@pytest.fixture
def exchange() -> Iterator[str]:
    """Serve a small market."""
    clock = SystemClock()
    world = World.create(seed=5, now_ms=clock.now_ms(), traders=60)
    server = ExchangeServer(SimulatedVenue(world, clock=clock), port=0, board=FaultBoard())
    server.start()
    yield server.address
    server.stop()


def recording(environ: Environ, **settings: str) -> AbstractContextManager[Running]:
    """Run the command for a block."""
    return running(manage("record_history"), {**environ, **settings})


def migrate(environ: Environ) -> None:
    command = manage("migrate", "--verbosity", "0")
    subprocess.run(command, cwd=BASE_DIR, env=environ, check=True, timeout=GIVE_UP_S)


def test_a_source_that_hangs_does_not_keep_it_from_stopping(environ: Environ) -> None:
    migrate(environ)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with recording(environ, PAPERTRADE_EXCHANGE_URL=address) as recorder:
            connection, _ = silent.accept()
            with connection:
                assert recorder.ask_to_end(within_s=GONE_S) == 0


def test_missing_tables_cost_a_line_a_round_and_no_traceback(environ: Environ, exchange: str) -> None:
    with recording(environ, PAPERTRADE_EXCHANGE_URL=exchange) as recorder:
        said = recorder.err.until("the database refuses (no such table")
        assert recorder.ask_to_end() == 0
        assert "Traceback" not in "".join([*said, recorder.err.rest()])


def test_it_records_alone_until_it_is_told_to_stop_and_another_one_goes_on_where_it_ends(
    environ: Environ, exchange: str, valkey: OwnValkey
) -> None:
    migrate(environ)
    took_over = "This process now does the work record_history:"
    with recording(environ, PAPERTRADE_EXCHANGE_URL=exchange) as first:
        assert _points(first) > 1
        with recording(environ, PAPERTRADE_EXCHANGE_URL=exchange) as second:
            assert first.ask_to_end(signal.SIGINT) == 0
            assert took_over not in first.err.rest()
            second.err.until(took_over)
            assert _points(second) <= 1  # the day may have turned between them
            assert second.ask_to_end(signal.SIGTERM) == 0
    path = environ["DATABASE_URL"].removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as database:
        for table in ("recorded_protocolpoint", "recorded_housepoint"):
            origins = database.execute(f"SELECT origin, COUNT(*) FROM {table} GROUP BY 1").fetchall()
            ((origin, points),) = origins
            assert origin == f"simulated {exchange}"
            assert points > 167
    assert [key for key in valkey.stored_keys() if "lease" in key] == []


def _points(recorder: Running) -> int:
    """How many days of the house a recorder adds, which it says last in a round."""
    found = re.search(r"Recorded: house 1d, (\d+) points", recorder.err.until("Recorded: house 1d")[-1])
    assert found is not None
    return int(found[1])
