"""What can be read from a source: how to fetch it, how to understand it, and how long it lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.http import HttpClient

Value = TypeVar("Value")


class Host(StrEnum):
    """Whom resources are asked for."""

    EXCHANGE = "exchange"
    HYPERLIQUID = "hyperliquid"
    HYPEREVM = "hyperevm"


@dataclass(frozen=True, slots=True)
class Lifetime:
    """Seconds that a copy counts as fresh, and seconds until it may no longer be shown at all."""

    fresh_s: float
    stale_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource(Generic[Value]):
    """One thing that a source can be asked for.

    Attributes:
        host: whom to ask.
        name: what freshness reports call it, such as ``exchange.trading``.
        key: what the cache calls it; every argument that changes the answer is part of it.
        lifetime: how long a copy lasts.
        fetch: ask the source; makes one upstream request and at most one retry, and both again for a
            smaller page when the source refuses a large one.
        parse: check the raw answer and turn it into values; the second argument is the time in ms.
            Raises ``UnexpectedError`` when the answer is not what the source promises.
        observed_at_ms: the source's own time of the answer, or None when it states none.
        is_endless: whether callers can name ever new ones of its kind, so that no lifetime bounds the
            requests; they come out of a quota then (``quota.py``).
    """

    host: Host
    name: str
    key: str
    lifetime: Lifetime
    fetch: Callable[[HttpClient, CallBudget], Json]
    parse: Callable[[Json, int], Value]
    observed_at_ms: Callable[[Value], int | None]
    is_endless: bool = False
