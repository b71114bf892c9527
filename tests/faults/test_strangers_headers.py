"""Headers that only a proxy should send, sent by a stranger to a real gunicorn and a real nginx before it."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Final

import pytest

from tests.faults.proxy import PATIENCE_S, connect, exchange, running_proxy
from tests.protocol.framing import body_of, statuses
from tests.serving import serving

PAGE: Final = "/analytics/docs/connect"
FORWARDING: Final = (
    ("X-Forwarded-Proto: https",),
    ("X-Forwarded-Protocol: ssl",),
    ("X-Forwarded-Ssl: on",),
    ("X-Forwarded-Proto: https", "X-Forwarded-Ssl: off"),
    ("X-Forwarded-Proto: http", "X-Forwarded-Proto: https"),
    ("X-Forwarded-Host: evil.example", "X-Forwarded-Port: 1", "Forwarded: proto=https;host=evil.example"),
)
OF_THE_SERVER: Final = (
    "SCRIPT_NAME: /evil",
    "SCRIPT_NAME: /liquidations",
    "SCRIPT_NAME: /analytics",
    "Script-Name: /analytics",
    "PATH_INFO: /healthz",
    "REMOTE_USER: evil",
)
ONLY_A_PROXY_SENDS: Final = (
    "Forwarded",
    "X-Forwarded-By",
    "X-Forwarded-Host",
    "X-Forwarded-Port",
    "X-Forwarded-Prefix",
    "X-Forwarded-Proto",
    "X-Forwarded-Protocol",
    "X-Forwarded-Scheme",
    "X-Forwarded-Server",
    "X-Forwarded-Ssl",
    "X-Original-URL",
    "X-Real-IP",
    "X-Rewrite-URL",
    "X-Scheme",
    "X-Url-Scheme",
    "Front-End-Https",
    "Remote-User",
    "Script-Name",
    "SCRIPT_NAME",
    "REMOTE_USER",
)


def get(path: str, *headers: str) -> bytes:
    head = (f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", "")
    return "\r\n".join(head).encode()


@pytest.fixture(params=["service", "proxy"])
def port(request: pytest.FixtureRequest) -> int:
    return int(request.getfixturevalue(request.param))


@pytest.mark.parametrize("headers", [*FORWARDING, *((header,) for header in OF_THE_SERVER)], ids=" ".join)
def test_no_header_of_a_stranger_changes_a_page(port: int, headers: tuple[str, ...]) -> None:
    plain = exchange(port, get(PAGE), client="127.0.0.1")
    told = exchange(port, get(PAGE, *headers), client="127.0.0.1")

    assert (statuses(plain), statuses(told)) == ([200], [200])
    assert b'<link rel="canonical" href="http://localhost/analytics/docs/connect">' in plain
    assert body_of(told) == body_of(plain)


def test_the_proxy_hands_on_no_header_that_only_a_proxy_sends_but_its_own(tmp_path: Path) -> None:
    headers = [f"{name}: stranger" for name in (*ONLY_A_PROXY_SENDS, "X-Forwarded-For")]
    with (
        socket.create_server(("127.0.0.1", 0)) as source,
        running_proxy(tmp_path, int(source.getsockname()[1])) as port,
        connect(port, client="127.1.0.21") as stranger,
    ):
        stranger.sendall(get(PAGE, "X-Else: of the stranger", *headers))
        source.settimeout(PATIENCE_S)
        service, _ = source.accept()
        with service:
            head = service.recv(65_536).decode()

    assert "X-Else: of the stranger\r\n" in head
    assert "X-Forwarded-For: 127.1.0.21\r\n" in head
    assert ": stranger" not in head


def test_what_strangers_get_wrong_fills_no_log(tmp_path: Path) -> None:
    malformed = [
        get(f"{PAGE}?{'a&' * 1_001}"),
        get(PAGE, "Bad Name: " + "x" * 4_000),
        get(PAGE, "Expect: nothing"),
    ]
    log = tmp_path / "log"
    environ = {
        "WEB_CONCURRENCY": "1",
        "PAPERTRADE_LOG_LEVEL": "ERROR",
        "PAPERTRADE_REQUEST_LOG": "false",
    }
    with serving("papertrade_site.wsgi:application", environ=environ, log=log) as served:
        for request in malformed * 3:
            assert statuses(exchange(served.port, request, client="127.1.0.22")) in ([400], [417])

    (line,) = log.read_text().splitlines()
    assert re.search(r" ERROR django\.security\.TooManyFieldsSent \[[0-9a-f]{16}\]: ", line)
    assert line.endswith("A request was refused as malformed. The next such line comes in a minute.")
