"""Refreshing copies before they are due, so that whoever asks for them need not wait for a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from papertrade_site.clock import Clock
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.copies import Outcome
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.failures import FAIR_CHANCE_S
from papertrade_site.upstream.resource import Lifetime, Resource

EARLY_S: Final = 10.0
"""Seconds before its due time that a copy is refreshed; half its fresh time where that is less."""

REFRESH_SECONDS: Final = FAIR_CHANCE_S + 1.0
"""The longest that one refresh may take: long enough that a source that hangs is known to everyone."""

FIRST_PAUSE_S: Final = 2.0
LONGEST_PAUSE_S: Final = 60.0
"""Seconds that a resource is left alone after its first failure, doubled with every further one up to here.

How long a source itself wants to be left alone, and what a host that is down is spared, is heeded beneath.
"""


@dataclass(frozen=True, slots=True)
class _Pause:
    """How long a resource is left alone after failing, and until when by the monotonic clock."""

    seconds: float
    until: float


class Ahead:
    """Refreshes resources for all processes, from one thread of one of them.

    A copy that it makes is an ordinary one: the same key, and the same two limits of age for its readers.
    """

    def __init__(self, *, clients: Clients, reader: CachedReader, clock: Clock) -> None:
        self._clients = clients
        self._reader = reader
        self._clock = clock
        self._pauses: dict[str, _Pause] = {}

    def refresh(self, resources: Sequence[Resource[Any]]) -> list[Any]:
        """Refresh what is due soon, side by side, and give what is known of all; never raises.

        None stands for a resource that cannot be read, or is left alone because it failed.
        """
        self._forget_old_pauses()
        due = [resource for resource in resources if not self._is_paused(resource.key)]
        wants = [self._clients.want(replace(each, lifetime=_shortened(each.lifetime))) for each in due]
        budget = CallBudget(self._clock, requests=BOOK_CALL_REQUESTS, seconds=REFRESH_SECONDS)
        outcomes = self._reader.read_many(wants, budget)
        found = {resource.key: outcome for resource, outcome in zip(due, outcomes, strict=True)}
        for key, outcome in found.items():
            self._learn(key, outcome)
        return [_value(found.get(resource.key)) for resource in resources]

    def _is_paused(self, key: str) -> bool:
        pause = self._pauses.get(key)
        return pause is not None and self._clock.monotonic() < pause.until

    def _learn(self, key: str, outcome: Outcome) -> None:
        last = self._pauses.pop(key, None)
        if isinstance(outcome, UpstreamError) or outcome.degraded:
            seconds = FIRST_PAUSE_S if last is None else min(2 * last.seconds, LONGEST_PAUSE_S)
            self._pauses[key] = _Pause(seconds, self._clock.monotonic() + seconds)

    def _forget_old_pauses(self) -> None:
        """Keep none of what nobody has asked for since; a wallet may leave the leaderboard for good."""
        oldest = self._clock.monotonic() - LONGEST_PAUSE_S
        self._pauses = {key: pause for key, pause in self._pauses.items() if pause.until > oldest}


def _shortened(lifetime: Lifetime) -> Lifetime:
    early_s = min(EARLY_S, lifetime.fresh_s / 2)
    return replace(lifetime, fresh_s=lifetime.fresh_s - early_s)


def _value(outcome: Outcome | None) -> object:
    return None if outcome is None or isinstance(outcome, UpstreamError) else outcome.value
