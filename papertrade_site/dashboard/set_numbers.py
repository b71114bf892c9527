"""Which limits somebody has set: a policy does not tell, since there a default is a number like any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from papertrade_site.limits.bounds import SERVER_BOUNDS
from papertrade_site.limits.models import ServerRules, SiteRules
from papertrade_site.limits.policy import DEFAULTS, Policy


@dataclass(frozen=True, slots=True)
class SetNumbers:
    """The numbers that somebody has set, by their names; all others are the defaults."""

    servers: Mapping[str, Mapping[str, int]]
    pages_per_minute: int | None = None

    @classmethod
    def stored(cls) -> Self:
        """What is set in the database, also where it is the same as the default."""
        rows, site = ServerRules.objects.all(), SiteRules.objects.first()
        servers = {
            row.server: {name: getattr(row, name) for name in SERVER_BOUNDS if getattr(row, name) is not None}
            for row in rows
        }
        return cls(servers, None if site is None else site.pages_per_minute)

    @classmethod
    def of_policy(cls, policy: Policy) -> Self:
        """As far as a policy shows it: a number that is set to the default looks as if it were not set."""
        servers = {
            slug: {
                name: getattr(limits, name)
                for name in SERVER_BOUNDS
                if getattr(limits, name) not in {None, getattr(DEFAULTS.servers[slug], name)}
            }
            for slug, limits in policy.servers.items()
        }
        pages = policy.pages_per_minute
        return cls(servers, None if pages == DEFAULTS.pages_per_minute else pages)
