"""Every tool called from the shell, beside the service that ``make run`` started."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from papertrade_site.env import BASE_DIR
from tests.clients.official import CALLS, Call
from tests.clients.service import Service
from tests.clients.typed import Typed, typed
from tests.running import manage

pytestmark = pytest.mark.slow

EVERY_CALL = [(server, call) for server, calls in CALLS.items() for call in calls]


def test_the_shell_gets_what_a_client_gets(service: Service) -> None:
    lines = [_words(server, call, service) for server, call in EVERY_CALL]
    pages = typed(lines, _environ(service))
    raws = typed([[*words, "--json"] for words in lines], _environ(service))
    for (_, call), page, raw in zip(EVERY_CALL, pages, raws, strict=True):
        _check(call, page)
        _check(call, raw)
        if not call.refused:
            assert page.out.splitlines()[-1].startswith("SIMULATED: "), call
            assert json.loads(raw.out)["dataSource"] == "simulated", call


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_command_of_its_own_ends_with_the_status_that_tells(service: Service, is_refused: bool) -> None:
    server, call = next(each for each in EVERY_CALL if each[1].refused is is_refused)
    command = manage(*_words(server, call, service))
    run = subprocess.run(
        command, cwd=BASE_DIR, env=_environ(service), capture_output=True, text=True, timeout=60, check=False
    )
    _check(call, Typed(run.returncode, run.stdout, run.stderr))


def _words(server: str, call: Call, service: Service) -> list[str]:
    arguments = call.of(service.trader)["arguments"]
    return ["call", server, call.name, *(f"{name}={_word(value)}" for name, value in arguments.items())]


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _environ(service: Service) -> dict[str, str]:
    return {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "PORT": str(service.port),
        "DATABASE_URL": "sqlite://:memory:",
    }


def _check(call: Call, outcome: Typed) -> None:
    """What it ends with, and on which stream it speaks."""
    if call.refused:
        assert (outcome.status, outcome.out) == (1, ""), call
        assert f"Wrong arguments for {call.name}: " in outcome.err
    else:
        assert (outcome.status, outcome.err) == (0, ""), call
