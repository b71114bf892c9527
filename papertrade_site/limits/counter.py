"""Counting a request against its client's allowance, through django-ratelimit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest
from django_ratelimit.core import get_usage

from papertrade_site.limits.bounds import WINDOW_S
from papertrade_site.limits.cache import current_charge
from papertrade_site.limits.charge import Charge
from papertrade_site.limits.client import client_key

NOMINAL_RATE: Final = (1, WINDOW_S)
"""The rate is part of the counter's key: were it the real one, a changed limit would forget every count."""


@dataclass(frozen=True, slots=True)
class Usage:
    """How a client stands after a request.

    Attributes:
        is_refused: whether the request does not fit the window any more.
        remaining: messages that it may still send in this window.
        reset_s: whole seconds, at least 1, after which a new window has begun.
    """

    is_refused: bool
    remaining: int
    reset_s: int


def count_request(request: HttpRequest, *, group: str, charge: Charge) -> Usage | None:
    """Count a request; None when the limiter is switched off (``RATELIMIT_ENABLE``).

    Args:
        request: it says who the client is.
        group: counters of different groups know nothing of each other.
        charge: what the request costs.
    """
    token = current_charge.set(charge)
    try:
        usage = get_usage(request, group=group, key=_client, rate=NOMINAL_RATE, increment=True)
    finally:
        current_charge.reset(token)
    if usage is None:
        return None
    count = usage["count"]
    # A window ends with the second that is named as its last, not with that second's beginning.
    reset_s = max(usage["time_left"] + 1, 1)
    return Usage(charge.is_refused(count), max(charge.limit - charge.counted(count), 0), reset_s)


def _client(_: str, request: HttpRequest) -> str:
    return client_key(request)
