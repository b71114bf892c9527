"""The Python and TypeScript that tool pages show, run as they stand by the official clients."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Callable
from typing import Final

import pytest

from papertrade_site.docs.samples import sample_arguments
from papertrade_site.docs.snippets import LANGUAGES
from tests.clients.official import NODE_CLIENTS, node, python_of
from tests.clients.service import Service

pytestmark = pytest.mark.slow

PATIENCE_S: Final = 60
CALLS: Final = [
    ("liquidations", "get_bust_map"),
    ("analytics", "get_open_interest"),
    ("analytics", "quote_position_outcome"),
]
COMMANDS: Final[dict[str, Callable[[str], list[str]]]] = {
    "python": lambda code: [python_of("mcp-2"), "-c", code],
    "typescript": lambda code: [node(), "--input-type=module", "--eval", code],
}


@pytest.mark.parametrize(("server", "tool"), CALLS)
@pytest.mark.parametrize("language", COMMANDS)
def test_the_code_of_a_page_prints_what_the_tool_finds(
    service: Service, language: str, server: str, tool: str
) -> None:
    (form,) = (each for each in LANGUAGES if each.slug == language)
    code = form.code(service.by_path(server), tool, sample_arguments(tool))
    run = subprocess.run(
        COMMANDS[language](code),
        cwd=NODE_CLIENTS,
        env={**os.environ, "NODE_OPTIONS": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 0, run.stderr
    if language == "python":
        assert ast.literal_eval(run.stdout)["dataSource"] == "simulated"
    else:
        assert "dataSource: 'simulated'" in run.stdout
