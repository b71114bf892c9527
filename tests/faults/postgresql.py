"""A PostgreSQL of the test's own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT
from typing import Any, Final

import psycopg
import pytest

from tests.faults.deployment import PATIENCE_S, POLL_S
from tests.ports import free_pair

INSTALLED: Final = Path("/usr/lib/postgresql")
"""Where Debian keeps its programs, out of the search path."""

QUICK: Final = ("fsync=off", "full_page_writes=off", "max_connections=40")


@contextmanager
def running_postgresql() -> Iterator[str]:
    """Run one for the block, and give the address of its database."""
    initdb, postgres = program("initdb"), program("postgres")
    with tempfile.TemporaryDirectory(prefix="pt-") as folder:
        data, other_user = Path(folder, "data"), _other_user(Path(folder))
        subprocess.run(
            [initdb, "-D", data, "-U", "papertrade", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=folder,
            **other_user,
        )
        port = free_pair()
        options = [word for option in QUICK for word in ("-c", option)]
        command = [postgres, "-D", str(data), "-k", folder, "-h", "127.0.0.1", "-p", str(port), *options]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **other_user)
        url = f"postgres://papertrade@127.0.0.1:{port}/postgres"
        try:
            _wait_until_it_answers(url)
            yield url
        finally:
            process.send_signal(SIGINT)  # it ends at once, whoever is connected
            process.wait(PATIENCE_S)


def program(name: str) -> str:
    """The path of one of its programs; where that is missing, the test is skipped, or in CI fails."""
    paths = [os.environ["PATH"], *(str(path) for path in sorted(INSTALLED.glob("*/bin")))]
    found = shutil.which(name, path=":".join(paths))
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    return found


def _other_user(folder: Path) -> dict[str, Any]:
    """What starts a process as nobody, whose the folder then is: PostgreSQL refuses to be root's."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _wait_until_it_answers(url: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_S)
        else:
            return
