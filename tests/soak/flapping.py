"""Sources that flap: which path of the embedded exchange misbehaves when, and in which way."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import islice, product
from random import Random
from threading import Event
from typing import Final

from papertrade_site.simulator.faults import FAULTS
from papertrade_site.simulator.routes import GET_ROUTES, POST_ROUTES
from papertrade_site.simulator.venue import STREAM_PATH
from tests.soak.load import PATIENCE_S

PATHS: Final = (*GET_ROUTES, *POST_ROUTES, STREAM_PATH)
ROUND_S: Final = 4.0
SPELL_S: Final = 3.0
AT_ONCE: Final = 4
"""New spells of each round, so that all faults come up within 30 s."""

BOOKS: Final = "/info"
BOOKS_EVERY_S: Final = 90.0
BOOKS_AWAY_S: Final = 20.0
"""Longer than a copy of an order book may be shown."""

LONG_PATH: Final = "/query/protocol/queue-summary"
LONG_S: Final = 660.0
"""Longer than a copy of anything may be shown."""


@dataclass(frozen=True, slots=True)
class Spell:
    """A path that misbehaves for a while; times in seconds from the beginning."""

    begins: float
    ends: float
    path: str
    fault: str


def plan(seconds: float, dice: Random) -> list[Spell]:
    """Every fault at least once; the spells that follow outlast copies, and are on top of the others."""
    return [*_short(seconds, dice), *_books(seconds), *_long(seconds)]


def in_force(spells: Sequence[Spell], at: float) -> dict[str, str]:
    """The fault of each path that misbehaves at a time."""
    return {spell.path: spell.fault for spell in spells if spell.begins <= at < spell.ends}


def _short(seconds: float, dice: Random) -> Iterator[Spell]:
    first = dice.sample(list(FAULTS), len(FAULTS))
    paths = dice.sample([path for path in PATHS if path != BOOKS], len(PATHS) - 1)
    once = [(paths[number % len(paths)], fault) for number, fault in enumerate(first)]
    every = list(product(PATHS, FAULTS))
    pairs = [*once, *dice.sample(every, len(every)), *dice.choices(every, k=round(seconds))]
    rounds = int(seconds / ROUND_S)
    for number, (path, fault) in enumerate(islice(pairs, rounds * AT_ONCE)):
        begins = number // AT_ONCE * ROUND_S
        yield Spell(begins, begins + SPELL_S, path, fault)


def _books(seconds: float) -> Iterator[Spell]:
    for number in range(int(seconds / BOOKS_EVERY_S) + 1):
        at = BOOKS_AWAY_S / 4 + number * BOOKS_EVERY_S
        yield Spell(at, at + BOOKS_AWAY_S, BOOKS, ("reset", "hang", "broken_json")[number % 3])


def _long(seconds: float) -> Iterator[Spell]:
    if seconds > LONG_S * 1.5:
        begins = seconds - LONG_S * 1.2
        yield Spell(begins, begins + LONG_S, LONG_PATH, "html_500")


class Flapper:
    """Has the embedded exchange misbehave as planned.

    Attributes:
        tried: names of the faults that were in force so far.
    """

    def __init__(self, port: int, spells: Sequence[Spell]) -> None:
        self.tried: set[str] = set()
        self._port = port
        self._spells = spells

    def run(self, stop: Event) -> None:
        """Go through the plan until told to stop; no fault is in force afterwards."""
        began, now_in_force = time.monotonic(), dict[str, str]()
        while not stop.wait(0.25):
            wanted = in_force(self._spells, time.monotonic() - began)
            if wanted != now_in_force:
                self._put(wanted)
                now_in_force = wanted
        self._put({})

    def _put(self, faults: dict[str, str]) -> None:
        self._tell("DELETE")
        for path, fault in faults.items():
            self._tell("POST", {"path": path, "fault": fault})
        self.tried |= set(faults.values())

    def _tell(self, method: str, document: dict[str, str] | None = None) -> None:
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)) as connection:
            connection.request(method, "/_simulator/faults", json.dumps(document or {}))
            response = connection.getresponse()
            said = response.read()
            if response.status != 200:
                raise RuntimeError(f"The exchange does not misbehave as told: {said!r}")
