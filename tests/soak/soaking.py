"""One soak: the whole service as ``make run`` starts it, asked at a steady rate while its sources flap."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event
from typing import Final
from urllib.request import urlopen

from redis import Redis

from tests.clients.service import Service, running_service
from tests.soak.asks import Mix
from tests.soak.flapping import Flapper, plan
from tests.soak.load import Connections, Load
from tests.soak.verdict import Bounds, Soaked
from tests.soak.watch import LockWatch, Sample, kept_for_good, sample_of_cache, samples
from tests.weighing import family

WORKERS: Final = 2
SAMPLES: Final = 240
LEAST_PAUSE_S: Final = 0.5
WALLETS: Final = 60
SIGNS_OF_A_BUG: Final = ("Traceback", "; starting it again", "raised what it should not")
SHOWN_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Soak:
    """What a soak is to be.

    Attributes:
        seconds: of asking.
        rate: requests in a second.
        warm_up_s: how many of the seconds go by before memory is watched.
        bounds: what may grow.
        seed: of requests and faults.
    """

    seconds: float
    rate: float
    warm_up_s: float
    bounds: Bounds = field(default_factory=Bounds)
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Tick:
    """What is known some seconds after the beginning."""

    seconds: float
    load: Load
    samples: list[Sample]


def soak(wanted: Soak, folder: Path, watch: Callable[[Tick], object] = lambda _: None) -> Soaked:
    """Run a soak, and give all that it found.

    Args:
        wanted: what it is to be.
        folder: a private one, for all that the service keeps; its path is short enough for a socket in it.
        watch: is told how it goes, with every sample.
    """
    with running_service(folder, WEB_CONCURRENCY=str(WORKERS), TMPDIR=str(folder)) as service:
        return _soak(wanted, service, folder, watch)


def _soak(wanted: Soak, service: Service, folder: Path, watch: Callable[[Tick], object]) -> Soaked:
    (cache,) = folder.glob("papertrade-*/valkey.sock")
    dice = Random(wanted.seed)
    exchange = service.port + 1
    flapper = Flapper(exchange, plan(wanted.seconds, dice))
    connections = Connections(service.port)
    load = Load(connections.ask, Mix(dice, _wallets(exchange)).draw, rate=wanted.rate)
    processes = family(service.pid)
    taken: list[Sample] = []
    stuck: list[str] = []
    stop, over = Event(), Event()

    def asking() -> None:
        try:
            load.run(wanted.seconds, stop)
        finally:
            over.set()

    with Redis(unix_socket_path=str(cache), decode_responses=True) as redis, ThreadPoolExecutor(2) as pool:
        locks = LockWatch(redis)
        flapping, asked = pool.submit(flapper.run, over), pool.submit(asking)
        began = time.monotonic()
        try:
            while not over.wait(max(wanted.seconds / SAMPLES, LEAST_PAUSE_S)):
                last = [*samples(processes, port=service.port), sample_of_cache(redis)]
                stuck += locks.stuck()
                if (gone_s := time.monotonic() - began) >= wanted.warm_up_s:
                    taken += last
                watch(Tick(gone_s, load, last))
        finally:
            stop.set()
        for done in (asked, flapping):
            done.result()
        connections.close()
        stuck += [f"{key} never expires" for key in kept_for_good(redis)]
    return Soaked(
        samples=taken,
        wanted_s=wanted.seconds,
        rate=wanted.rate,
        tally=load.tally,
        faults_tried=frozenset(flapper.tried),
        stuck=stuck,
        log=[*_bugs(folder / "log")],
        bounds=wanted.bounds,
    )


def _wallets(exchange_port: int) -> list[str]:
    path = f"/state/leaderboard/accounts?page=0&pageSize={WALLETS}&sortKey=currentOpenNotional&window=all"
    with urlopen(f"http://127.0.0.1:{exchange_port}{path}", timeout=30) as answer:
        return [str(row["address"]) for row in json.load(answer)["accounts"]]


def _bugs(log: Path) -> Iterator[str]:
    """Lines of the service's log that tell of a bug, or of a process that had to be started again."""
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if any(sign in line for sign in SIGNS_OF_A_BUG):
                yield line.strip()[:SHOWN_CHARACTERS]
