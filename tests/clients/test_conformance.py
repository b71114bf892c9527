"""The official conformance suite."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from papertrade_site.env import BASE_DIR
from tests.clients.official import MODULES, node
from tests.clients.service import Service
from tests.serving import serving

pytestmark = pytest.mark.slow

REVISION = "2025-11-25"
EXPECTED_FAILURES = BASE_DIR / "tests" / "conformance" / "expected-failures.yml"
MET_BY_THE_SERVERS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)
PATIENCE_S = 100


@pytest.fixture
def fixtures_url() -> Iterator[str]:
    """Where the fixtures answer, on the project's own gunicorn."""
    environ = {"WEB_CONCURRENCY": "1", "PAPERTRADE_LOG_LEVEL": "ERROR"}
    with serving("tests.conformance.wsgi:application", environ=environ) as served:
        yield f"http://127.0.0.1:{served.port}/mcp"


def test_the_kernel_meets_all_of_a_revision_but_what_is_left_out_by_design(fixtures_url: str) -> None:
    run = _suite(fixtures_url, "--requirements", REVISION, "--expected-failures", str(EXPECTED_FAILURES))
    assert run.returncode == 0, run.stdout
    assert "Baseline check passed" in run.stdout


@pytest.mark.requirement("method:ping", "method:tools-list", "method:resources-list", "method:prompts-list")
@pytest.mark.parametrize("scenario", MET_BY_THE_SERVERS)
@pytest.mark.parametrize("server", ["liquidations", "analytics"])
def test_each_server_meets_what_concerns_it(service: Service, server: str, scenario: str) -> None:
    run = _suite(service.by_path(server), "--scenario", scenario)
    assert run.returncode == 0, run.stdout
    assert "0 failed, 0 warnings" in run.stdout


def _suite(url: str, *options: str) -> subprocess.CompletedProcess[str]:
    suite = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return subprocess.run(
        [node(), str(suite), "server", "--url", url, *options],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
