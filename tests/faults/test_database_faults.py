"""A database that cannot be read or written: all that is public answers, by the last known limits."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from papertrade_site.limits.policy import DEFAULTS
from tests.faults.databases import as_an_ordinary_user, being_written, locked, missing, read_only, spoiled
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


Serve = Callable[[], AbstractContextManager[Deployment]]


@pytest.fixture
def serve(valkey: OwnValkey, database: Path, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    log = tmp_path_factory.mktemp("log") / "log"
    return lambda: deployed(redis_url=valkey.url, database=database, log=log, through=as_an_ordinary_user())


def _limit_is_held(site: Deployment) -> bool:
    return [site.ping().status for _ in range(LIMIT + 1)] == [200] * LIMIT + [429]


def test_a_change_in_the_database_is_in_force_within_five_seconds(serve: Serve, database: Path) -> None:
    with serve() as site:
        assert site.limit() == DEFAULT_LIMIT
        change_limit(database, LIMIT)
        assert within(EFFECTIVE_S, lambda: site.limit() == LIMIT)


@pytest.mark.parametrize("fault", [missing, spoiled, locked, being_written, read_only])
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


@pytest.mark.parametrize("fault", [locked, missing])
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
