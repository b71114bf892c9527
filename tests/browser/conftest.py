"""The service that readers visit, and their browser.

The browser goes with the module: while it runs, Django takes the thread for an event loop's, and would let no
other test near the database.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.barriers import axe_script
from tests.browser.visits import Visitors, chromium
from tests.clients.service import Service, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that finds what keeps people from reading a page."""
    return axe_script()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser, service: Service) -> Iterator[Visitors]:
    """Begins visits, none of which may meet with trouble."""
    visitors = Visitors(browser, f"http://127.0.0.1:{service.port}")
    yield visitors
    assert visitors.end() == []
