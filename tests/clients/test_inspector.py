"""The Inspector's command line, as its own documentation has people use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.inspector import Inspector
from tests.clients.official import CALLS, QUOTE, TRADER, Call
from tests.clients.service import Service

pytestmark = pytest.mark.slow

TOOL_SAID_NO = 5
"""The exit status for a result with ``isError``."""

TYPED = [
    ("liquidations", Call("get_bust_map", {"market": "BTC", "cascadePercent": 1})),
    ("liquidations", Call("get_bust_map", {"market": "SOL"}, refused=True)),
    ("liquidations", Call("get_wallet_distance_to_bust", {"wallet": TRADER})),
    ("analytics", Call("get_open_interest", {"history": True})),
    ("analytics", Call("quote_position_outcome", QUOTE)),
    ("analytics", Call("get_top_traders", {"limit": 51}, refused=True)),
]
"""One argument of each kind, and a refusal of each server's; all tools are called by the libraries."""


@pytest.mark.requirement("example:inspector")
@pytest.mark.parametrize("slug", CALLS)
def test_it_finds_no_error_in_any_schema_and_warns_of_nullable_results_alone(
    service: Service, tmp_path: Path, slug: str
) -> None:
    run = Inspector(service.by_path(slug), tmp_path).run("--method", "tools/list", "--strict")
    assert run.returncode == 0
    paths = [line for line in run.stderr.splitlines() if line.startswith("  Path: ")]
    issues = [line for line in run.stderr.splitlines() if line.startswith("  Issue: ")]
    assert all(path.startswith("  Path: outputSchema.") for path in paths)
    assert all('"null"])' in issue and "type` is an array" in issue for issue in issues)
    assert {tool["name"] for tool in json.loads(run.stdout)["tools"]} == {call.name for call in CALLS[slug]}


@pytest.mark.requirement("endpoint:clients")
@pytest.mark.parametrize(
    ("slug", "call"), TYPED, ids=lambda value: value.name if isinstance(value, Call) else value
)
def test_it_calls_a_tool_and_tells_a_refusal(service: Service, tmp_path: Path, slug: str, call: Call) -> None:
    run = Inspector(service.by_path(slug), tmp_path).call(call.name, call.of(service.trader)["arguments"])
    if not call.refused:
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["structuredContent"]["dataSource"] == "simulated"
    elif slug == "analytics":
        assert run.returncode == TOOL_SAID_NO
        assert json.loads(run.stdout)["isError"] is True
    else:
        assert run.returncode == 1
        assert "Wrong arguments" in json.loads(run.stderr)["error"]["message"]
