"""Failures that are remembered for a moment, so that not every caller asks a dead source again."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from papertrade_site.clock import Clock
from papertrade_site.strict_json import Json
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.labels import sentence
from papertrade_site.upstream.rows import MACHINE_SKEW_MS, CacheKeys

HOLD_S = 3
"""Seconds that a failure is remembered when the source names no time to wait."""

MAX_HOLD_S = 300
"""The longest that a failure is remembered, whatever the source asks for."""

FAIR_CHANCE_S = 3.0
"""A time-out after less than this says more about the caller's budget than about the source.

A refresh that a previous copy stands behind gets just this long, so that a source that hangs is remembered.
"""

_SENTENCES: dict[type[UpstreamError], str] = {
    UnreachableError: "{} could not be reached a moment ago.",
    SlowError: "{} did not answer in time a moment ago.",
    BusyError: "{} takes no further request right now.",
    MissingError: "There is nothing at the address of {}.",
    UnexpectedError: "The answer of {} could not be used a moment ago.",
}
"""What is said of a failure that another process met; its own words are not taken from the cache."""

_KIND_BY_NAME = {kind.__name__: kind for kind in _SENTENCES}


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed refresh that stands for ``hold_s`` seconds.

    ``until_ms`` says until when by the wall clock, for other processes; ``until_s`` by the monotonic one.
    """

    kind: type[UpstreamError]
    what: str
    source: str
    advice: str
    hold_s: int
    until_ms: int
    until_s: float

    def holds(self, clock: Clock) -> bool:
        """Whether it still stands."""
        return clock.monotonic() < self.until_s

    def error(self, clock: Clock) -> UpstreamError:
        """The error again, with the seconds that are left to wait, at least 1."""
        wait_s = max(ceil(self.until_s - clock.monotonic()), 1)
        return self.kind(self.what, source=self.source, advice=self.advice, retry_after_s=wait_s)

    def row(self, keys: CacheKeys) -> Json:
        """The stored form."""
        return {
            "origin": keys.origin,
            "key": keys.key,
            "kind": self.kind.__name__,
            "holdS": self.hold_s,
            "untilMs": self.until_ms,
        }


def failure_of(error: UpstreamError, clock: Clock) -> Failure:
    """What is remembered of an error that came up now.

    It stands as long as the source asks to be left alone, from 1 s to ``MAX_HOLD_S``, or ``HOLD_S``.
    """
    kind = next((kind for kind in _SENTENCES if isinstance(error, kind)), UnreachableError)
    hold_s = min(max(error.retry_after_s or HOLD_S, 1), MAX_HOLD_S)
    return Failure(
        kind,
        error.what,
        error.source,
        error.advice,
        hold_s=hold_s,
        until_ms=clock.now_ms() + hold_s * 1000,
        until_s=clock.monotonic() + hold_s,
    )


def parse_failure(keys: CacheKeys, row: Json, *, source: str, clock: Clock) -> Failure | None:
    """Read back the stored failure of a source.

    None when it is none of these keys, is over, or would stand for longer than it was to stand at all.
    """
    if not keys.owns(row):
        return None
    kind = _KIND_BY_NAME.get(str(row.get("kind")))
    hold_s, until_ms = row.get("holdS"), row.get("untilMs")
    if kind is None or type(hold_s) is not int or type(until_ms) is not int:
        return None
    left_ms = until_ms - clock.now_ms()
    if not 1 <= hold_s <= MAX_HOLD_S or not 0 < left_ms <= hold_s * 1000 + MACHINE_SKEW_MS:
        return None
    return Failure(
        kind,
        sentence(_SENTENCES[kind], source),
        source,
        advice="",
        hold_s=hold_s,
        until_ms=until_ms,
        until_s=clock.monotonic() + left_ms / 1000,
    )


def is_the_callers_own(error: UpstreamError, *, seconds_given: float) -> bool:
    """Whether an error comes from the caller's own budget, so that other callers have no use for it."""
    if isinstance(error, BudgetSpentError):
        return True
    return isinstance(error, SlowError) and seconds_given < FAIR_CHANCE_S
