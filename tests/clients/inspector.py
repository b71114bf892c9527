"""The Inspector's command line, as its own documentation has people use it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.official import MODULES, new_client, node

PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Inspector:
    """The Inspector at one endpoint, with a home folder of its own, as a client that nobody has seen."""

    endpoint: str
    home: Path

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        """What comes of a command line with these options."""
        (header,) = (f"{name}: {value}" for name, value in new_client().items())
        launcher = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build"
        return subprocess.run(
            [
                *(node(), str(launcher / "index.js"), "--cli", self.endpoint),
                *("--transport", "http", "--header", header, *options),
            ],
            env={**os.environ, "HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    def call(self, tool: str, arguments: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        """What comes of calling a tool."""
        given = [f"{name}={value}" for name, value in arguments.items()]
        return self.run(
            "--method", "tools/call", "--tool-name", tool, *(["--tool-arg", *given] if given else [])
        )

    def result(self, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The structured content of a success, and the sentence that goes with it."""
        run = self.call(tool, arguments)
        assert run.returncode == 0, run.stderr
        printed = json.loads(run.stdout)
        return printed["structuredContent"], printed["content"][0]["text"]
