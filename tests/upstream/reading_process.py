"""A process that reads one resource through the shared cache; ``test_processes.py`` starts it.

It takes one JSON object as its argument, reads commands from standard input, a line each, and answers
with one JSON line each:

- ``read N``: N threads read at once; answers what each came to.
- ``hang``: begin a read whose fetch never ends; answers ``fetching`` from within that fetch.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from threading import Barrier, Event, Thread
from typing import cast
from urllib.parse import urlsplit

from django.core.cache.backends.redis import RedisCache

from papertrade_site.clock import SystemClock
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.resource import Lifetime, Resource
from papertrade_site.upstream.strict_json import Json
from papertrade_site.upstream.want import Want

CLOCK = SystemClock()


def say(line: Json) -> None:
    print(json.dumps(line), flush=True)


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

    resource: Resource[int] = Resource(
        name="exchange.trading",
        key="trading",
        lifetime=Lifetime(fresh_s=30, stale_s=600),
        fetch=fetch,
        parse=lambda payload, _: int(payload["price"]),
        observed_at_ms=lambda _: None,
    )
    return Want(resource, cast(HttpClient, None), f"simulated {source_url}")


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
