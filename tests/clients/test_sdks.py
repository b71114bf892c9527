"""The official client libraries, and the bridge to stdio, against the whole service."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from papertrade_site.servers import SERVERS
from tests.clients.official import CALLS, HERE, HOSTS, MODULES, NODE_CLIENTS, new_client, node, python_of
from tests.clients.service import Service

pytestmark = pytest.mark.slow

PATIENCE_S = 100

Visit = dict[str, Any]
Command = Callable[[], list[str]]

CLIENTS: list[Command] = [
    lambda: [python_of("mcp-1"), str(HERE / "python" / "sdk1.py")],
    lambda: [python_of("mcp-2"), str(HERE / "python" / "sdk2.py")],
    lambda: [node(), str(NODE_CLIENTS / "sdk1.mjs")],
    lambda: [node(), str(NODE_CLIENTS / "sdk2.mjs")],
]


def test_a_call_of_each_tool_is_among_those_that_clients_make() -> None:
    for slug, server in SERVERS.items():
        assert {call.name for call in CALLS[slug] if not call.refused} == set(server.tools_by_name)


@pytest.mark.requirement(
    "endpoint:clients",
    "endpoint:address",
    "initialize:version:other",
    "method:tools-list",
    "method:tools-call",
)
@pytest.mark.parametrize(
    "command", CLIENTS, ids=["Python 1.x", "Python 2.x", "TypeScript 1.x", "TypeScript 2.x"]
)
def test_an_official_client_lists_and_calls_everything_by_path_and_by_host_name(
    command: Command, service: Service
) -> None:
    servers = [slug for slug in SERVERS for _ in range(2)]
    urls = [at(slug) for slug in SERVERS for at in (service.by_path, service.by_host)]
    visits = [_visit(service, slug, url=url) for slug, url in zip(servers, urls, strict=True)]
    for slug, seen in zip(servers, _made(command(), visits), strict=True):
        _check(slug, seen)


@pytest.mark.requirement("endpoint:clients")
def test_the_bridge_to_stdio_lists_and_calls_everything(service: Service, tmp_path: Path) -> None:
    visits = []
    for slug in SERVERS:
        visit = _visit(service, slug)
        (client,) = (f"{name}:{value}" for name, value in visit["headers"].items())
        visit["command"] = [
            *(node(), str(MODULES / "mcp-remote" / "dist" / "proxy.js"), service.by_path(slug)),
            *("--allow-http", "--transport", "http-only", "--header", client),
        ]
        visit["environ"] = {"HOME": str(tmp_path), "MCP_REMOTE_CONFIG_DIR": str(tmp_path)}
        visits.append(visit)
    for slug, seen in zip(SERVERS, _made(CLIENTS[0](), visits), strict=True):
        _check(slug, seen)


def _visit(service: Service, slug: str, **more: object) -> Visit:
    return {"headers": new_client(), "calls": [call.of(service.trader) for call in CALLS[slug]], **more}


def _made(command: list[str], visits: list[Visit]) -> list[dict[str, Any]]:
    """What a client saw, which has to leave each server and end by itself."""
    names = list(HOSTS.values())
    run = subprocess.run(
        [*command, json.dumps({"names": names, "visits": visits})],
        env={
            **os.environ,
            "NAMES_OF_THIS_MACHINE": ",".join(names),
            "NODE_OPTIONS": f"--import={NODE_CLIENTS / 'addresses.mjs'}",
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    seen: list[dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])  # before it, a client may tell more
    return seen


def _check(slug: str, seen: dict[str, Any]) -> None:
    server = SERVERS[slug]
    assert seen["version"] == "2025-06-18"
    assert seen["server"] == server.info_name
    assert seen["tools"] == list(server.tools_by_name)
    assert (seen["resources"], seen["prompts"], seen["pong"]) == (0, 0, {})
    for call, outcome in zip(CALLS[slug], seen["outcomes"], strict=True):
        if not call.refused:
            assert outcome["isError"] is False
            assert outcome["text"]
            assert outcome["structured"]["dataSource"] == "simulated"
            assert outcome["structured"].get("positions") != []
        elif server.bad_arguments_are_results:
            assert outcome["isError"] is True
            assert "Wrong arguments" in outcome["text"]
        else:
            assert outcome["code"] == -32602
            assert "Wrong arguments" in outcome["message"]
