"""A database that cannot be read or written: all that is public answers, by the last known limits."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from papertrade_site.limits.policy import DEFAULTS
from tests.faults.databases import Fault, being_written, locked, missing, read_only, site_on, spoiled
from tests.faults.deployment import Deployment, change_limit, within
from tests.faults.pings import Pings
from tests.limits.valkey import OwnValkey, running_valkey

LIMIT = 3
EFFECTIVE_S = 5
DEFAULT_LIMIT = DEFAULTS.servers["analytics"].requests_per_minute
PUBLIC = ("/", "/analytics/", "/analytics/docs/mcp", "/liquidations/", "/healthz", "/.well-known/mcp.json")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def limited(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a limit that is not the default, to be copied."""
    path = Path(shutil.copy(empty_database, tmp_path_factory.mktemp("limited")))
    change_limit(path, LIMIT)
    return path


@pytest.fixture(scope="module")
def knowing(limited: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnValkey]:
    """A Redis in which a site that has ended has left that limit."""
    with running_valkey(tmp_path_factory.mktemp("v") / "v") as valkey:
        with site_on(limited, valkey, tmp_path_factory.mktemp("log")) as site:
            assert site.limit() == LIMIT
        yield valkey


def _limit_is_held(site: Deployment) -> bool:
    return Pings(site).of_one_client(LIMIT + 1) == [200] * LIMIT + [429]


@pytest.mark.parametrize("fault", [missing, spoiled, locked, being_written, read_only])
def test_a_process_that_begins_without_it_has_the_last_known_limits_from_redis(
    knowing: OwnValkey, limited: Path, database: Path, tmp_path: Path, fault: Fault
) -> None:
    shutil.copy(limited, database)
    with fault(database), site_on(database, knowing, tmp_path) as site:
        assert site.limit() == LIMIT
        assert _limit_is_held(site)
        assert {site.get(path).status for path in PUBLIC} == {200}


def test_without_redis_too_it_has_the_limits_of_the_specification_and_says_why_in_the_log(
    valkey: OwnValkey, limited: Path, database: Path, tmp_path: Path
) -> None:
    shutil.copy(limited, database)
    with valkey.gone(), missing(database), site_on(database, valkey, tmp_path) as site:
        assert site.limit() == DEFAULT_LIMIT
        assert site.ping().status == 200
    log = site.log.read_text()
    assert "The limits cannot be read from the database" in log
    assert "Traceback" not in log


def test_a_change_in_the_database_is_in_force_within_five_seconds(
    valkey: OwnValkey, database: Path, tmp_path: Path
) -> None:
    with site_on(database, valkey, tmp_path) as site:
        assert site.limit() == DEFAULT_LIMIT
        change_limit(database, LIMIT)
        assert within(EFFECTIVE_S, lambda: site.limit() == LIMIT)


def test_one_that_is_spoiled_while_it_runs_changes_nothing(
    valkey: OwnValkey, limited: Path, database: Path, tmp_path: Path
) -> None:
    shutil.copy(limited, database)
    with site_on(database, valkey, tmp_path) as site:
        assert site.limit() == LIMIT
        database.write_bytes(b"this is not a database at all" * 1000)
        assert within(EFFECTIVE_S * 3, lambda: "The limits cannot be read" in site.log.read_text())
        assert site.limit() == LIMIT
        assert _limit_is_held(site)
        assert {site.get(path).status for path in PUBLIC} == {200}
