"""Failures that are remembered for a moment, so that not every caller asks a dead source again."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.rows import CacheKeys
from papertrade_site.upstream.strict_json import Json

HOLD_S = 3
"""Seconds that a failure is remembered when the source names no time to wait."""

MAX_HOLD_S = 300
"""The longest that a failure is remembered, whatever the source asks for."""

FAIR_CHANCE_S = 4.0
"""A time-out after less than this says more about the caller's budget than about the source."""

_KINDS: tuple[type[UpstreamError], ...] = (
    UnreachableError,
    SlowError,
    BusyError,
    MissingError,
    UnexpectedError,
)
_KIND_BY_NAME = {kind.__name__: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed refresh and the time until which it stands, in ms."""

    kind: type[UpstreamError]
    message: str
    source: str
    until_ms: int

    def holds(self, now_ms: int) -> bool:
        """Whether it still stands; one that would stand longer than any may is not believed."""
        return 0 < self.until_ms - now_ms <= MAX_HOLD_S * 1000

    def error(self, now_ms: int) -> UpstreamError:
        """The error again, with the seconds that are left to wait, at least 1."""
        wait_s = max(ceil((self.until_ms - now_ms) / 1000), 1)
        return self.kind(self.message, source=self.source, retry_after_s=wait_s)

    def row(self, keys: CacheKeys) -> Json:
        """The stored form."""
        return {
            "origin": keys.origin,
            "key": keys.key,
            "kind": self.kind.__name__,
            "message": self.message,
            "source": self.source,
            "untilMs": self.until_ms,
        }


def hold_s(error: UpstreamError) -> int:
    """Seconds to remember an error: as long as the source asks for, 1 to ``MAX_HOLD_S``."""
    return min(max(error.retry_after_s or HOLD_S, 1), MAX_HOLD_S)


def failure_of(error: UpstreamError, now_ms: int) -> Failure:
    """What is remembered of an error that came up now."""
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), UnreachableError)
    return Failure(kind, str(error), error.source, now_ms + hold_s(error) * 1000)


def parse_failure(keys: CacheKeys, row: Json) -> Failure | None:
    """Read a stored failure back; None when it is none of these keys."""
    if not keys.owns(row):
        return None
    kind = _KIND_BY_NAME.get(str(row.get("kind")))
    message, source, until_ms = row.get("message"), row.get("source"), row.get("untilMs")
    if kind is None or not isinstance(until_ms, int):
        return None
    if not isinstance(message, str) or not isinstance(source, str):
        return None
    return Failure(kind, message, source, until_ms)


def is_the_callers_own(error: UpstreamError, *, seconds_given: float) -> bool:
    """Whether an error comes from the caller's own budget, so that other callers have no use for it."""
    if isinstance(error, BudgetSpentError):
        return True
    return isinstance(error, SlowError) and seconds_given < FAIR_CHANCE_S
