"""Commands of ``manage.py`` one after another in one process, as to start Django takes longer than each.

The process takes a JSON list of command lines, each a list of words, and prints a JSON list of what came of
each: its status, and what it wrote to standard output and standard error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

from django.core.management import execute_from_command_line

from papertrade_site.env import BASE_DIR

PATIENCE_S = 100


class Typed(NamedTuple):
    """What came of a command line."""

    status: int
    out: str
    err: str


def typed(lines: Sequence[Sequence[str]], environ: Mapping[str, str]) -> list[Typed]:
    """Run the command lines, which begin with the command's name, in a process of their own."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.clients.typed", json.dumps(lines)],
        cwd=BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return [Typed(*each) for each in json.loads(run.stdout)]


def _type(words: Sequence[str]) -> Typed:
    out, err, status = StringIO(), StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            execute_from_command_line(["manage.py", *words])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Typed(status, out.getvalue(), err.getvalue())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
    print(json.dumps([_type(words) for words in json.loads(sys.argv[1])]))
