"""The whole service as `make run` starts it: gunicorn, Valkey and the embedded exchange."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from papertrade_site.env import BASE_DIR
from tests.clients.official import HOSTS
from tests.ports import free_pair

LAST_LINE: Final = "Ctrl-C stops everything."
GONE_SECONDS: Final = 40


@dataclass(frozen=True, slots=True)
class Service:
    """The service, its first process, where it is reached, and the wallet of a trader who holds positions."""

    port: int
    trader: str
    pid: int

    def by_path(self, server: str) -> str:
        """A server's endpoint by path."""
        return f"http://127.0.0.1:{self.port}/{server}/mcp"

    def by_host(self, server: str) -> str:
        """A server's endpoint on its own host."""
        return f"http://{HOSTS[server]}:{self.port}/mcp"


@contextmanager
def running_service(folder: Path, **settings: str) -> Iterator[Service]:
    """Run the service for the block; it trusts this machine to say which client a request is from."""
    port = free_pair()
    environ = {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "PORT": str(port),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "PAPERTRADE_LIQUIDATIONS_HOST": HOSTS["liquidations"],
        "PAPERTRADE_ANALYTICS_HOST": HOSTS["analytics"],
        "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1",
        "PAPERTRADE_LOG_LEVEL": "WARNING",
        **settings,
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run"],
            cwd=BASE_DIR,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            if LAST_LINE not in (line.strip() for line in process.stdout):
                raise RuntimeError(f"The service did not start: {(folder / 'log').read_text('utf-8')}")
            yield Service(port, _trader(port + 1), process.pid)
        finally:
            process.terminate()
            process.communicate(timeout=GONE_SECONDS)


def _trader(exchange_port: int) -> str:
    path = "/state/leaderboard/accounts?page=0&pageSize=20&sortKey=currentOpenNotional&window=all"
    with urlopen(f"http://127.0.0.1:{exchange_port}{path}", timeout=30) as answer:
        return str(json.load(answer)["accounts"][0]["address"])
