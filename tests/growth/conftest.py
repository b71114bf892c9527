"""The service on two machines."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.operator import Operator
from tests.growth.machines import Service, running_service


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """Both machines run whenever a test begins; one that ends some of it starts it again."""
    folder = Path(tempfile.mkdtemp(prefix="pt-"))
    with running_service(folder) as service:
        yield service
    shutil.rmtree(folder)


@pytest.fixture(scope="package")
def operator(service: Service) -> Operator:
    """Comes by way of nginx, so his requests go to either machine."""
    return Operator(service.port)
