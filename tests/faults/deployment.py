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
    """What a request got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Site:
    """A site that is asked at a port of this machine."""

    port: int

    def get(self, path: str, **headers: str) -> Reply:
        return self._ask("GET", path, None, headers)

    def ping(self, server: str = "analytics", *, client: str | None = None) -> Reply:
        return self.post(PING, server, client=client)

    def post(self, message: str, server: str = "analytics", *, client: str | None = None) -> Reply:
        """What a message gets; a client can be named to a site that believes this machine."""
        headers = JSON_HEADERS if client is None else {**JSON_HEADERS, "X-Forwarded-For": client}
        return self._ask("POST", f"/{server}/mcp", message, headers)

    def call(
        self, server: str, tool: str, arguments: Mapping[str, object], *, client: str | None = None
    ) -> dict[str, Any]:
        """The result of a tool's call."""
        params = {"name": tool, "arguments": arguments}
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        result: dict[str, Any] = self.post(message, server, client=client).json()["result"]
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


@dataclass(frozen=True, slots=True)
class Deployment(Site):
    """A site that a test serves: its first process, and where that writes its log."""

    pid: int
    log: Path


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
    database: Path | str,
    log: Path,
    port: int = 0,
    workers: int = 1,
    through: Sequence[str] = (),
    **settings: str,
) -> Iterator[Deployment]:
    """Serve the site for the block; see ``serving``. The database is a file of SQLite's, or an address.

    The site believes this machine about who its clients are.
    """
    environ = {
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1/32",
        "REDIS_URL": redis_url,
        "DATABASE_URL": _address(database),
        "WEB_CONCURRENCY": str(workers),
        **settings,
    }
    application = "papertrade_site.wsgi:application"
    with serving(application, port=port, environ=environ, log=log, through=through) as served:
        yield Deployment(served.port, served.pid, log)


def environ_of(*, redis_url: str, database: Path | str) -> dict[str, str]:
    """What another command of the same service has in its environment."""
    return {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "REDIS_URL": redis_url,
        "DATABASE_URL": _address(database),
    }


def migrated(database: Path | str) -> None:
    """Make all tables of a database."""
    administer(database, "migrate", "--verbosity", "0")


def administer(database: Path | str, *words: str, **settings: str) -> None:
    """Run one of the project's commands on a database."""
    environ = environ_of(redis_url="unix:///nowhere", database=database) | settings
    subprocess.run(manage(*words), cwd=BASE_DIR, env=environ, check=True, stdout=subprocess.DEVNULL)


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


def pings_in_metrics(site: Site) -> float:
    """Pings that a site tells of, whatever became of them."""
    lines = site.get("/metrics").body.decode().splitlines()
    of_pings = (line for line in lines if line.startswith("papertrade_messages_total") and '"ping"' in line)
    return sum(float(line.split()[-1]) for line in of_pings)


def _address(database: Path | str) -> str:
    return database if isinstance(database, str) else f"sqlite:///{database}"


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Whether something comes true within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
