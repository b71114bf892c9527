"""Bringing what an operator has set into force in this process, and going on while that cannot be read.

It is called every few seconds, away from requests, by a thread that lets go of lost connections itself. A
policy comes from the database; while that fails, from the copy that some process wrote into the shared cache;
while that fails too, what is known stays in force.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from ipaddress import ip_network
from typing import Final

from django.core.cache import cache
from django.core.cache.backends.base import BaseCache
from django.db import Error, connection, transaction

from papertrade_site.clock import Clock, SystemClock, ms_of
from papertrade_site.limits import shared
from papertrade_site.limits.bounds import SERVER_BOUNDS, SITE_BOUNDS, SLUGS
from papertrade_site.limits.in_force import install, policy
from papertrade_site.limits.models import ClientNetwork, ResourceLifetime, ServerRules, SiteRules, ToolSwitch
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.limits.policy import DEFAULTS, Policy, ServerLimits
from papertrade_site.outage import Outage
from papertrade_site.upstream.resource import Lifetime

UNREADABLE: Final = "The limits cannot be read from the database (%s); the last known ones stay in force."
UNSHARED: Final = "The limits cannot be shared through the cache (%s)."

PATIENCE_MS: Final = 2000
"""Milliseconds that PostgreSQL has for each question; then the look is given up until the next."""


class Refresher:
    """Refreshes the policy of one process.

    Args:
        cache: shared by all processes.
        clock: by which tries and log lines are spaced.
    """

    def __init__(self, cache: BaseCache, clock: Clock) -> None:
        self._shared = cache
        self._database = Outage(clock, UNREADABLE, failures=(Error, ValueError))
        self._cache = Outage(clock, UNSHARED)

    def refresh(self) -> None:
        """Put in force what is set now; never raises for a server that fails."""
        stored = self._database.attempt(_look, otherwise=_nothing)
        if stored is not None:
            self._publish(stored)
        install(stored or self._published() or policy())

    def _publish(self, stored: Policy) -> None:
        publish = partial(self._shared.set, shared.KEY, shared.to_json(stored), shared.KEPT_S)
        self._cache.attempt(publish, otherwise=_nothing)

    def _published(self) -> Policy | None:
        return self._cache.attempt(lambda: shared.from_json(self._shared.get(shared.KEY)), otherwise=_nothing)


def read_policy() -> Policy:
    """The policy by what is stored in the database: the defaults where nothing is.

    Raises:
        django.db.Error: when the database cannot be read.
        ValueError: when somebody has written into it what no form lets through.
    """
    rules = {row.server: row for row in ServerRules.objects.all()}
    return Policy(
        servers={slug: _limits(slug, rules.get(slug)) for slug in SLUGS},
        switched_off={(row.server, row.tool): row.reason for row in ToolSwitch.objects.filter(is_on=False)},
        networks=Networks(tuple(map(_rule, ClientNetwork.objects.all()))),
        lifetimes={row.resource: _lifetime(row) for row in ResourceLifetime.objects.all()},
        **_site_numbers(SiteRules.objects.first()),
    )


def _look() -> Policy:
    with _impatient():
        return read_policy()


@contextmanager
def _impatient() -> Iterator[None]:
    """Have PostgreSQL answer soon, or not at all, and all questions of the block by what holds at one time.

    SQLite gives up by itself (``timeout`` of the settings), and a transaction there would wait for writers.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute(f"SET LOCAL lock_timeout = {PATIENCE_MS}")
            cursor.execute(f"SET LOCAL statement_timeout = {PATIENCE_MS}")
        yield


def _nothing() -> None:
    """What comes of a server that cannot be used."""


def _limits(slug: str, row: ServerRules | None) -> ServerLimits:
    if row is None:
        return DEFAULTS.servers[slug]
    numbers = {name: getattr(row, name) for name in SERVER_BOUNDS}
    return ServerLimits.of(slug, numbers, is_on=row.is_on, off_message=row.off_message)


def _rule(row: ClientNetwork) -> NetworkRule:
    return NetworkRule(
        network=ip_network(row.network),
        server=row.server or None,
        is_blocked=row.is_blocked,
        requests_per_minute=row.requests_per_minute,
        reason=row.reason,
        expires_at_ms=None if row.expires_at is None else ms_of(row.expires_at),
    )


def _lifetime(row: ResourceLifetime) -> Lifetime:
    return Lifetime(fresh_s=float(row.fresh_s), stale_s=float(row.stale_s))


def _site_numbers(row: SiteRules | None) -> dict[str, int]:
    """Those that are set."""
    if row is None:
        return {}
    numbers = {name: getattr(row, name) for name in SITE_BOUNDS}
    return {name: number for name, number in numbers.items() if number is not None}


process_limits = Refresher(cache, SystemClock())
"""This process's own."""


def refresh() -> None:
    """Put in force in this process what is set now; never raises for a server that fails."""
    process_limits.refresh()
