"""What a call costs each part of the service, measured on two machines of it: for ``deploy/README.md``.

``.venv/bin/python -m tests.growth.sizing`` calls all tools in turn, first slowly and then as fast as the
answers come, and prints what both took. It needs nginx, PostgreSQL and wrk.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final

import psutil
import psycopg

from tests.clients.official import CALLS
from tests.faults.deployment import Site
from tests.growth.callers import tool_call
from tests.growth.machines import Exchange, Service, running_service
from tests.load.http_bench import SCRIPT, SUCCESS
from tests.weighing import cpu_s, family, memory_bytes

BEHIND_A_PROXY: Final = "set_real_ip_from 127.0.0.1;\nreal_ip_header X-Forwarded-For;\n"
"""Lets wrk, which has one address, call as many clients."""

SLOWLY_PER_S: Final = 10
PARTS: Final = {
    "gunicorn": "the site",
    "nginx": "nginx",
    "valkey": "Redis (Valkey)",
    "postgres": "PostgreSQL",
    "track_wallets": "job track_wallets",
    "record_history": "job record_history",
    "roll_up_usage": "job roll_up_usage",
}
"""Parts of the service by a word of their processes' command lines."""

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
SPANS: Final = {
    "usage_usageminute": (5 * 60, MINUTE_MS),
    "usage_sourceminute": (5 * 60, MINUTE_MS),
    "usage_usagehour": (90 * 24, HOUR_MS),
    "usage_sourcehour": (90 * 24, HOUR_MS),
    "usage_clienthour": (9 * 24, HOUR_MS),
    "recorded_protocolpoint": (2 * 365 * 24, HOUR_MS),
    "recorded_housepoint": (2 * 365 * 24, HOUR_MS),
}
"""The tables that grow: the most spans that are kept, and their milliseconds."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that is counted, at one time."""

    at_s: float
    upstream: Counter[str]
    cpu_s: dict[str, float]
    redis: Counter[str]
    redis_us: Counter[str]
    transactions: int
    log_bytes: int


@dataclass(frozen=True, slots=True)
class Phase:
    """What so many calls took, from one snapshot to another."""

    name: str
    calls: int
    before: Snapshot
    after: Snapshot

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return self.after.at_s - self.before.at_s

    def upstream_a_minute(self) -> dict[str, float]:
        """Requests of a minute by path."""
        counts = self.after.upstream - self.before.upstream
        return {path: count * 60 / self.seconds for path, count in sorted(counts.items())}


def snapshot(service: Service) -> Snapshot:
    """Look at all counters."""
    redis: Mapping[str, Mapping[str, Any]] = service.shared.valkey.redis.info("commandstats")
    names = {name: name.removeprefix("cmdstat_") for name in redis}
    return Snapshot(
        at_s=time.monotonic(),
        upstream=Counter(service.shared.exchange.requests()),
        cpu_s={part: cpu_s(processes) for part, processes in _processes().items()},
        redis=Counter({names[name]: int(row["calls"]) for name, row in redis.items()}),
        redis_us=Counter({names[name]: int(row["usec"]) for name, row in redis.items()}),
        transactions=int(
            _ask(service, "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")
        ),
        log_bytes=sum(machine.site.log.stat().st_size for machine in service.machines),
    )


def _processes() -> dict[str, list[psutil.Process]]:
    """The processes below this one, by part."""
    found: dict[str, list[psutil.Process]] = {part: [] for part in PARTS}
    for process in family(os.getpid()):
        with suppress(psutil.NoSuchProcess):
            words = " ".join(process.cmdline())
            part = next((part for part in PARTS if part in words), None)
            if part is not None:
                found[part].append(process)
    return found


def _ask(service: Service, question: str) -> Any:  # noqa: ANN401
    with psycopg.connect(service.shared.database) as connection:
        row = connection.execute(question.encode()).fetchone()
        assert row is not None
        return row[0]


