"""The limits that the servers publish."""

from __future__ import annotations

import pytest

from papertrade_site.limits.policy import ServerLimits, limits_for


@pytest.mark.requirement(
    "limit:body",
    "limit:batch:analytics",
    "limit:batch:liquidations",
    "limit:requests:analytics",
    "limit:requests:liquidations",
)
@pytest.mark.parametrize(
    ("slug", "limits"),
    [("liquidations", ServerLimits(30, 64 * 1024, 5)), ("analytics", ServerLimits(60, 64 * 1024, 10))],
)
def test_each_server_has_the_limits_that_it_publishes(slug: str, limits: ServerLimits) -> None:
    assert limits_for(slug) == limits


@pytest.mark.parametrize("slug", ["liquidations", "analytics"])
def test_the_largest_batch_fits_a_window(slug: str) -> None:
    limits = limits_for(slug)
    assert limits.batch_messages <= limits.requests_per_minute
