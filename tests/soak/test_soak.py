"""The soak's short form: the same service, mix, faults and judge as ``make soak``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.soaking import Soak, soak
from tests.soak.verdict import Bounds, problems

SHORT = Soak(seconds=28, rate=50, warm_up_s=9, bounds=Bounds(least_mb=25, files=32))
"""Long enough for every fault of the exchange once.

Caches are still filling up then, which takes until copies are ten minutes old: a process may keep 16 MB of
results. Only a leak that is larger than that can be told from it in so short a time.
"""


@pytest.mark.slow
def test_nothing_leaks_sticks_or_grows_old_while_sources_flap(short_tmp_path: Path) -> None:
    assert problems(soak(SHORT, short_tmp_path)) == []
