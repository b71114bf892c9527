"""The services that the official clients visit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.service import Service, running_service
from tests.clients.still import StillSite, still_site


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(scope="session")
def still() -> Iterator[StillSite]:
    with still_site() as site:
        yield site
