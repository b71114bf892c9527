"""The policy as JSON in the shared cache, for processes whose database is away."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any, Final

from papertrade_site.limits.bounds import SLUGS
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.limits.policy import Policy, ServerLimits
from papertrade_site.strict_json import Json
from papertrade_site.upstream.resource import Lifetime

KEY: Final = "limits:policy:2"
"""Where it is; the number is that of the form written here, so that two versions never read each other's."""

KEPT_S: Final = 30 * 24 * 3600
"""Seconds that it stays after the last process has written it."""


def to_json(policy: Policy) -> Json:
    """The whole policy."""
    return {
        "servers": {slug: _fields(limits) for slug, limits in policy.servers.items()},
        "switchedOff": [[slug, tool, reason] for (slug, tool), reason in policy.switched_off.items()],
        "networks": [_fields(rule) | {"network": str(rule.network)} for rule in policy.networks.rules],
        "lifetimes": {name: _fields(lifetime) for name, lifetime in policy.lifetimes.items()},
        "pagesPerMinute": policy.pages_per_minute,
        "namedWalletsPerMinute": policy.named_wallets_per_minute,
    }


def from_json(stored: Json) -> Policy | None:
    """The policy that was stored; None when there is none, or it does not have the form written here."""
    try:
        return _policy(stored)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _policy(stored: Json) -> Policy:
    return Policy(
        servers={slug: ServerLimits(**stored["servers"][slug]) for slug in SLUGS},
        switched_off={(slug, tool): reason for slug, tool, reason in stored["switchedOff"]},
        networks=Networks(tuple(map(_rule, stored["networks"]))),
        lifetimes={name: Lifetime(**lifetime) for name, lifetime in stored["lifetimes"].items()},
        pages_per_minute=stored["pagesPerMinute"],
        named_wallets_per_minute=stored["namedWalletsPerMinute"],
    )


def _rule(stored: Mapping[str, Any]) -> NetworkRule:
    return NetworkRule(**{**stored, "network": ip_network(stored["network"])})


def _fields(value: ServerLimits | NetworkRule | Lifetime) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}
