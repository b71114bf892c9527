"""Numbers that the files at the root tell readers: the defaults, which an operator may change."""

from __future__ import annotations

import re
from typing import Final

from mcp_liquidations.wallets import MAX_WALLETS
from papertrade_site.env import BASE_DIR
from papertrade_site.limits.bounds import KIB, WINDOW_S
from papertrade_site.limits.policy import DEFAULTS

ROOT: Final = BASE_DIR
LIQUIDATIONS, ANALYTICS = DEFAULTS.servers["liquidations"], DEFAULTS.servers["analytics"]


def words_of(name: str) -> str:
    """A file on one line."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_the_readme_tells_the_limits_in_force() -> None:
    rows = {
        "Requests per client and minute": (LIQUIDATIONS.requests_per_minute, ANALYTICS.requests_per_minute),
        "Messages in a batch, each of which counts": (LIQUIDATIONS.batch_messages, ANALYTICS.batch_messages),
    }
    for label, (first, second) in rows.items():
        assert f"| {label} | {first} | {second} |" in words_of("README.md")
    first, second = LIQUIDATIONS.body_bytes // KIB, ANALYTICS.body_bytes // KIB
    assert f"| Size of a body | {first} KiB | {second} KiB |" in words_of("README.md")
    assert WINDOW_S == 60


def test_the_readme_tells_how_many_wallets_are_tracked() -> None:
    assert re.findall(r"the (\d+) wallets with the largest open notional", words_of("README.md")) == [
        str(MAX_WALLETS)
    ]


def test_the_changelog_tells_the_limits_in_force_until_it_is_released() -> None:
    unreleased = words_of("CHANGELOG.md").partition("[Unreleased]")[2].partition("## [")[0]
    first, second = LIQUIDATIONS.requests_per_minute, ANALYTICS.requests_per_minute
    assert f"{first} requests on Liquidations, {second} on Analytics" in unreleased
    assert f"a limit of their own, {DEFAULTS.pages_per_minute} a minute" in unreleased
    assert f"cost at most {DEFAULTS.named_wallets_per_minute} of them a minute" in unreleased
