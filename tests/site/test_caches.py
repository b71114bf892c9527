"""What services keep in a Redis that they share."""

from __future__ import annotations

import subprocess

from papertrade_site.env import BASE_DIR, Source
from tests.running import manage, newcomers_environ

SHOW = """
from django.core.cache import caches
from papertrade_site.usage import wire
print(wire.key("minute", 1), *(caches[name].make_key("a") for name in sorted(caches.settings)))
"""


def _names(source: Source) -> set[str]:
    """Names of usage, and of one thing in each cache, as a service of the source has them."""
    shown = subprocess.run(
        manage("shell", "--verbosity", "0", "--command", SHOW),
        cwd=BASE_DIR,
        env=newcomers_environ(PAPERTRADE_SOURCE=source.value),
        capture_output=True,
        check=True,
        text=True,
    )
    return set(shown.stdout.split())


def test_services_of_different_sources_have_nothing_in_common_in_one_redis() -> None:
    live, simulated = _names(Source.LIVE), _names(Source.SIMULATED)
    assert len(live) == len(simulated) >= 2
    assert not live & simulated
