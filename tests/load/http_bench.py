"""How many calls a second the service answers over HTTP, beside a bare Django view and the Python SDK.

Run by ``make bench``. Every cell is measured in slices of one second that go round the servers, so that
what else the machine does falls on all of them alike: compare within one run only. Every request of a
client says another address in ``X-Forwarded-For``, which the site takes from 127.0.0.1 as from its proxy.
Answers are checked, speeds are not: a wrong answer ends the run with 1, a slow one is only printed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import httpx

from tests.clients.official import CALLS
from tests.load.bench_servers import Server, Site, post, running_bare_view, running_sdk, running_site

CONNECTIONS: Final = (16, 64)
SCRIPT: Final = Path(__file__).with_name("wrk.lua")
INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of call: which of the two servers gets it, the call, and what a right answer holds."""

    name: str
    server: str
    call: Mapping[str, Any]
    expected: str

    @property
    def body(self) -> str:
        """The call as it is sent."""
        return json.dumps(self.call)


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one kind of call to one server at so many connections.

    ``cpu_us`` is what a request took of the server's own processes, in microseconds of processor time: it
    tells the work apart from the wait for a machine that others use too.
    """

    scenario: str
    connections: int
    server: str
    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    wrong: int


@dataclass(frozen=True, slots=True)
class Target:
    """A server, the address there that takes one kind of call, and what a right answer holds."""

    server: Server
    path: str
    expected: str

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.server.url}/{self.path}"


def rpc(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A JSON-RPC call."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}


def tool(server: str, name: str, arguments: Mapping[str, Any]) -> Scenario:
    """A call of a tool."""
    call = rpc("tools/call", {"name": name, "arguments": arguments})
    return Scenario(name, server, call, '"isError":false')


def scenarios(wallet: str) -> list[Scenario]:
    """Every kind of call that is measured."""
    first_calls = {
        call.name: (server, call.of(wallet)["arguments"])
        for server, calls in CALLS.items()
        for call in reversed(calls)
        if not call.refused
    }
    return [
        Scenario("initialize", "analytics", rpc("initialize", INITIALIZE), '"serverInfo":{"name":'),
        Scenario("tools/list", "analytics", rpc("tools/list"), '"name":"quote_position_outcome"'),
        *(tool(server, name, arguments) for name, (server, arguments) in sorted(first_calls.items())),
    ]


def open_wallet(site: Site) -> str:
    """A wallet of the embedded exchange that holds open positions."""
    rows = httpx.get(f"{site.exchange}/state/leaderboard/accounts", timeout=30).raise_for_status().json()
    for row in rows["accounts"]:
        call = tool("liquidations", "get_wallet_distance_to_bust", {"wallet": row["address"]}).call
        answer = json.loads(post(f"{site.unlimited.url}/liquidations/mcp", call))
        if answer["result"]["structuredContent"]["positions"]:
            return str(row["address"])
    raise SystemExit("No wallet of the embedded exchange's leaderboard has an open position.")


def measure(target: Target, scenario: Scenario, *, connections: int, seconds: int = 1) -> dict[str, Any]:
    """A short run of wrk, as its script reports it, and the processor time that the server used."""
    how = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(SCRIPT)]
    command = ["wrk", *how, target.url, "--"]
    before_s = target.server.cpu_s()
    done = subprocess.run(
        [*command, target.expected, scenario.body], stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report | {"cpu_s": target.server.cpu_s() - before_s}


def cell(scenario: Scenario, connections: int, server: str, slices: list[dict[str, Any]]) -> Cell:
    """All slices of a cell as one."""
    requests = sum(each["requests"] for each in slices)
    return Cell(
        scenario=scenario.name,
        connections=connections,
        server=server,
        rate=requests / sum(each["seconds"] for each in slices),
        p50_ms=median(each["p50_ms"] for each in slices),
        p99_ms=median(each["p99_ms"] for each in slices),
        cpu_us=1e6 * sum(each["cpu_s"] for each in slices) / max(requests, 1),
        wrong=sum(each["wrong"] + each["broken"] for each in slices),
    )


def cells(
    site: Site, kinds: Sequence[Scenario], *, names: Sequence[str], sdk: Path, seconds: int
) -> list[Cell]:
    """Measure the kinds of these names, and print each row as soon as it is known."""
    sizes = {kind.name: len(post(f"{site.unlimited.url}/{kind.server}/mcp", kind.call)) for kind in kinds}
    measured = []
    with running_bare_view() as bare, running_sdk(sdk, told_to_sdk(kinds, sizes)) as sdk_server:
        for kind in (kind for kind in kinds if kind.name in names):
            path = f"{kind.server}/mcp"
            targets = {
                "bare view": Target(bare, str(sizes[kind.name]), '"result": '),
                "limiter off": Target(site.unlimited, path, kind.expected),
                "limiter on": Target(site.limited, path, kind.expected),
                "Python SDK": Target(sdk_server, "mcp", kind.expected),
            }
            for target in targets.values():
                measure(target, kind, connections=CONNECTIONS[0])  # warms what can be warm
            for connections in CONNECTIONS:
                slices: dict[str, list[dict[str, Any]]] = {server: [] for server in targets}
                for _ in range(seconds):
                    for server, target in targets.items():
                        slices[server].append(measure(target, kind, connections=connections))
                row = [cell(kind, connections, server, slices[server]) for server in targets]
                print_row(row, answer_bytes=sizes[kind.name])
                measured += row
    return measured


def told_to_sdk(kinds: Sequence[Scenario], sizes: Mapping[str, int]) -> dict[str, Any]:
    """What the SDK's server has to know of the calls: arguments and lengths of answers."""
    params = {kind.name: kind.call["params"] for kind in kinds if kind.call["method"] == "tools/call"}
    tools = {name: {"size": sizes[name], "arguments": each["arguments"]} for name, each in params.items()}
    return {"initialize": sizes["initialize"], "tools/list": sizes["tools/list"], "tools": tools}


