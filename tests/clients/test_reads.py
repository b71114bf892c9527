"""What calls of the tools make the service do to the exchange behind it."""

from __future__ import annotations

import http.client
import json

import pytest

from tests.clients.official import CALLS, new_client
from tests.clients.service import Service

pytestmark = pytest.mark.slow

READS = ("/state/", "/query/", "/relayer/health", "/info", "/evm")
"""The addresses at which the exchange and the two sources beside it are read; orders go elsewhere."""


@pytest.mark.requirement("endpoint:read-only")
def test_every_tool_does_nothing_but_read(service: Service) -> None:
    for server, calls in CALLS.items():
        for call in calls:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call.of(service.trader)}
            headers = {"Content-Type": "application/json", **new_client()}
            assert "jsonrpc" in _asked(service.port, "POST", f"/{server}/mcp", json.dumps(body), headers)
    requests = json.loads(_asked(service.port + 1, "GET", "/_simulator/requests"))["requests"]
    assert requests
    assert [path for path in requests if not path.startswith(READS)] == []


def _asked(
    port: int, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        return connection.getresponse().read().decode()
    finally:
        connection.close()
