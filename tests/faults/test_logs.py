"""Standard error that takes nothing: its disk is full, or it was closed."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from papertrade_site.env import BASE_DIR
from papertrade_site.ops.runner import answers_ok
from tests.faults.deployment import Deployment, deployed, within
from tests.limits.valkey import OwnValkey
from tests.ports import free_pair
from tests.running import newcomers_environ

START_S = 30
STOP_S = 40
FULL_DISK = Path("/dev/full")
CLOSED = ["sh", "-c", 'exec "$0" "$@" 2>&-']

pytestmark = pytest.mark.slow


@contextmanager
def _without_standard_error(redis_url: str, database: Path) -> Iterator[Deployment]:
    """Serve the site with that descriptor closed, so that whatever is opened first has its number."""
    port = free_pair()
    environ = newcomers_environ(
        PORT=str(port),
        REDIS_URL=redis_url,
        DATABASE_URL=f"sqlite:///{database}",
        PAPERTRADE_SECRET_KEY="only-for-tests-" * 4,
        WEB_CONCURRENCY="1",
    )
    command = [*CLOSED, sys.executable, "-m", "gunicorn"]
    with subprocess.Popen(command, cwd=BASE_DIR, env=environ, stdout=subprocess.DEVNULL) as process:
        try:
            assert within(START_S, lambda: answers_ok(port, "/healthz"))
            yield Deployment(port, process.pid, Path(database))
        finally:
            process.terminate()
            process.wait(STOP_S)


def _uses(site: Deployment) -> None:
    """Have it log what it can: requests well and badly sent, and what no view foresaw."""
    statuses = [site.ping().status for _ in range(10)]
    statuses += [site.get(path).status for path in ("/", "/nothing", "/analytics/docs/mcp", "/metrics")]
    with closing(HTTPConnection("127.0.0.1", site.port, timeout=START_S)) as connection:
        connection.putrequest("GET", "/", skip_host=True)
        connection.putheader("Host", "a b")
        connection.endheaders()
        statuses.append(connection.getresponse().status)
    assert statuses == [200] * 10 + [200, 404, 200, 200, 400]


def test_a_full_disk_under_the_log_keeps_nothing_from_being_answered(
    valkey: OwnValkey, database: Path
) -> None:
    with deployed(redis_url=valkey.url, database=database, log=FULL_DISK) as site:
        _uses(site)
        valkey.kill()  # of which there is something to log
        _uses(site)
        assert within(START_S, lambda: "papertrade_unlogged_requests_total 0.0" not in _metrics(site))
    valkey.start()


@contextmanager
def _full_pipe(path: Path) -> Iterator[int]:
    """A pipe that takes nothing, since nobody reads it; gives the end that could be read."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        with suppress(BlockingIOError):
            while True:
                os.write(writer, b"x" * 512)
        yield reader
    finally:
        os.close(writer)
        os.close(reader)


def test_a_full_pipe_that_nobody_reads_keeps_nothing_from_being_answered(
    valkey: OwnValkey, database: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    with _full_pipe(pipe) as reader, deployed(redis_url=valkey.url, database=database, log=pipe) as site:
        _uses(site)
        valkey.kill()  # of which the requests themselves have something to log
        _uses(site)
        said = b""
        while b"The shared counters failed" not in said:  # once it is read, the lines that waited come
            said = said[-100:] + _next_of(reader)
    valkey.start()


def _next_of(reader: int) -> bytes:
    readable, _, _ = select.select([reader], [], [], START_S)
    assert readable, "nothing more comes"
    return os.read(reader, 65536)


def test_a_closed_standard_error_keeps_nothing_from_being_answered_and_writes_nowhere_else(
    valkey: OwnValkey, database: Path
) -> None:
    with _without_standard_error(valkey.url, database) as site:
        _uses(site)
        assert within(START_S, lambda: "papertrade_unlogged_requests_total 0.0" not in _metrics(site))
        assert "papertrade_redis_failures_total 0.0" in _metrics(site)


def _metrics(site: Deployment) -> str:
    return site.get("/metrics").body.decode()
