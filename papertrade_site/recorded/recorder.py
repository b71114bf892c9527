"""Recording the venue's past before the venue forgets it, round by round.

A round reads the four histories (protocol and house, hours and days), stores what is new and publishes it
anew. The open bucket is never stored: it changes until it closes. A round that fails in part does the rest;
then the rounds are further and further apart until one is whole again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Final

from django.db import DatabaseError, close_old_connections, transaction

from papertrade_site.background.sole import Unfinished
from papertrade_site.clock import iso
from papertrade_site.env import Source
from papertrade_site.pause import Pause
from papertrade_site.recorded import store
from papertrade_site.recorded.buckets import Told, buckets_of, final_buckets
from papertrade_site.recorded.key import Record, RecordKey, keys_of
from papertrade_site.recorded.published import POINTS, Published, Recorded
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.freshness import State
from papertrade_site.upstream.sources import Sources

EVERY_S: Final = 120.0
"""Seconds between two rounds; an hour's bucket is told by the venue for days."""

FIRST_RETRY: Final = Pause(5.0, longest_s=480.0)
"""Until the round after a first failing one; the longest is still sooner than the recorder counts as late."""

CORRECTIONS_SHOWN: Final = 20
"""Corrected buckets of a record that one round names; more are counted."""

OLD: Final = "The copy is old, and somebody else is refreshing it."

_log = logging.getLogger(__name__)


class Recorder:
    """Records one venue.

    Args:
        origin: which, as in ``RecordKey``.
        sources: gives new sources for one reading of it.
        published: where the record is read by everyone.
    """

    def __init__(self, origin: str, sources: Callable[[], Sources], published: Published) -> None:
        self._keys = keys_of(origin)
        self._is_simulated = origin.startswith(f"{Source.SIMULATED} ")
        self._sources = sources
        self._published = published
        self._retry = FIRST_RETRY

    def round(self, may_go_on: Callable[[], bool]) -> Unfinished | None:
        """Read, store and publish; what fails of it is tried again later and later."""
        told, is_whole = self._read(may_go_on)
        if may_go_on():
            is_whole &= self._keep(told)
        if is_whole:
            self._retry = FIRST_RETRY
            return None
        retry, self._retry = self._retry, self._retry.longer()
        return Unfinished(retry.seconds)

    def _read(self, may_go_on: Callable[[], bool]) -> tuple[dict[RecordKey, Told], bool]:
        """What the venue tells, as far as it can be read, and whether that is all, and fresh.

        One history is read after the other, to end between two. An old copy is kept too, as better than none.
        """
        told: dict[RecordKey, Told] = {}
        faults: dict[RecordKey, str] = {}
        for key in self._keys:
            if not may_go_on():
                break
            sources = self._sources()
            try:
                told[key] = _ask(key, sources)
            except UpstreamError as error:
                faults[key] = str(error)
                continue
            for row in sources.freshness().sources:
                if row.state is State.STALE:
                    faults[key] = row.note or OLD
        if faults:
            _log.warning("Not read: %s. %s", ", ".join(map(str, faults)), next(iter(faults.values())))
        return told, len(told) == len(self._keys) and not faults

    def _keep(self, told: Mapping[RecordKey, Told]) -> bool:
        """Store and publish; whether the database let it."""
        close_old_connections()
        try:
            self._store(told)
            self._publish(told)
        except DatabaseError as error:
            _log.error(
                "Nothing is recorded: the database refuses (%s). `manage.py migrate` makes missing tables.",
                str(error).partition("\n")[0],
            )
            return False
        return True

    def _store(self, told: Mapping[RecordKey, Told]) -> None:
        with transaction.atomic():
            news = {key: store.news_in(key, final_buckets(of_key)) for key, of_key in told.items()}
            if self._is_simulated and any(each.is_of_another_past for each in news.values()):
                _log.warning("The embedded exchange has begun anew with another past: the record is dropped.")
                for key in self._keys:
                    store.forget(key)
                news = {key: store.news_in(key, final_buckets(of_key)) for key, of_key in told.items()}
            for key, each in news.items():
                store.record(key, each)
                store.prune(key, as_of_ms=told[key].source.as_of_ms)
        for key, each in news.items():
            _report(key, each)

    def _publish(self, told: Mapping[RecordKey, Told]) -> None:
        for key in self._keys:
            buckets = store.newest(key, POINTS)
            venues = buckets_of(told[key]).starts_ms if key in told else ()
            oldest_ms = min((*buckets.starts_ms[:1], *venues[:1]), default=0)
            self._published.put(key, Recorded(buckets, store.count_before(key, oldest_ms)))


def _ask(key: RecordKey, sources: Sources) -> Told:
    if key.record is Record.PROTOCOL:
        return sources.history(key.interval)
    return sources.house_history(key.interval)


def _report(key: RecordKey, news: store.News) -> None:
    _log.debug("Recorded: %s, %d points.", key, len(news.points))
    if news.corrections:
        by_bucket = groupby(news.corrections, key=lambda correction: correction.start_ms)
        lines = [f"{iso(start_ms)} {_changes(corrections)}" for start_ms, corrections in by_bucket]
        shown = "; ".join(lines[:CORRECTIONS_SHOWN])
        _log.warning(
            "The venue has corrected what was recorded (%s, buckets: %d): %s.", key, len(lines), shown
        )


def _changes(corrections: Iterable[store.Correction]) -> str:
    return ", ".join(f"{each.column} {each.told} (was {each.recorded})" for each in corrections)
