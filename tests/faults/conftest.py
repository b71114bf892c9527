"""What a site stands on: a database, a Valkey, a rollup, nginx before it, and an exchange that misbehaves."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from papertrade_site.ops.runner import answers_ok
from tests.faults.deployment import PATIENCE_S, environ_of, migrated, within
from tests.faults.faulty_exchange import FaultyExchange
from tests.faults.proxy import running_proxy
from tests.limits.valkey import OwnValkey, running_valkey
from tests.running import Running, running
from tests.serving import serving

ROLLUP_LIVES_S = 280
"""About as long as a slow test may take."""


@pytest.fixture(scope="package")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all tables, to be copied."""
    path = tmp_path_factory.mktemp("database") / "papertrade.sqlite3"
    migrated(path)
    return path


@pytest.fixture
def database(empty_database: Path, tmp_path: Path) -> Path:
    """A database of the test's own, with all tables, alone in its folder."""
    folder = tmp_path / "database"
    folder.mkdir()
    return Path(shutil.copy(empty_database, folder))


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


@pytest.fixture
def rollup(valkey: OwnValkey, database: Path) -> Iterator[Running]:
    """What takes usage over into the database, round upon round."""
    command = [sys.executable, "-m", "tests.faults.quick_rollup"]
    environ = environ_of(redis_url=valkey.url, database=database)
    with running(command, environ, give_up_s=ROLLUP_LIVES_S) as rollup:
        yield rollup


@pytest.fixture(scope="package")
def service() -> Iterator[int]:
    """The whole site, with as few threads as it may have."""
    environ = {
        "PAPERTRADE_THREADS": "2",
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1/32",
        "WEB_CONCURRENCY": "1",
    }
    with serving("papertrade_site.wsgi:application", environ=environ) as served:
        # What a test measures must not be how long the first process takes to begin.
        assert within(PATIENCE_S, lambda: answers_ok(served.port, "/healthz"))
        yield served.port


@pytest.fixture(scope="package")
def proxy(service: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with running_proxy(tmp_path_factory.mktemp("nginx"), service) as port:
        yield port


@pytest.fixture(scope="module")
def faulty() -> Iterator[FaultyExchange]:
    """An exchange in this process, for all tests of a module; each spoils it as it likes."""
    exchange = FaultyExchange()
    yield exchange
    exchange.close()
