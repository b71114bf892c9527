"""The places that each server is reached at, and the site as gunicorn serves it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from papertrade_site.env import BASE_DIR
from tests.discovery.places import HOSTS, PLACES, SHARED_HOST, Place
from tests.discovery.served import Site


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.SERVER_HOSTS = HOSTS
    settings.ALLOWED_HOSTS = [SHARED_HOST, *HOSTS]


@pytest.fixture(params=PLACES, ids=lambda place: place.base)
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.param
    return found


@pytest.fixture(params=[PLACES[:2], PLACES[2:]], ids=["liquidations", "analytics"])
def both_places(request: pytest.FixtureRequest) -> list[Place]:
    """One server by its own host, and by its path."""
    found: list[Place] = request.param
    return found


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--config", str(BASE_DIR / "gunicorn.conf.py"), "--workers", "1"],
        cwd=BASE_DIR,
        env=_environment(port, tmp_path_factory.mktemp("site")),
    )
    try:
        _wait_for(port, process)
        yield Site(port)
    finally:
        process.terminate()
        process.wait(timeout=40)


def _environment(port: int, folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PORT": str(port),
        "PAPERTRADE_SECRET_KEY": "for-tests-only-0123456789-abcdefghijklmnopqrstuvwxyz",
        "PAPERTRADE_ALLOWED_HOSTS": "127.0.0.1",
        "PAPERTRADE_LIQUIDATIONS_HOST": "liquidations.localhost",
        "PAPERTRADE_ANALYTICS_HOST": "analytics.localhost",
        "PAPERTRADE_LOG_LEVEL": "ERROR",
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "REDIS_URL": f"unix://{folder / 'nobody.sock'}",
    }


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Return once the port is listened on; gunicorn has the connection wait until a worker is ready."""
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=20).close()
        except ConnectionRefusedError:
            continue
        return
    raise RuntimeError("gunicorn ended while starting")