def _calls(exchange: Exchange) -> list[tuple[str, bytes]]:
    """One call of each tool: where it goes, and its body."""
    path = "/state/leaderboard/accounts?page=0&pageSize=25&sortKey=currentOpenNotional&window=all"
    accounts = Site(exchange.port).get(path).json()["accounts"]
    calls = {
        call.name: (f"/{server}/mcp", tool_call(call.name, **call.of(accounts[0]["address"])["arguments"]))
        for server, of_server in CALLS.items()
        for call in of_server
        if not call.refused
    }
    return list(calls.values())


def call_slowly(service: Service, calls: list[tuple[str, bytes]], seconds: int) -> int:
    """Make ``SLOWLY_PER_S`` calls a second, and give how many."""
    pause, ends_at, made = Event(), time.monotonic() + seconds, 0
    site = Site(service.port)
    with ThreadPoolExecutor(SLOWLY_PER_S) as pool:
        while time.monotonic() < ends_at:
            path, body = calls[made % len(calls)]
            client = f"127.33.{made >> 8}.{made & 255}"
            pool.submit(site.post, body.decode(), path.split("/")[1], client=client)
            made += 1
            pause.wait(1 / SLOWLY_PER_S)
    return made


def call_fast(service: Service, calls: list[tuple[str, bytes]], seconds: int, connections: int) -> int:
    """Make as many calls as come back over so many connections, and give how many."""
    words = [SUCCESS, *(word for path, body in calls for word in (path, body.decode()))]
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(SCRIPT)]
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{service.port}", "--", *words], stdout=subprocess.PIPE, check=True
    )
    report: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    if report["wrong"]:
        sys.exit(f"{report['wrong']} of {report['requests']} calls did not succeed.")
    return report["requests"]


def _table(head: str, rows: Mapping[str, tuple[float, ...]]) -> Iterator[str]:
    yield f"\n{head}"
    for name, numbers in rows.items():
        yield f"  {name:40}" + "".join(f"{number:12,.3f}" for number in numbers)


def report(slow: Phase, fast: Phase) -> Iterator[str]:
    """What the phases took, line by line."""
    for phase in (slow, fast):
        rate = phase.calls / phase.seconds
        yield f"{phase.name}: {phase.calls} calls in {phase.seconds:.0f} s, {rate:.0f} per s"
    minutes = [phase.upstream_a_minute() for phase in (slow, fast)]
    paths = sorted({path for each in minutes for path in each})
    rows = {path: tuple(each.get(path, 0.0) for each in minutes) for path in paths}
    rows["all"] = tuple(sum(each.values()) for each in minutes)
    yield from _table("Requests to sources a minute: slow, fast", rows)

    gained = {part: fast.after.cpu_s[part] - fast.before.cpu_s[part] for part in PARTS}
    before = {part: slow.after.cpu_s[part] - slow.before.cpu_s[part] for part in PARTS}
    yield from _table(
        "Processor: share of a core in % when slow; when fast; microseconds a call when fast",
        {
            name: (
                100 * before[part] / slow.seconds,
                100 * gained[part] / fast.seconds,
                1e6 * gained[part] / fast.calls,
            )
            for part, name in PARTS.items()
        },
    )
    commands, spent = fast.after.redis - fast.before.redis, fast.after.redis_us - fast.before.redis_us
    yield from _table(
        "Redis commands when fast: a second, a call, microseconds each",
        {
            name: (count / fast.seconds, count / fast.calls, spent[name] / count)
            for name, count in commands.most_common()
        },
    )
    logged = fast.after.log_bytes - fast.before.log_bytes
    committed = [phase.after.transactions - phase.before.transactions for phase in (slow, fast)]
    yield from _table(
        "Besides: slow, fast",
        {
            "transactions of PostgreSQL a second": (
                committed[0] / slow.seconds,
                committed[1] / fast.seconds,
            ),
            "bytes of log a call": (
                (slow.after.log_bytes - slow.before.log_bytes) / slow.calls,
                logged / fast.calls,
            ),
        },
    )


