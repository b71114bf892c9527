"""The service that the official clients visit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.service import Service, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service
