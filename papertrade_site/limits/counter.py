"""Counting a request against the allowances that it has to fit, through django-ratelimit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from django.http import HttpRequest
from django_ratelimit.core import get_usage

from papertrade_site.limits.bounds import WINDOW_S
from papertrade_site.limits.cache import Counting, current
from papertrade_site.limits.charge import Charge, Counter
from papertrade_site.limits.client import client_key

NOMINAL_RATE: Final = (1, WINDOW_S)
"""The rate is part of the counter's key: were it the real one, a changed limit would forget every count."""

KEPT_AFTER_S: Final = 5
"""Seconds that a counter outlives its window, for clocks that differ; django-ratelimit does the same."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may come within a window.

    Attributes:
        name: tells its counters from those of others.
        limit: messages within a window.
        seconds: of a window.
        owner: who has it, in a word that tells nobody's name or address; None for the request's client.
    """

    name: str
    limit: int
    seconds: int
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How an allowance stands after a request.

    Attributes:
        is_refused: whether the request did not fit it.
        remaining: messages that may still come in this window.
        reset_s: whole seconds, at least 1, after which a new window has begun.
    """

    is_refused: bool
    remaining: int
    reset_s: int


def count_request(
    request: HttpRequest, *, cost: int, allowances: Sequence[Allowance]
) -> list[Standing] | None:
    """Count a request; it fits all of its allowances, or takes 1 of the first and nothing of the others.

    Args:
        request: it says who the client is.
        cost: of the request in messages.
        allowances: what it has to fit; the first is the client's own and of ``WINDOW_S``.

    Returns:
        How each allowance stands then; None when the limiter is switched off (``RATELIMIT_ENABLE``).
    """
    first, windows = allowances[0], [_window(request, allowance) for allowance in allowances[1:]]
    charge = Charge(cost, first.limit, tuple([counter for counter, _ in windows]))
    counting = Counting(charge)
    token = current.set(counting)
    try:
        usage = get_usage(request, group=first.name, key=_client, rate=NOMINAL_RATE, increment=True)
    finally:
        current.reset(token)
    if usage is None:
        return None
    # A window ends with the second that is named as its last, not with that second's beginning.
    resets = [max(usage["time_left"] + 1, 1), *[reset_s for _, reset_s in windows]]
    reached, stays = counting.counts, charge.counted(counting.counts)
    return [
        Standing(reached[place] > allowance.limit, max(allowance.limit - stays[place], 0), resets[place])
        for place, allowance in enumerate(allowances)
    ]


def _window(request: HttpRequest, allowance: Allowance) -> tuple[Counter, int]:
    """The counter of the window that runs now, and in how many seconds that ends."""
    owner = allowance.owner or client_key(request)
    # Windows of different owners end at different times, as django-ratelimit's do.
    shift_s = crc32(owner.encode()) % allowance.seconds
    number, gone_s = divmod(int(time.time()) - shift_s, allowance.seconds)
    key = f"rl:{allowance.name}:{owner}:{number}"
    return Counter(key, allowance.limit, allowance.seconds + KEPT_AFTER_S), allowance.seconds - gone_s


def _client(_: str, request: HttpRequest) -> str:
    return client_key(request)
