"""The site as it is served in production, nginx in front of gunicorn, and an exchange that misbehaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from papertrade_site.ops.runner import answers_ok
from tests.faults.deployment import PATIENCE_S, within
from tests.faults.faulty_exchange import FaultyExchange
from tests.faults.proxy import running_proxy
from tests.serving import serving


@pytest.fixture(scope="package")
def service() -> Iterator[int]:
    """The whole site, with as few threads as it may have."""
    environ = {
        "PAPERTRADE_THREADS": "2",
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1/32",
        "WEB_CONCURRENCY": "1",
    }
    with serving("papertrade_site.wsgi:application", environ=environ) as served:
        # What a test measures must not be how long the first process takes to begin.
        assert within(PATIENCE_S, lambda: answers_ok(served.port, "/healthz"))
        yield served.port


@pytest.fixture(scope="package")
def proxy(service: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with running_proxy(tmp_path_factory.mktemp("nginx"), service) as port:
        yield port


@pytest.fixture(scope="module")
def faulty() -> Iterator[FaultyExchange]:
    """An exchange in this process, for all tests of a module; each spoils it as it likes."""
    exchange = FaultyExchange()
    yield exchange
    exchange.close()
