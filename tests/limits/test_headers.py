"""The headers that tell a client how it stands."""

from __future__ import annotations

from papertrade_site.limits.counter import Usage
from papertrade_site.limits.headers import rate_limit_headers


def test_they_name_the_policy_with_its_window_and_what_is_left_of_it() -> None:
    usage = Usage(is_refused=False, remaining=29, reset_s=42)
    assert rate_limit_headers("liquidations", usage, limit=30) == {
        "RateLimit-Policy": '"liquidations";q=30;w=60',
        "RateLimit": '"liquidations";r=29;t=42',
    }
