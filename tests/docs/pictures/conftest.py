"""Pictures over a venue that a test fills, with nothing remembered from other tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from papertrade_site.docs.pictures import live
from papertrade_site.docs.pictures.results import Results
from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream import exchange
from tests.docs.pictures.gallery import THREE_A_SIDE
from tests.filled_venue import FilledVenue
from tests.histories import history
from tests.mcp_liquidations.books import venue_of
from tests.venue_bodies import NOW_MS, body


@pytest.fixture
def venue(monkeypatch: pytest.MonkeyPatch) -> Iterator[FilledVenue]:
    """What tools read while a test runs; its clock is that of pictures too."""
    filled = venue_of(*THREE_A_SIDE)
    filled.put(exchange.summary(), body("summary"))
    for interval in (Interval.HOUR, Interval.DAY):
        past = history(interval, as_of_ms=NOW_MS, tvl=[1e6, 2e6, 1.5e6], volume=[0, 10, 25])
        filled.put(exchange.history(interval), past)
    monkeypatch.setattr(live, "process_results", Results())
    with filled.read_by_tools():
        yield filled
