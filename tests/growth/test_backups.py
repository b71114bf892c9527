"""The commands by which ``deploy/README.md`` backs a database up and restores it, run as they stand there."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from papertrade_site.env import BASE_DIR
from tests.faults.deployment import administer, change_limit, migrated
from tests.faults.postgresql import program, running_postgresql

LIMIT = 7
CHANGED = (
    "INSERT INTO limits_change (at, who, what, row, field, old, new)"
    " VALUES ('2026-11-30 12:00:00+00', 'ann', 'a', 'serverrules/1', 'b', '', 'c')"
)
SET_LIMIT = f"UPDATE limits_serverrules SET requests_per_minute = {LIMIT} WHERE server = 'analytics'"
READ_LIMIT = "SELECT requests_per_minute FROM limits_serverrules WHERE server = 'analytics'"

pytestmark = pytest.mark.slow


@pytest.fixture
def url() -> Iterator[str]:
    with running_postgresql() as url:
        migrated(url)
        yield url


def _run(words: str, folder: Path, **settings: str) -> None:
    """Run the command of the document that has these words in it."""
    lines = (BASE_DIR / "deploy" / "README.md").read_text().splitlines()
    (command,) = [line for line in lines if words in line]
    programs = f"{Path(program('initdb')).parent}:{os.environ['PATH']}"
    subprocess.run(
        command.replace(".venv/bin/python", sys.executable).replace("/var/lib/papertrade", str(folder)),
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": programs, **settings},
        check=True,
    )


def test_a_database_of_postgresql_is_restored_into_an_empty_one(url: str, tmp_path: Path) -> None:
    restored = url.replace("/postgres", "/restored")
    assert restored != url
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CHANGED.encode())
        connection.execute(SET_LIMIT.encode())
        connection.execute("CREATE DATABASE restored")

    _run("pg_dump", tmp_path, DATABASE_URL=url)
    _run("pg_restore", tmp_path, NEW_DATABASE_URL=restored)

    administer(restored, "migrate", "--check")
    with psycopg.connect(restored) as connection:
        assert connection.execute(READ_LIMIT.encode()).fetchone() == (LIMIT,)
        with pytest.raises(psycopg.errors.RestrictViolation):
            connection.execute("DELETE FROM limits_change")


def test_a_database_of_sqlite_is_copied_whole_while_it_is_written(tmp_path: Path) -> None:
    database, copy = tmp_path / "papertrade.sqlite3", tmp_path / "copy.sqlite3"
    migrated(database)
    change_limit(database, LIMIT)
    with closing(sqlite3.connect(database)) as writer:
        writer.execute(CHANGED)
        _run("VACUUM INTO", tmp_path)

    administer(copy, "migrate", "--check")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute(READ_LIMIT).fetchone() == (LIMIT,)
        assert connection.execute("SELECT count(*) FROM limits_change").fetchone() == (0,)
