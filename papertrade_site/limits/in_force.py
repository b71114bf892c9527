"""The policy that this process goes by now; ``refresh`` brings in what an operator has changed."""

from __future__ import annotations

from papertrade_site.limits.policy import DEFAULTS, Policy, ServerLimits
from papertrade_site.upstream import lifetimes


class _Present:
    """What is in force; one assignment changes all of it, so that no thread sees half of a change."""

    __slots__ = ("policy",)

    def __init__(self) -> None:
        self.policy = DEFAULTS


_present = _Present()


def policy() -> Policy:
    """All of it, as it is in force now."""
    return _present.policy


def limits_for(slug: str) -> ServerLimits:
    """The limits of a server as they are in force now.

    Raises:
        KeyError: when there is no such server.
    """
    return _present.policy.servers[slug]


def install(new: Policy) -> None:
    """Put a policy in force in this process; one that says the same changes nothing."""
    if new != _present.policy:
        lifetimes.apply(new.lifetimes)
        _present.policy = new
