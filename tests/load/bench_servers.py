"""The servers that are measured side by side, and what they stand on."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from django.core.management.utils import get_random_secret_key

from papertrade_site.ops.children import Child
from papertrade_site.ops.runner import answers_ok
from papertrade_site.ops.valkey import answers_ping, valkey_command
from tests.ports import free_pair
from tests.serving import serving
from tests.weighing import MEBIBYTE, cpu_s, memory_bytes, of_session

ROOT = Path(__file__).parents[2]
START_S = 60
SDK_WORKERS = 2
NODE_SERVER = Path(__file__).with_name("node") / "server.mjs"
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server is reached, and the session that all of its processes are in."""

    url: str
    session: int

    def cpu_s(self) -> float:
        """Seconds of processor time that its living processes have used (Linux)."""
        return cpu_s(of_session(self.session))

    def memory_mb(self) -> float:
        """MiB that its processes take; of a page that several share, each has its part (Linux)."""
        return memory_bytes(of_session(self.session)) / MEBIBYTE


@dataclass(frozen=True, slots=True)
class Site:
    """The project's processes: the site as it is, the same without limits and counts, and the exchange.

    ``serve`` starts another application of the site beside them, with options of gunicorn after its name.
    """

    limited: Server
    unlimited: Server
    exchange: str
    serve: Callable[..., Server]


@contextmanager
def running_site() -> Iterator[Site]:
    """Start all that ``make run`` starts for calls, and the site with and without limits and counts."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="pt-")))
        cache, exchange = folder / "valkey.sock", free_pair()
        environ = os.environ | {
            "DJANGO_SETTINGS_MODULE": "papertrade_site.settings",
            "REDIS_URL": f"unix://{cache}",
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
            "PAPERTRADE_SOURCE": "simulated",
            "PAPERTRADE_SIMULATOR_PORT": str(exchange),
            "PAPERTRADE_SECRET_KEY": get_random_secret_key(),
            "PAPERTRADE_TRUSTED_PROXIES": "127.0.0.1",
            "PAPERTRADE_LOG_LEVEL": "WARNING",
            "PAPERTRADE_REQUEST_LOG": "false",
            "PYTHONHASHSEED": "0",  # or servers that are the same would differ in the order of their sets
        }
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, env=environ, cwd=ROOT, check=True)
        _run(stack, valkey_command(cache), environ, until=lambda: answers_ping(cache))
        simulate = [sys.executable, "manage.py", "simulate_exchange", "--port", str(exchange)]
        _run(stack, simulate, environ, until=lambda: answers_ok(exchange, "/relayer/health"))
        _run(stack, [sys.executable, "manage.py", "track_wallets"], environ, until=lambda: True)
        serve = partial(_gunicorn, stack, environ)
        limited = serve("papertrade_site.wsgi:application")
        unlimited = serve("tests.load.unlimited_wsgi:application")
        yield Site(limited, unlimited, f"http://127.0.0.1:{exchange}", serve)


@contextmanager
def running_bare_view() -> Iterator[Server]:
    """Start the bare Django view under the site's own gunicorn settings."""
    with ExitStack() as stack:
        yield _gunicorn(stack, {}, "tests.load.bare_wsgi:application")


@contextmanager
def running_sdk(python: Path, told: Mapping[str, Any]) -> Iterator[Server]:
    """Start the official Python SDK's server, whose answers are about as long as ``told`` says."""
    port = free_pair()
    environ = os.environ | {"SDK_BENCH": json.dumps(told)}
    options = f"--port {port} --workers {SDK_WORKERS} --loop uvloop --http httptools --no-proxy-headers"
    quiet = "--no-access-log --log-level warning"
    module = [str(python), "-m", "uvicorn", "tests.load.sdk_server:app"]
    with ExitStack() as stack:
        command = [*module, *options.split(), *quiet.split()]
        session = _run(stack, command, environ, until=lambda: _accepts(port))
        yield Server(f"http://127.0.0.1:{port}", session)


@contextmanager
def running_node_sdk(told: Mapping[str, Any]) -> Iterator[Server | None]:
    """Start the official TypeScript SDK's server likewise; where it is not installed there is none."""
    node = shutil.which("node")
    if node is None or not (NODE_SERVER.parent / "node_modules" / "installed").exists():
        yield None
        return
    port = free_pair()
    environ = os.environ | {"SDK_BENCH": json.dumps(told)}
    with ExitStack() as stack:
        command = [node, str(NODE_SERVER), str(port), str(SDK_WORKERS)]
        session = _run(stack, command, environ, until=lambda: _accepts(port))
        yield Server(f"http://127.0.0.1:{port}", session)


def post(url: str, call: Mapping[str, Any]) -> bytes:
    """The body of the answer to one call.

    Raises:
        HTTPStatusError: when it is not a success.
    """
    return httpx.post(url, json=call, headers=HEADERS, timeout=30).raise_for_status().content


def _gunicorn(stack: ExitStack, environ: Mapping[str, str], application: str, *options: str) -> Server:
    served = stack.enter_context(serving(application, *options, environ=environ))
    return Server(f"http://127.0.0.1:{served.port}", served.pid)


def _accepts(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def _run(
    stack: ExitStack, command: list[str], environ: Mapping[str, str], *, until: Callable[[], bool]
) -> int:
    child = Child(command[2], command, {**environ, "PYTHONPATH": str(ROOT)})
    child.start()
    stack.callback(child.stop)
    deadline = time.monotonic() + START_S
    while not until():
        if child.has_died or time.monotonic() > deadline:
            raise SystemExit(f"{' '.join(command)} did not start.")
        time.sleep(0.05)
    assert child.process is not None
    return child.process.pid
