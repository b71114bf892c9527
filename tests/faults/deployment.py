"""The whole site on a real gunicorn, with a database and a Valkey of its own that a test can spoil."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

from papertrade_site.clock import SystemClock
from papertrade_site.env import BASE_DIR
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from tests.running import manage
from tests.serving import serving

PATIENCE_S: Final = 30
POLL_S: Final = 0.1
PING: Final = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
JSON_HEADERS: Final = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A site that is being served."""

    port: int
    pid: int
    log: Path

    def get(self, path: str, **headers: str) -> Reply:
        return self._ask("GET", path, None, headers)

    def ping(self, server: str = "analytics", *, client: str | None = None) -> Reply:
        return self._ask("POST", f"/{server}/mcp", PING, _headers_of(client))

    def call(
        self, server: str, tool: str, arguments: Mapping[str, object], *, client: str | None = None
    ) -> dict[str, Any]:
        """The result of a tool's call; a client can be named to a site that believes this machine."""
        params = {"name": tool, "arguments": arguments}
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        answer = self._ask("POST", f"/{server}/mcp", message, _headers_of(client)).json()
        result: dict[str, Any] = answer["result"]
        return result

    def limit(self, server: str = "analytics") -> int:
        """The requests per minute that the server says it allows; asking costs none of them."""
        limit: int = self.get(f"/{server}/mcp").json()["limits"]["requestsPerMinute"]
        return limit

    def _ask(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Reply:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)) as connection:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            return Reply(response.status, dict(response.headers), response.read())


def _headers_of(client: str | None) -> dict[str, str]:
    return JSON_HEADERS if client is None else {**JSON_HEADERS, "X-Forwarded-For": client}


@contextmanager
def running_exchange() -> Iterator[ExchangeServer]:
    """An exchange of this process for the block, which its board makes misbehave."""
    venue = SimulatedVenue.create(seed=7, clock=SystemClock())
    exchange = ExchangeServer(venue, port=0, board=FaultBoard())
    exchange.start()
    try:
        yield exchange
    finally:
        exchange.stop()


@contextmanager
def deployed(
    *,
    redis_url: str,
    database: Path,
    log: Path,
    workers: int = 1,
    through: Sequence[str] = (),
    **settings: str,
) -> Iterator[Deployment]:
    """Serve the site for the block; see ``serving``."""
    environ = {
        "REDIS_URL": redis_url,
        "DATABASE_URL": f"sqlite:///{database}",
        "WEB_CONCURRENCY": str(workers),
        **settings,
    }
    with serving("papertrade_site.wsgi:application", environ=environ, log=log, through=through) as served:
        yield Deployment(served.port, served.pid, log)


def environ_of(*, redis_url: str, database: Path) -> dict[str, str]:
    """What another command of the same service has in its environment."""
    return {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "REDIS_URL": redis_url,
        "DATABASE_URL": f"sqlite:///{database}",
    }


def migrated(path: Path) -> None:
    """Make a database with all tables."""
    environ = environ_of(redis_url="unix:///nowhere", database=path)
    subprocess.run(manage("migrate", "--verbosity", "0"), cwd=BASE_DIR, env=environ, check=True)


def change_limit(database: Path, requests_per_minute: int, server: str = "analytics") -> None:
    """Set a limit in the database, as the admin would."""
    with closing(sqlite3.connect(database)) as connection, connection:
        changed = connection.execute(
            "UPDATE limits_serverrules SET requests_per_minute = ? WHERE server = ?",
            (requests_per_minute, server),
        )
        assert changed.rowcount == 1


def counted(database: Path, method: str = "ping") -> int:
    """Messages of a method that the database knows of."""
    with closing(sqlite3.connect(database, timeout=PATIENCE_S)) as connection:
        (count,) = connection.execute(
            "SELECT COALESCE(SUM(ok + failed + refused + limited + blocked), 0) FROM usage_usageminute"
            " WHERE method = ?",
            (method,),
        ).fetchone()
        return int(count)


def pings_in_metrics(site: Deployment) -> float:
    """Pings that a site tells of, whatever became of them."""
    lines = site.get("/metrics").body.decode().splitlines()
    of_pings = (line for line in lines if line.startswith("papertrade_messages_total") and '"ping"' in line)
    return sum(float(line.split()[-1]) for line in of_pings)


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Whether something comes true within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
