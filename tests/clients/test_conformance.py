"""The official conformance suite."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from papertrade_site.env import BASE_DIR
from tests.clients.official import MODULES, node
from tests.clients.service import Service

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
GONE_SECONDS = 40


@pytest.fixture
def fixtures_url() -> Iterator[str]:
    """Where the fixtures answer, on the project's own gunicorn."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py"),
                *("--bind", f"fd://{listener.fileno()}", "tests.conformance.wsgi:application"),
            ],
            cwd=BASE_DIR,
            env={
                **os.environ,
                "WEB_CONCURRENCY": "1",
                "PAPERTRADE_SECRET_KEY": "only-for-tests-" * 4,
                "PAPERTRADE_LOG_LEVEL": "ERROR",
            },
            pass_fds=[listener.fileno()],
        )
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        process.terminate()
        process.wait(GONE_SECONDS)


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
