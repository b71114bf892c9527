"""The policy that this process goes by now; ``refresh`` brings in what an operator has changed."""

from __future__ import annotations

from papertrade_site.limits.policy import DEFAULTS, Policy, ServerLimits
from papertrade_site.present import Present
from papertrade_site.upstream import lifetimes, quota

_present = Present(DEFAULTS)


def policy() -> Policy:
    """All of it, as it is in force now."""
    return _present.value


def limits_for(slug: str) -> ServerLimits:
    """The limits of a server as they are in force now.

    Raises:
        KeyError: when there is no such server.
    """
    return _present.value.servers[slug]


def install(new: Policy) -> None:
    """Put a policy in force in this process; one that says the same changes nothing."""
    if new != _present.value:
        lifetimes.apply(new.lifetimes)
        quota.apply(new.named_wallets_per_minute)
        _present.value = new
