"""The Inspector's command line, as its own documentation has people use it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.official import CALLS, MODULES, Call, new_client, node
from tests.clients.service import Service

pytestmark = pytest.mark.slow

Inspect = Callable[..., subprocess.CompletedProcess[str]]

PATIENCE_S = 60
TOOL_SAID_NO = 5
"""The exit status for a result with ``isError``."""


@pytest.fixture
def inspect(service: Service, tmp_path: Path) -> Inspect:
    (header,) = (f"{name}: {value}" for name, value in new_client().items())

    def inspect(slug: str, *options: str) -> subprocess.CompletedProcess[str]:
        launcher = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build"
        return subprocess.run(
            [
                *(node(), str(launcher / "index.js"), "--cli", service.by_path(slug)),
                *("--transport", "http", "--header", header, *options),
            ],
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    return inspect


@pytest.mark.requirement("example:inspector")
@pytest.mark.parametrize("slug", CALLS)
def test_it_finds_no_error_in_any_schema_and_warns_of_nullable_results_alone(
    inspect: Inspect, slug: str
) -> None:
    run = inspect(slug, "--method", "tools/list", "--strict")
    assert run.returncode == 0
    paths = [line for line in run.stderr.splitlines() if line.startswith("  Path: ")]
    issues = [line for line in run.stderr.splitlines() if line.startswith("  Issue: ")]
    assert all(path.startswith("  Path: outputSchema.") for path in paths)
    assert all('"null"])' in issue and "type` is an array" in issue for issue in issues)
    assert {tool["name"] for tool in json.loads(run.stdout)["tools"]} == {call.name for call in CALLS[slug]}


@pytest.mark.requirement("endpoint:clients")
@pytest.mark.parametrize(
    ("slug", "call"),
    [(slug, call) for slug, calls in CALLS.items() for call in calls],
    ids=lambda value: value.name if isinstance(value, Call) else value,
)
def test_it_calls_a_tool_and_tells_a_refusal(
    inspect: Inspect, service: Service, slug: str, call: Call
) -> None:
    arguments = [f"{name}={value}" for name, value in call.of(service.trader)["arguments"].items()]
    options = ["--tool-arg", *arguments] if arguments else []
    run = inspect(slug, "--method", "tools/call", "--tool-name", call.name, *options)
    if not call.refused:
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["structuredContent"]["dataSource"] == "simulated"
    elif slug == "analytics":
        assert run.returncode == TOOL_SAID_NO
        assert json.loads(run.stdout)["isError"] is True
    else:
        assert run.returncode == 1
        assert "Wrong arguments" in json.loads(run.stderr)["error"]["message"]