def print_row(row: list[Cell], *, answer_bytes: int) -> None:
    """One kind of call at one number of connections: a line for each server."""
    by_server = {each.server: each for each in row}
    bare, sdk = by_server["bare view"], by_server["Python SDK"]
    print(f"\n{row[0].scenario}, {row[0].connections} connections, {answer_bytes} bytes")
    print(f"  {'':12} {'per s':>7} {'p50 ms':>7} {'p99 ms':>7} {'CPU us':>7}  x bare  x SDK  CPU of bare's")
    for each in row:
        wrong = f"  {each.wrong} WRONG" if each.wrong else ""
        print(
            f"  {each.server:12} {each.rate:7.0f} {each.p50_ms:7.1f} {each.p99_ms:7.1f} {each.cpu_us:7.0f}"
            f"  {each.rate / bare.rate:6.2f} {each.rate / sdk.rate:6.2f}  {each.cpu_us / bare.cpu_us:12.2f}"
            f"{wrong}",
            flush=True,
        )


def as_json(measured: list[Cell], seconds: int) -> str:
    """Everything measured, for programs."""
    rows = [{name: getattr(each, name) for name in Cell.__slots__} for each in measured]
    return json.dumps({"secondsACell": seconds, "cores": os.cpu_count(), "cells": rows}, indent=2) + "\n"


def main() -> int:
    """Measure, print, and tell by the exit status whether every answer was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sdk", type=Path, required=True, help="Python of the SDK's environment")
    parser.add_argument("--seconds", type=int, default=3, help="of each cell")
    parser.add_argument("--only", nargs="*", help="names of the calls to measure; all when left out")
    parser.add_argument("--json", type=Path, help="file to write every figure to")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        print("The HTTP part needs wrk, which is not installed (Debian: apt install wrk).", file=sys.stderr)
        return 1
    with running_site() as site:
        kinds = scenarios(open_wallet(site))
        names = options.only or [kind.name for kind in kinds]
        measured = cells(site, kinds, names=names, sdk=options.sdk, seconds=options.seconds)
    if options.json:
        options.json.write_text(as_json(measured, options.seconds), encoding="utf-8")
    return 1 if any(each.wrong for each in measured) else 0


if __name__ == "__main__":
    sys.exit(main())
