"""The site on PostgreSQL: its tables, what is counted in them, and one that holds a lock."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from papertrade_site.env import BASE_DIR
from papertrade_site.limits.policy import DEFAULTS
from tests.faults.deployment import Deployment, deployed, pings_in_metrics, within
from tests.faults.pings import Pings
from tests.faults.postgresql import running_postgresql
from tests.limits.valkey import OwnValkey
from tests.running import manage

LIMIT = 7
PATIENCE_S = 20
DEFAULT_LIMIT = DEFAULTS.servers["analytics"].requests_per_minute
MAKE_ANEW = """
import django
django.setup()
from django.core.management import call_command
for app in "limits", "ops", "recorded", "usage":
    call_command("migrate", app, "zero", verbosity=0)
call_command("migrate", verbosity=0)
call_command("makemigrations", check_changes=True, verbosity=0)
"""
ROLL_UP_TWICE = """
import django
django.setup()
from papertrade_site.clock import SystemClock
from papertrade_site.usage.rollup import Rollup
for _ in range(2):
    Rollup(SystemClock()).round(lambda: True)
"""
CHANGED = (
    "INSERT INTO limits_change (at, who, what, row, field, old, new) "
    "VALUES (now(), 'ann', 'a', 'serverrules/1', 'b', '', 'c')"
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A database with all tables."""
    with running_postgresql() as url:
        _run(url, *manage("migrate", "--verbosity", "0"))
        yield url


@pytest.fixture
def database(url: str) -> Iterator[psycopg.Connection]:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        _set_limit(connection, None)
        yield connection


@contextmanager
def _served(url: str, valkey: OwnValkey, log: Path) -> Iterator[Deployment]:
    with deployed(redis_url=valkey.url, database=url, log=log) as site:
        yield site


@contextmanager
def _locked(url: str) -> Iterator[None]:
    """Let nobody read the limits."""
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE limits_serverrules IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()


def _run(url: str, *command: str, redis_url: str = "unix:///nowhere") -> None:
    environ = {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "DJANGO_SETTINGS_MODULE": "papertrade_site.settings",
        "DATABASE_URL": url,
        "REDIS_URL": redis_url,
    }
    subprocess.run(command, cwd=BASE_DIR, env=environ, check=True)


def _set_limit(database: psycopg.Connection, limit: int | None) -> None:
    database.execute(
        "UPDATE limits_serverrules SET requests_per_minute = %s WHERE server = 'analytics'", (limit,)
    )


def _number(database: psycopg.Connection, question: str) -> int:
    row = database.execute(question.encode()).fetchone()
    assert row is not None
    return int(row[0] or 0)


def test_all_tables_can_be_taken_away_and_made_again(url: str, database: psycopg.Connection) -> None:
    _run(url, sys.executable, "-c", MAKE_ANEW)
    assert _number(database, "SELECT count(*) FROM limits_serverrules") == 2


@pytest.mark.parametrize(
    "statement",
    ["UPDATE limits_change SET who = 'bob'", "DELETE FROM limits_change", "TRUNCATE limits_change"],
)
def test_what_was_changed_stays_recorded(database: psycopg.Connection, statement: str) -> None:
    database.execute(CHANGED)
    with pytest.raises(psycopg.errors.RestrictViolation, match="a recorded change is permanent"):
        database.execute(statement.encode())


def test_what_is_counted_is_taken_over_and_counts_once_however_often(
    url: str, database: psycopg.Connection, valkey: OwnValkey, tmp_path: Path
) -> None:
    with _served(url, valkey, tmp_path / "log") as site:
        assert [site.ping().status for _ in range(5)] == [200] * 5
    _run(url, sys.executable, "-c", ROLL_UP_TWICE, redis_url=valkey.url)
    for table in ("usage_usageminute", "usage_usagehour"):
        assert _number(database, f"SELECT sum(ok) FROM {table} WHERE method = 'ping'") == 5
    assert _number(database, "SELECT sum(messages) FROM usage_clienthour") == 5


def test_a_lock_stops_no_limits_no_counting_and_no_new_process_and_a_change_after_it_is_in_force(
    url: str, database: psycopg.Connection, valkey: OwnValkey, tmp_path: Path
) -> None:
    _set_limit(database, LIMIT)
    with _served(url, valkey, tmp_path / "log") as site:
        assert site.limit() == LIMIT
        with _locked(url):
            with _served(url, valkey, tmp_path / "log of another") as other:
                assert other.limit() == LIMIT
                assert other.ping().status == 200
            assert within(PATIENCE_S, lambda: "The limits cannot be read" in site.log.read_text())
            pings = Pings(site)
            assert pings.of_one_client(LIMIT + 1) == [200] * LIMIT + [429]
            assert within(PATIENCE_S, lambda: pings_in_metrics(site) == pings.made)
            assert site.limit() == LIMIT
        _set_limit(database, DEFAULT_LIMIT)
        assert within(PATIENCE_S, lambda: site.limit() == DEFAULT_LIMIT)
