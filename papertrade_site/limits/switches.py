"""What a caller is told of a tool or of a whole server that the operator has switched off."""

from __future__ import annotations

from papertrade_site.limits.applied import because
from papertrade_site.limits.policy import Policy


def server_off(policy: Policy, slug: str) -> str | None:
    """Why no tool of a server can be called, with what to do; None while they can.

    Raises:
        KeyError: when there is no such server.
    """
    limits = policy.servers[slug]
    if limits.is_on:
        return None
    return (
        f"The operator has switched off all tools of this server{because(limits.off_message)} "
        "Do not try again now; tell the user, and come back later."
    )


def tool_off(policy: Policy, slug: str, tool: str) -> str | None:
    """Why a tool cannot be called, with what to do; None while it can.

    Raises:
        KeyError: when there is no such server.
    """
    off = server_off(policy, slug)
    reason = policy.switched_off.get((slug, tool))
    if off is not None or reason is None:
        return off
    return (
        f"The operator has switched off {tool}{because(reason)} "
        "Use another tool of this server, or come back later."
    )
