"""A database that cannot be read or written: all that is public answers, by the last known limits."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from papertrade_site.limits.policy import DEFAULTS
from tests.faults.deployment import Deployment, change_limit, deployed, migrated, within
from tests.limits.valkey import OwnValkey, running_valkey

LIMIT = 3
EFFECTIVE_S = 5
DEFAULT_LIMIT = DEFAULTS.servers["analytics"].requests_per_minute
PUBLIC = ("/", "/analytics/", "/analytics/docs/mcp", "/liquidations/", "/healthz", "/.well-known/mcp.json")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "papertrade.sqlite3"
    migrated(path)
    return path


@pytest.fixture
def database(empty: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(empty, tmp_path / "papertrade.sqlite3"))


@pytest.fixture
def valkey(short_tmp_path: Path) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        yield valkey


def _as_an_ordinary_user() -> list[str]:
    """What starts a program without root's right to write whatever it likes."""
    rights = "-dac_override,-dac_read_search"
    return ["setpriv", "--bounding-set", rights, "--inh-caps", rights] if os.geteuid() == 0 else []


Serve = Callable[[], AbstractContextManager[Deployment]]


@pytest.fixture
def serve(valkey: OwnValkey, database: Path, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    log = tmp_path_factory.mktemp("log") / "log"
    return lambda: deployed(redis_url=valkey.url, database=database, log=log, through=_as_an_ordinary_user())


@contextmanager
def _missing(database: Path) -> Iterator[None]:
    for path in database.parent.glob(f"{database.name}*"):
        path.unlink()
    yield


@contextmanager
def _spoiled(database: Path) -> Iterator[None]:
    _remove_journal(database)
    database.write_bytes(b"this is not a database at all" * 1000)
    yield


@contextmanager
def _locked(database: Path) -> Iterator[None]:
    """Keep everybody else out, readers too."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE limits_siterules SET id = id")
        yield
        connection.execute("ROLLBACK")


@contextmanager
def _being_written(database: Path) -> Iterator[None]:
    """Let nobody else write for as long."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@contextmanager
def _read_only(database: Path) -> Iterator[None]:
    """Let nobody write, neither the file nor anything beside it; root may, unless it forgoes that."""
    _remove_journal(database)
    database.chmod(0o400)
    database.parent.chmod(0o500)
    yield
    database.parent.chmod(0o700)
    database.chmod(0o600)


def _remove_journal(database: Path) -> None:
    for ending in ("-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)


def _limit_is_held(site: Deployment) -> bool:
    return [site.ping().status for _ in range(LIMIT + 1)] == [200] * LIMIT + [429]


def test_a_change_in_the_database_is_in_force_within_five_seconds(serve: Serve, database: Path) -> None:
    with serve() as site:
        assert site.limit() == DEFAULT_LIMIT
        change_limit(database, LIMIT)
        assert within(EFFECTIVE_S, lambda: site.limit() == LIMIT)


@pytest.mark.parametrize("fault", [_missing, _spoiled, _locked, _being_written, _read_only])
def test_a_process_that_begins_without_it_has_the_last_known_limits_from_redis(
    serve: Serve, database: Path, valkey: OwnValkey, fault: Callable[[Path], AbstractContextManager[None]]
) -> None:
    change_limit(database, LIMIT)
    with serve() as site:
        assert site.limit() == LIMIT
    with fault(database), serve() as site:
        assert site.limit() == LIMIT
        assert _limit_is_held(site)
        assert {site.get(path).status for path in PUBLIC} == {200}


@pytest.mark.parametrize("fault", [_locked, _missing])
def test_without_redis_too_it_has_the_limits_of_the_specification_and_says_why_in_the_log(
    serve: Serve, database: Path, valkey: OwnValkey, fault: Callable[[Path], AbstractContextManager[None]]
) -> None:
    with valkey.gone(), fault(database), serve() as site:
        assert site.limit() == DEFAULT_LIMIT
        assert site.ping().status == 200
        log = site.log.read_text()
    assert "The limits cannot be read from the database" in log
    assert "Traceback" not in log


def test_one_that_is_spoiled_while_it_runs_changes_nothing_and_what_comes_after_is_read(
    serve: Serve, database: Path, empty: Path
) -> None:
    change_limit(database, LIMIT)
    with serve() as site:
        assert site.limit() == LIMIT
        database.write_bytes(b"this is not a database at all" * 1000)
        assert within(EFFECTIVE_S * 3, lambda: "The limits cannot be read" in site.log.read_text())
        assert site.limit() == LIMIT
        assert _limit_is_held(site)
        assert {site.get(path).status for path in PUBLIC} == {200}
