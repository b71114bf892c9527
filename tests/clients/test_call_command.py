"""Every tool called from the shell, beside the service that ``make run`` started."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from papertrade_site.env import BASE_DIR
from tests.clients.official import CALLS, Call
from tests.clients.service import Service

pytestmark = pytest.mark.slow

EVERY_CALL = [(server, call) for server, calls in CALLS.items() for call in calls]


@pytest.mark.parametrize(
    ("server", "call"),
    EVERY_CALL,
    ids=[f"{call.name}-{number}" for number, (_, call) in enumerate(EVERY_CALL)],
)
def test_the_shell_gets_what_a_client_gets(service: Service, server: str, call: Call) -> None:
    arguments = call.of(service.trader)["arguments"]
    words = [server, call.name, *(f"{name}={_word(value)}" for name, value in arguments.items())]
    page, raw = _call(service, *words), _call(service, *words, "--json")
    status = 1 if call.refused else 0
    assert (page.returncode, raw.returncode) == (status, status)
    if call.refused:
        assert page.stdout == raw.stdout == ""
        assert f"Wrong arguments for {call.name}: " in page.stderr
        return
    assert page.stderr == raw.stderr == ""
    assert json.loads(raw.stdout)["dataSource"] == "simulated"
    assert page.stdout.splitlines()[-1].startswith("SIMULATED: ")


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _call(service: Service, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "PORT": str(service.port),
        "DATABASE_URL": "sqlite://:memory:",
    }
    command = [sys.executable, "manage.py", "call", *words]
    return subprocess.run(
        command, cwd=BASE_DIR, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