def memory_report() -> Iterator[str]:
    """The processes of each part and their memory; of a page that several share, each has its part."""
    rows = {
        PARTS[part]: (len(processes), memory_bytes(processes) / 1e6)
        for part, processes in _processes().items()
    }
    yield from _table("Memory: processes, megabytes of all", rows)


def redis_report(service: Service) -> Iterator[str]:
    """What Redis holds: number, bytes and the longest life of keys that begin alike."""
    redis = service.shared.valkey.redis
    numbers, size, life = Counter[str](), Counter[str](), Counter[str]()
    for key in service.shared.valkey.stored_keys():
        words = key.split(":")
        family = ":".join(words[: 4 if words[1] == "usage" else 3])
        numbers[family] += 1
        size[family] += int(redis.memory_usage(key, samples=0) or 0)
        life[family] = max(life[family], int(redis.ttl(key)))
    yield from _table(
        "Keys in Redis: number, kilobytes, longest life left in seconds",
        {name: (count, size[name] / 1000, life[name]) for name, count in numbers.most_common()},
    )
    memory: Mapping[str, int] = redis.info("memory")
    used, most = memory["used_memory"] / 1e6, memory["used_memory_peak"] / 1e6
    yield f"  used_memory {used:.1f} MB, at most {most:.1f} MB"


def database_report(service: Service) -> Iterator[str]:
    """Rows and bytes of the tables that grow: of one span, and of as many as are kept."""
    connections = _ask(service, "SELECT count(*) FROM pg_stat_activity WHERE client_addr IS NOT NULL")
    rows = {}
    for table, (spans, span_ms) in SPANS.items():
        one = _ask(service, f"SELECT count(*) FROM {table} WHERE start_ms = {_fullest(table)}")
        _fill(service, table, spans, span_ms)
        rows[table] = (one, spans, _ask(service, f"SELECT pg_total_relation_size('{table}')") / 1e6)
    yield from _table("Tables: rows of a span, spans kept, megabytes of all", rows)
    yield f"  the whole database {_ask(service, 'SELECT pg_database_size(current_database())') / 1e6:.1f} MB"
    yield f"  connections {connections}"


def _fullest(table: str) -> str:
    """The start of the span of which the table has the most rows."""
    return f"(SELECT start_ms FROM {table} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)"


def _fill(service: Service, table: str, spans: int, span_ms: int) -> None:
    """Repeat the fullest span until the table holds as many as are kept; they end long ago."""
    columns = _ask(
        service,
        "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
        f" WHERE table_name = '{table}' AND column_name NOT IN ('id', 'start_ms')",
    )
    with psycopg.connect(service.shared.database) as connection:
        connection.execute(
            f"INSERT INTO {table} (start_ms, {columns})"
            f" SELECT span * {span_ms}, {columns} FROM {table}, generate_series(1, {spans}::bigint) AS span"
            f" WHERE start_ms = {_fullest(table)}".encode()
        )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of each of the two loads")
    parser.add_argument("--connections", type=int, default=16, help="of the fast load")
    options = parser.parse_args()
    with (
        TemporaryDirectory(prefix="pt-") as folder,
        running_service(Path(folder), nginx=BEHIND_A_PROXY) as service,
    ):
        calls = _calls(service.shared.exchange)
        call_slowly(service, calls, 3)  # warms what can be warm

        def phase(name: str, make: Callable[[Service, list[tuple[str, bytes]], int], int]) -> Phase:
            before = snapshot(service)
            made = make(service, calls, options.seconds)
            return Phase(name, made, before, snapshot(service))

        slow = phase("slow", call_slowly)
        fast = phase("fast", partial(call_fast, connections=options.connections))
        for lines in (
            report(slow, fast),
            memory_report(),
            redis_report(service),
            database_report(service),
        ):
            print(*lines, sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
