"""The headers that tell a client how it stands.

By draft-ietf-httpapi-ratelimit-headers-10. It is not a standard yet, and its syntax has changed before.
"""

from __future__ import annotations

from papertrade_site.limits.counter import Usage
from papertrade_site.limits.policy import WINDOW_S


def rate_limit_headers(policy: str, usage: Usage, *, limit: int) -> dict[str, str]:
    """``RateLimit-Policy`` (quota and window in seconds) and ``RateLimit`` (rest and seconds to reset).

    Args:
        policy: the policy's name, plain ASCII without quotes.
        usage: how the client stands.
        limit: its allowance for a whole window.
    """
    return {
        "RateLimit-Policy": f'"{policy}";q={limit};w={WINDOW_S}',
        "RateLimit": f'"{policy}";r={usage.remaining};t={usage.reset_s}',
    }
