"""The places that each server is reached at, and the site as gunicorn serves it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.discovery.places import HOSTS, PLACES, SHARED_HOST, Place
from tests.discovery.served import Site
from tests.serving import serving
from tests.simulated_calls import SimulatedCalls, simulated_calls


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.SERVER_HOSTS = HOSTS
    settings.ALLOWED_HOSTS = [SHARED_HOST, *HOSTS]


@pytest.fixture(scope="session")
def world() -> Iterator[SimulatedCalls]:
    """One embedded exchange for all pages."""
    with simulated_calls() as calls:
        yield calls


@pytest.fixture
def venue(world: SimulatedCalls) -> Iterator[SimulatedCalls]:
    """The embedded exchange, from which pages read for the length of a test."""
    with world.read_by_tools():
        yield world


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
    folder = tmp_path_factory.mktemp("site")
    environ = {
        "WEB_CONCURRENCY": "1",
        "PAPERTRADE_ALLOWED_HOSTS": "127.0.0.1",
        "PAPERTRADE_LIQUIDATIONS_HOST": "liquidations.localhost",
        "PAPERTRADE_ANALYTICS_HOST": "analytics.localhost",
        "PAPERTRADE_LOG_LEVEL": "ERROR",
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "REDIS_URL": f"unix://{folder / 'nobody.sock'}",
    }
    with serving("papertrade_site.wsgi:application", environ=environ) as served:
        yield Site(served.port)
