"""How many calls a second the service answers over HTTP, beside a bare Django view and the official SDKs.

Run by ``make bench``. Every cell is measured in slices of one second that go round the servers, so that
what else the machine does falls on all of them alike: compare within one run only. Every request of a
client says another address in ``X-Forwarded-For``, which the site takes from 127.0.0.1 as from its proxy.
The site is measured as it is, with limits and counting, and without both; neither writes a log of requests.
Answers are checked, speeds are not: a wrong answer ends the run with 1, a slow one is only printed.
"""

from __future__ import annotations

import argparse
import json
import resource
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
from tests.load.bench_report import as_json, as_markdown, lines
from tests.load.bench_servers import (
    Server,
    Site,
    post,
    running_bare_view,
    running_node_sdk,
    running_sdk,
    running_site,
)
from tests.load.cell import BARE, OFF, ON, PYTHON, TYPESCRIPT, Cell, Row

CONNECTIONS: Final = (16, 64)
SCRIPT: Final = Path(__file__).with_name("wrk.lua")
SUCCESS: Final = '"isError":false'
"""What the answer of a call of a tool holds when it went well."""

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
class Target:
    """A server, the address there that takes one kind of call, and what a right answer holds."""

    server: Server
    path: str
    expected: str


def rpc(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A JSON-RPC call."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}


def tool(server: str, name: str, arguments: Mapping[str, Any]) -> Scenario:
    """A call of a tool."""
    call = rpc("tools/call", {"name": name, "arguments": arguments})
    return Scenario(name, server, call, SUCCESS)


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
    """A short run of wrk, as its script reports it, and the processor time that server and wrk used."""
    how = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(SCRIPT)]
    command = ["wrk", *how, target.server.url, "--"]
    before_s, load_before_s = target.server.cpu_s(), _children_cpu_s()
    done = subprocess.run(
        [*command, target.expected, f"/{target.path}", scenario.body],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    load_cpu_s = _children_cpu_s() - load_before_s
    return report | {"cpu_s": target.server.cpu_s() - before_s, "load_cpu_s": load_cpu_s}


def _children_cpu_s() -> float:
    """Processor time of all that this process started and that has ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cell(
    target: Target,
    name: str,
    scenario: Scenario,
    slices: list[dict[str, Any]],
    *,
    connections: int,
    size: int,
) -> Cell:
    """All slices of a cell as one."""
    requests = sum(each["requests"] for each in slices)
    lasted_s = sum(each["seconds"] for each in slices)
    return Cell(
        scenario=scenario.name,
        connections=connections,
        server=name,
        answer_bytes=size,
        rate=requests / lasted_s,
        p50_ms=median(each["p50_ms"] for each in slices),
        p99_ms=median(each["p99_ms"] for each in slices),
        cpu_us=1e6 * sum(each["cpu_s"] for each in slices) / max(requests, 1),
        load_cpu=sum(each["load_cpu_s"] for each in slices) / lasted_s,
        memory_mb=target.server.memory_mb(),
        wrong=sum(each["wrong"] + each["broken"] for each in slices),
    )


def measured(
    site: Site, kinds: Sequence[Scenario], *, names: Sequence[str], sdk: Path, seconds: int
) -> list[Row]:
    """Measure the kinds of these names, and print each row as soon as it is known."""
    sizes = {kind.name: len(post(f"{site.unlimited.url}/{kind.server}/mcp", kind.call)) for kind in kinds}
    told = told_to_sdk(kinds, sizes)
    rows = []
    with running_bare_view() as bare, running_sdk(sdk, told) as python, running_node_sdk(told) as node:
        if node is None:
            print("Without node, or without what npm installs for it, the TypeScript SDK is left out.")
        for kind in (kind for kind in kinds if kind.name in names):
            path, size = f"{kind.server}/mcp", sizes[kind.name]
            targets = {
                BARE: Target(bare, str(size), '"result": '),
                OFF: Target(site.unlimited, path, kind.expected),
                ON: Target(site.limited, path, kind.expected),
                PYTHON: Target(python, "mcp", kind.expected),
            }
            if node is not None:
                targets[TYPESCRIPT] = Target(node, "mcp", kind.expected)
            rows += rows_of(kind, targets, seconds=seconds, size=size)
    return rows


def rows_of(kind: Scenario, targets: Mapping[str, Target], *, seconds: int, size: int) -> list[Row]:
    """Measure one kind of call at each number of connections."""
    for target in targets.values():
        measure(target, kind, connections=CONNECTIONS[0])  # warms what can be warm
    rows: list[Row] = []
    for connections in CONNECTIONS:
        slices: dict[str, list[dict[str, Any]]] = {name: [] for name in targets}
        for _ in range(seconds):
            for name, target in targets.items():
                slices[name].append(measure(target, kind, connections=connections))
        rows.append(
            {
                name: cell(target, name, kind, slices[name], connections=connections, size=size)
                for name, target in targets.items()
            }
        )
        print(lines(rows[-1]), flush=True)
    return rows


def told_to_sdk(kinds: Sequence[Scenario], sizes: Mapping[str, int]) -> dict[str, Any]:
    """What the SDK's server has to know of the calls: arguments and lengths of answers."""
    params = {kind.name: kind.call["params"] for kind in kinds if kind.call["method"] == "tools/call"}
    tools = {name: {"size": sizes[name], "arguments": each["arguments"]} for name, each in params.items()}
    return {"initialize": sizes["initialize"], "tools/list": sizes["tools/list"], "tools": tools}


def main() -> int:
    """Measure, print, and tell by the exit status whether every answer was right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sdk", type=Path, required=True, help="Python of the SDK's environment")
    parser.add_argument("--seconds", type=int, default=10, help="of each cell")
    parser.add_argument("--only", nargs="*", help="names of the calls to measure; all when left out")
    parser.add_argument("--json", type=Path, help="file to write every figure to")
    parser.add_argument("--markdown", type=Path, help="file to write the table to")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        print("The HTTP part needs wrk, which is not installed (Debian: apt install wrk).", file=sys.stderr)
        return 1
    with running_site() as site:
        kinds = scenarios(open_wallet(site))
        names = options.only or [kind.name for kind in kinds]
        unknown = [name for name in names if name not in {kind.name for kind in kinds}]
        if unknown:
            parser.error(f"there is no such call: {', '.join(unknown)}")
        rows = measured(site, kinds, names=names, sdk=options.sdk, seconds=options.seconds)
    table = as_markdown(rows, options.seconds)
    print(f"\n{table}", flush=True)
    if options.json:
        options.json.write_text(as_json(rows, options.seconds), encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(table, encoding="utf-8")
    return 1 if any(each.wrong for row in rows for each in row.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
