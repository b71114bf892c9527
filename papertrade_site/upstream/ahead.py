"""Refreshing copies before they are due, so that whoever asks for them need not wait for a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from papertrade_site.clock import Clock
from papertrade_site.pause import Pause
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

FIRST_PAUSE: Final = Pause(2.0, longest_s=60.0)
"""How long a resource is left alone after its first failure.

How long a source itself wants to be left alone, and what a host that is down is spared, is heeded beneath.
"""


@dataclass(frozen=True, slots=True)
class _LeftAlone:
    """How long a resource is left alone after failing, and until when by the monotonic clock."""

    pause: Pause
    until: float


class Ahead:
    """Refreshes resources for all processes, from one thread of one of them.

    A copy that it makes is an ordinary one: the same key, and the same two limits of age for its readers.
    """

    def __init__(self, *, clients: Clients, reader: CachedReader, clock: Clock) -> None:
        self._clients = clients
        self._reader = reader
        self._clock = clock
        self._left_alone: dict[str, _LeftAlone] = {}

    def refresh(self, resources: Sequence[Resource[Any]]) -> list[Any]:
        """Refresh what is due soon, side by side, and give what is known of all; never raises.

        None stands for a resource that cannot be read, or is left alone because it failed.
        """
        self._forget_old_failures()
        due = [resource for resource in resources if not self._is_left_alone(resource.key)]
        wants = [self._clients.want(replace(each, lifetime=_shortened(each.lifetime))) for each in due]
        budget = CallBudget(self._clock, requests=BOOK_CALL_REQUESTS, seconds=REFRESH_SECONDS)
        outcomes = self._reader.read_many(wants, budget)
        found = {resource.key: outcome for resource, outcome in zip(due, outcomes, strict=True)}
        for key, outcome in found.items():
            self._learn(key, outcome)
        return [_value(found.get(resource.key)) for resource in resources]

    def _is_left_alone(self, key: str) -> bool:
        failed = self._left_alone.get(key)
        return failed is not None and self._clock.monotonic() < failed.until

    def _learn(self, key: str, outcome: Outcome) -> None:
        last = self._left_alone.pop(key, None)
        if isinstance(outcome, UpstreamError) or outcome.degraded:
            pause = FIRST_PAUSE if last is None else last.pause.longer()
            self._left_alone[key] = _LeftAlone(pause, self._clock.monotonic() + pause.seconds)

    def _forget_old_failures(self) -> None:
        """Keep none of what nobody has asked for since; a wallet may leave the leaderboard for good."""
        oldest = self._clock.monotonic() - FIRST_PAUSE.longest_s
        self._left_alone = {key: failed for key, failed in self._left_alone.items() if failed.until > oldest}


def _shortened(lifetime: Lifetime) -> Lifetime:
    early_s = min(EARLY_S, lifetime.fresh_s / 2)
    return replace(lifetime, fresh_s=lifetime.fresh_s - early_s)


def _value(outcome: Outcome | None) -> object:
    return None if outcome is None or isinstance(outcome, UpstreamError) else outcome.value
