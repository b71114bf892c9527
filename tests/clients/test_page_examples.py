"""Every command with curl that a page of the site shows, run as it stands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from papertrade_site.docs.pages import pages_of
from papertrade_site.servers import SERVERS
from tests.clients.official import missing, new_client
from tests.clients.service import Service

pytestmark = pytest.mark.slow

PATIENCE_S: Final = 30
_BLOCK: Final = re.compile(r"^```bash[^\n]*\n(curl .*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("way", ["by path", "by host name"])
@pytest.mark.parametrize("server", SERVERS)
def test_every_curl_example_of_every_page_is_answered(
    server: str, way: str, service: Service, tmp_path: Path
) -> None:
    if shutil.which("curl") is None:
        missing("curl")
    endpoint = service.by_path(server) if way == "by path" else service.by_host(server)
    base = endpoint.removesuffix("/mcp")
    commands = {
        command: page.slug
        for page in pages_of(SERVERS[server])
        for command in _BLOCK.findall(_run(f"curl -sf {base}{page.twin_path}", tmp_path))
    }
    assert len(commands) > len(SERVERS[server].tools)
    for command, slug in commands.items():
        assert endpoint in command, slug
        printed = json.loads(_run(command, tmp_path))
        for answer in printed if isinstance(printed, list) else [printed]:
            assert answer["result"].get("isError") is not True, (slug, command)


def _run(command: str, home: Path) -> str:
    """What a command prints, for a client that nobody has seen yet."""
    (header,) = (f"{name}: {value}" for name, value in new_client().items())
    (home / ".curlrc").write_text(f'header = "{header}"\n', encoding="utf-8")
    run = subprocess.run(
        ["bash", "-c", command],
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, (command, run.stderr)
    return run.stdout
