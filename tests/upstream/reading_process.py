"""A process that reads the price through the shared cache, and the handle of whoever starts it.

The process takes one JSON object as its argument, reads commands from standard input, a line each, and
answers with one JSON line each:

- ``read N``: N threads read at once; answers what each came to.
- ``hang``: begin a read whose fetch never ends; answers ``fetching`` from within that fetch.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Barrier, Event, Thread
from urllib.parse import urlsplit

from django.core.cache.backends.redis import RedisCache

from papertrade_site.clock import SystemClock
from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.want import Want
from tests.upstream.prices import price_want

PROJECT = Path(__file__).parents[2]
CLOCK = SystemClock()


def say(line: Json) -> None:
    print(json.dumps(line), flush=True)


class ReadingProcess:
    """Starts a process of this file and talks to it.

    ``source_url`` is a price server's; ``lock_s`` is when the lock of a refresher that died is free.
    """

    def __init__(self, *, redis_url: str, source_url: str, lock_s: int = 15) -> None:
        options = {"redis": redis_url, "source": source_url, "lockSeconds": lock_s}
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(PROJECT), "DJANGO_SETTINGS_MODULE": "papertrade_site.settings"},
        )

    def tell(self, command: str) -> None:
        """Give it one command."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()

    def hear(self) -> Json:
        """Wait for its next answer."""
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.communicate()

    def finish(self) -> None:
        """Let it end once it has nothing left to do."""
        self._process.communicate(timeout=60)


def want(source_url: str, *, hangs: bool) -> Want[int]:
    def fetch(_client: HttpClient, _budget: CallBudget) -> Json:
        if hangs:
            say("fetching")
            Event().wait()
        connection = HTTPConnection(urlsplit(source_url).netloc, timeout=10)
        connection.request("GET", "/price")
        payload = json.loads(connection.getresponse().read())
        connection.close()
        return payload

    return price_want(fetch, origin=f"simulated {source_url}")


def read_together(reader: CachedReader, source_url: str, threads: int) -> list[Json]:
    together = Barrier(threads)

    def read() -> Json:
        together.wait(10)
        try:
            return reader.read(want(source_url, hangs=False), CallBudget(CLOCK)).value
        except UpstreamError as error:
            return type(error).__name__

    with ThreadPoolExecutor(threads) as pool:
        return [each.result() for each in [pool.submit(read) for _ in range(threads)]]


def main() -> None:
    options = json.loads(sys.argv[1])
    cache = RedisCache(
        options["redis"],
        {"OPTIONS": {"serializer": "papertrade_site.upstream.serializer.JsonSerializer"}},
    )
    reader = CachedReader(cache, CLOCK, waiters=64, lock_s=options["lockSeconds"])
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "read":
            say(read_together(reader, options["source"], int(arguments[0])))
        elif command == "hang":
            hanging = want(options["source"], hangs=True)
            Thread(target=reader.read, args=(hanging, CallBudget(CLOCK)), daemon=True).start()
    reader.close()


if __name__ == "__main__":
    main()
