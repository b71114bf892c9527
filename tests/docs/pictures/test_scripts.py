"""The scripts of pictures, run by Node: they show figures and ages as the server does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.staticfiles import finders

from papertrade_site.docs.pictures import moments
from papertrade_site.docs.pictures.amounts import short

PATIENCE_S: Final = 60
NUMBERS: Final = [
    0,
    0.42,
    0.001,
    1,
    12.345,
    999.4,
    999.6,
    1000,
    999_499,
    999_500,
    14_430_093.36,
    1e12,
    1.5e15,
    -2e6,
]


def run(file: str, expression: str, given: object) -> Any:  # noqa: ANN401
    """The value of an expression over ``script`` (what a script exports) and ``given``."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Node is not installed")
        pytest.skip("Node is not installed")
    path = finders.find(f"docs/{file}")
    assert isinstance(path, str)
    source = Path(path).read_text(encoding="utf-8")
    program = (
        "const { source, given } = JSON.parse(await new Response(process.stdin).text());"
        "const coded = Buffer.from(source).toString('base64');"
        "const script = await import('data:text/javascript;base64,' + coded);"
        f"console.log(JSON.stringify({expression}));"
    )
    done = subprocess.run(
        [node, "--input-type=module", "--eval", program],
        input=json.dumps({"source": source, "given": given}),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_figures_are_shortened_alike() -> None:
    assert run("history.js", "given.map(script.short)", NUMBERS) == [short(value) for value in NUMBERS]


def test_ages_are_told_alike() -> None:
    since, ages = "2026-11-30T12:00:03Z", [-5, 0, 59, 119, 120, 7_199, 7_200, 172_799, 172_800]
    now_s = [moments.seconds(since) + age for age in ages]
    expression = "given.now.map((now) => script.age(given.since, now * 1000))"
    assert run("pictures.js", expression, {"since": since, "now": now_s}) == [
        moments.age(since, now_s=now) for now in now_s
    ]
