"""The README's calls of the two servers, made as it shows them."""

from __future__ import annotations

import json
import re
import shlex
from urllib.parse import urlsplit

import pytest

from papertrade_site.env import BASE_DIR
from tests.discovery.served import Site

README = (BASE_DIR / "README.md").read_text(encoding="utf-8").replace("\\\n", "")
COMMANDS = [shlex.split(line) for line in re.findall(r"^curl -s .*/mcp .*$", README, re.MULTILINE)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: urlsplit(command[2]).netloc)
def test_a_call_of_the_readme_is_answered_with_a_result(site: Site, command: list[str]) -> None:
    address = urlsplit(command[2])
    options = list(zip(command[3::2], command[4::2], strict=True))
    headers = dict(value.split(": ", 1) for option, value in options if option == "-H")
    (body,) = [value for option, value in options if option == "-d"]
    status, answer = site.post(address.path, body, {**headers, "Host": address.netloc})
    assert status == 200
    assert json.loads(answer)["id"] == json.loads(body)["id"]
    assert "result" in json.loads(answer)


def test_the_readme_shows_both_servers_by_path_and_by_host_name() -> None:
    assert {command[2] for command in COMMANDS} == {
        "http://127.0.0.1:8000/liquidations/mcp",
        "http://127.0.0.1:8000/analytics/mcp",
        "http://liquidations.localhost:8000/mcp",
        "http://analytics.localhost:8000/mcp",
    }
