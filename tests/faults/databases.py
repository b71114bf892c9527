"""What can go wrong with a SQLite database, for a block, and a site on one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from tests.faults.deployment import Deployment, deployed
from tests.limits.valkey import OwnValkey

Fault = Callable[[Path], AbstractContextManager[None]]


def site_on(database: Path, valkey: OwnValkey, folder: Path) -> AbstractContextManager[Deployment]:
    """Serve the site as an ordinary user, with its log in the folder."""
    through = _without_roots_rights()
    return deployed(redis_url=valkey.url, database=database, log=folder / "log", through=through)


def _without_roots_rights() -> list[str]:
    """What starts a program without root's right to write whatever it likes."""
    rights = "-dac_override,-dac_read_search"
    return ["setpriv", "--bounding-set", rights, "--inh-caps", rights] if os.geteuid() == 0 else []


@contextmanager
def missing(database: Path) -> Iterator[None]:
    """Remove it, and what stands beside it; it does not come back."""
    for path in database.parent.glob(f"{database.name}*"):
        path.unlink()
    yield


@contextmanager
def spoiled(database: Path) -> Iterator[None]:
    """Put something in its place that is no database; it does not come back."""
    _remove_journal(database)
    database.write_bytes(b"this is not a database at all" * 1000)
    yield


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Keep everybody else out, readers too."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE limits_siterules SET id = id")
        yield
        connection.execute("ROLLBACK")


@contextmanager
def being_written(database: Path) -> Iterator[None]:
    """Let nobody else write for as long."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@contextmanager
def read_only(database: Path) -> Iterator[None]:
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
