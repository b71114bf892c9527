"""A site of two worker processes that an operator administers, and clients that ask either of them alone."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from typing import Any, Final

from papertrade_site.env import BASE_DIR
from tests.limits.valkey import running_valkey
from tests.running import manage, newcomers_environ
from tests.serving import Served, serving

NAME: Final = "ann"
PASSWORD: Final = "ink-on-warm-paper"
EFFECTIVE_S: Final = 5.0
"""Seconds within which a change has to work everywhere."""

PATIENCE_S: Final = 20

_addresses = (f"198.18.{number >> 8 & 255}.{number & 255}" for number in itertools.count(1))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client was answered."""

    status: int
    body: Any

    @property
    def text(self) -> str:
        """The text of a tool's result."""
        return str(self.body["result"]["content"][0]["text"])


@dataclass(frozen=True, slots=True)
class OperatedSite:
    """Two workers behind one port, which believe this machine about who a client is."""

    served: Served

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.served.port}"

    def workers(self) -> list[int]:
        """The processes that answer."""
        children = Path(f"/proc/{self.served.pid}/task/{self.served.pid}/children").read_text(
            encoding="ascii"
        )
        return [int(pid) for pid in children.split()]

    def post(
        self,
        server: str,
        method: str,
        *,
        client: str | None = None,
        agent: str = "test",
        **params: Any,  # noqa: ANN401
    ) -> Answer:
        """Send one message by a connection of its own, from a new client unless one is named."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection = HTTPConnection("127.0.0.1", self.served.port, timeout=PATIENCE_S)
        headers = {
            "Content-Type": "application/json",
            "X-Forwarded-For": client or next(_addresses),
            "User-Agent": agent.encode("utf-8").decode("latin-1"),
        }
        connection.request("POST", f"/{server}/mcp", json.dumps(message), headers)
        response = connection.getresponse()
        answer = Answer(response.status, json.loads(response.read()))
        connection.close()
        return answer

    def messages_until_refused(self, server: str, most: int) -> int:
        """How many messages a new client may send, asked for up to one more than so many."""
        client = next(_addresses)
        answers = (self.post(server, "ping", client=client).status for _ in range(most + 1))
        return len(list(itertools.takewhile(lambda status: status == 200, answers)))

    def holds_everywhere(self, is_so: Callable[[], bool]) -> bool:
        """Whether something becomes so, within the time that a change may take, of each worker when alone."""
        until = time.monotonic() + EFFECTIVE_S
        return all(self._becomes_so(is_so, worker, until) for worker in self.workers())

    def _becomes_so(self, is_so: Callable[[], bool], worker: int, until: float) -> bool:
        pause = Event()
        while True:
            with self._alone(worker):
                if is_so():
                    return True
            if time.monotonic() > until:
                return False
            pause.wait(0.1)

    @contextmanager
    def _alone(self, worker: int) -> Iterator[None]:
        """Have the other workers stand still within the block, so that this one answers."""
        others = [pid for pid in self.workers() if pid != worker]
        for pid in others:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in others:
                os.kill(pid, signal.SIGCONT)


@contextmanager
def operated_site(folder: Path) -> Iterator[OperatedSite]:
    """Run the site for the block, with an operator who may do everything."""
    database = f"sqlite:///{folder / 'db.sqlite3'}"
    with running_valkey(folder / "valkey.sock") as valkey:
        environ = {
            "DATABASE_URL": database,
            "REDIS_URL": valkey.url,
            "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1",
            "PAPERTRADE_REQUEST_LOG": "false",
        }
        _manage("migrate", "--verbosity", "0", DATABASE_URL=database)
        made = {"DJANGO_SUPERUSER_PASSWORD": PASSWORD, "DATABASE_URL": database}
        _manage("createsuperuser", "--noinput", "--username", NAME, "--email", "", **made)
        with serving("papertrade_site.wsgi:application", "--workers", "2", environ=environ) as served:
            site = OperatedSite(served)
            site.post("analytics", "ping")
            while len(site.workers()) < 2:
                site.post("analytics", "ping")
            yield site


def _manage(*words: str, **settings: str) -> None:
    command = manage(*words)
    subprocess.run(command, cwd=BASE_DIR, env=newcomers_environ(**settings), check=True, timeout=120)
