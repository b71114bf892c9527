"""A client of the weather service, in process and over a real socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil
import pytest
from django.test import Client
from pytest_django import Settings

from tests.protocol.framing import read_all
from tests.serving import serving

JSON = "application/json"
PATIENCE_S = 30


@dataclass(frozen=True)
class Reply:
    """What an HTTP request got."""

    status: int
    headers: dict[str, str]
    content: bytes

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.content)

    @property
    def error(self) -> dict[str, Any]:
        """The JSON-RPC error of the only message."""
        error: dict[str, Any] = self.json()["error"]
        return error

    @property
    def code(self) -> int:
        """The JSON-RPC error code of the only message."""
        return int(self.error["code"])

    @property
    def result(self) -> dict[str, Any]:
        """The result of the only message."""
        result: dict[str, Any] = self.json()["result"]
        return result


class Send(Protocol):
    """Sends one HTTP request to the weather service; the body is JSON unless it is bytes already."""

    def __call__(
        self,
        body: object = ...,
        /,
        *,
        method: str = ...,
        path: str = ...,
        content_type: str = ...,
        **headers: str,
    ) -> Reply: ...


class Ask(Protocol):
    """Sends one JSON-RPC request."""

    def __call__(self, method: str, params: object = ..., /, *, path: str = ..., **headers: str) -> Reply: ...


@pytest.fixture
def send(settings: Settings) -> Send:
    settings.ROOT_URLCONF = "tests.protocol.urls"
    settings.MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
    client = Client()

    def send(
        body: object = b"",
        /,
        *,
        method: str = "POST",
        path: str = "/results/mcp",
        content_type: str = JSON,
        **headers: str,
    ) -> Reply:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        response = client.generic(method, path, raw, content_type, headers=_dashed(headers))
        return Reply(response.status_code, dict(response.items()), response.content)

    return send


@pytest.fixture
def ask(send: Send) -> Ask:
    def ask(method: str, params: object = None, /, *, path: str = "/results/mcp", **headers: str) -> Reply:
        message: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": method}
        return send(message if params is None else {**message, "params": params}, path=path, **headers)

    return ask


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True)
class Gunicorn:
    """A real gunicorn with one worker that serves the weather service by the project's own configuration."""

    port: int
    pid: int
    log: Path

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def exchange(self, request: bytes) -> bytes:
        """Everything that comes back until the server closes; it is told that no more will come."""
        with self.connect() as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return read_all(connection)

    def memory(self) -> int:
        """Resident bytes of the worker."""
        (worker,) = psutil.Process(self.pid).children()
        return int(worker.memory_info().rss)


@pytest.fixture(scope="session")
def gunicorn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gunicorn]:
    log = tmp_path_factory.mktemp("gunicorn") / "log"
    with serving("tests.protocol.wsgi:application", environ={"WEB_CONCURRENCY": "1"}, log=log) as served:
        yield Gunicorn(served.port, served.pid, log)
