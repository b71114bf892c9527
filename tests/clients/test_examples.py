"""The examples that users are shown, run as they stand: nothing of them is changed but the host."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from papertrade_site.env import BASE_DIR
from tests.clients.official import MODULES, NODE_CLIENTS, missing, new_client, node
from tests.clients.service import Service

pytestmark = pytest.mark.slow

SPECIFICATIONS: Final = BASE_DIR.parent / "shared" / "spec"
README: Final = BASE_DIR / "README.md"
PUBLISHED: Final = "https://papertrade-{}.pages.dev"
PATIENCE_S: Final = 60

ANALYTICS_CURL: Final = (
    "curl -s https://papertrade-analytics.pages.dev/mcp -H 'content-type: application/json' "
    "-H 'accept: application/json, text/event-stream' \\\n  -d '{}'"
)
EXAMPLES: Final = [
    ANALYTICS_CURL.format(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call",'
        '"params":{"name":"get_protocol_snapshot","arguments":{}}}'
    ),
    ANALYTICS_CURL.format(
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_history",'
        '"arguments":{"metric":"volume","interval":"1h","mode":"per_bucket","limit":24}}}'
    ),
    ANALYTICS_CURL.format(
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"quote_position_outcome",'
        '"arguments":{"symbol":"ETH","side":"short","marginUsd":200,"leverage":100,"priceMovePct":-0.5}}}'
    ),
    """curl -s https://papertrade-liquidations.pages.dev/mcp \\
  -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","""
    """"capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'""",
    """curl -s https://papertrade-liquidations.pages.dev/mcp \\
  -H 'content-type: application/json' -H 'accept: application/json' \\
  -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_closest_to_bust","""
    """"arguments":{"market":"BTC","limit":3}}}' \\
  | jq '.result.structuredContent'""",
    "npx @modelcontextprotocol/inspector --cli https://papertrade-liquidations.pages.dev/mcp "
    "--transport http --method tools/list",
]


@dataclass(frozen=True, slots=True)
class Example:
    """A command line that documents show."""

    command: str

    def __str__(self) -> str:
        """Which it is, for the test's name."""
        return f"{self.server} {self.tool or self._method}"

    @property
    def server(self) -> str:
        """The server that it asks."""
        return "liquidations" if "liquidations" in self.command else "analytics"

    @property
    def tool(self) -> str | None:
        """The tool that it calls."""
        called = re.search(r'"name":"(\w+)","arguments"', self.command)
        return called and called[1]

    @property
    def programs(self) -> list[str]:
        """What has to be installed for it."""
        return re.findall(r"(?:^|\| )(\w+)", self.command)

    @property
    def _method(self) -> str:
        named = re.search(r'"method":"([\w/]+)"|--method ([\w/]+)', self.command)
        return next(filter(None, named.groups())) if named else ""

    def check(self, printed: Any) -> None:  # noqa: ANN401
        """What it has to print."""
        if self.tool is None:
            result = printed.get("result", printed)
            assert result.get("tools") or result["protocolVersion"] == "2025-06-18"
        elif "| jq" in self.command:
            assert printed["dataSource"] == "simulated"
        else:
            assert printed["result"]["structuredContent"]["dataSource"] == "simulated"


def _commands_in(document: Path) -> Iterator[str]:
    text = document.read_text(encoding="utf-8")
    for block in re.findall(r"^```(?:bash|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from (part for part in block.strip().split("\n\n") if "/mcp" in part)


SPECIFIED: Final = [command for path in sorted(SPECIFICATIONS.glob("*.md")) for command in _commands_in(path)]
OF_SPECIFICATIONS: Final = [Example(command) for command in dict.fromkeys([*EXAMPLES, *SPECIFIED])]
OF_README: Final = [Example(command) for command in _commands_in(README) if command.startswith("curl")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder whose curl says, as a proxy would, which client it is."""
    (header,) = (f"{name}: {value}" for name, value in new_client().items())
    (tmp_path / ".curlrc").write_text(f'header = "{header}"\n', encoding="utf-8")
    return tmp_path


@pytest.mark.requirement("example:analytics", "example:liquidations", "example:inspector")
@pytest.mark.parametrize("example", OF_SPECIFICATIONS, ids=str)
@pytest.mark.parametrize("way", ["by path", "by host name"])
def test_an_example_of_the_specification_works_but_for_its_host(
    example: Example, way: str, service: Service, home: Path
) -> None:
    at = service.by_path if way == "by path" else service.by_host
    published = PUBLISHED.format(example.server) + "/mcp"
    assert published in example.command
    example.check(_printed(example, example.command.replace(published, at(example.server)), home))


@pytest.mark.parametrize("example", OF_README, ids=str)
def test_an_example_of_the_readme_works_but_for_its_port(
    example: Example, service: Service, home: Path
) -> None:
    example.check(_printed(example, example.command.replace(":8000/", f":{service.port}/"), home))


def _printed(example: Example, command: str, home: Path) -> Any:  # noqa: ANN401
    for program in example.programs:
        if shutil.which(program) is None:
            missing(program)
    folders = [str(MODULES / ".bin"), str(Path(node()).parent)] if "npx" in example.programs else []
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=NODE_CLIENTS,
        env={
            **os.environ,
            "PATH": os.pathsep.join([*folders, os.environ["PATH"]]),
            "HOME": str(home),
            "npm_config_offline": "true",
            "NAMES_OF_THIS_MACHINE": "liquidations.localhost,analytics.localhost",
            "NODE_OPTIONS": f"--import={NODE_CLIENTS / 'addresses.mjs'}",
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
