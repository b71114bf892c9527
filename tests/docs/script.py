"""The scripts of the site, run by Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64encode
from typing import Any, Final

import pytest
from django.contrib.staticfiles import finders

PATIENCE_S: Final = 60


def playground(expression: str, given: object) -> Any:  # noqa: ANN401
    """The value of an expression over ``script`` (what the playground's script exports) and ``given``."""
    return run("playground.js", expression, given)


def run(name: str, expression: str, given: object) -> Any:  # noqa: ANN401
    """The value of an expression over ``script`` (what the script of this name exports) and ``given``."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Node is not installed")
        pytest.skip("Node is not installed")
    path = finders.find(f"docs/{name}")
    assert isinstance(path, str)
    with open(path, "rb") as file:
        module = f"data:text/javascript;base64,{b64encode(file.read()).decode()}"
    program = (
        f"import * as script from {json.dumps(module)};"
        "let text = ''; for await (const part of process.stdin.setEncoding('utf8')) text += part;"
        f"const given = JSON.parse(text); console.log(JSON.stringify({expression}));"
    )
    done = subprocess.run(
        [node, "--input-type=module", "--eval", program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
