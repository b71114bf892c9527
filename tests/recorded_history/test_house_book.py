"""Which point of the house's past stands for what is open now."""

from __future__ import annotations

import pytest

from mcp_analytics.tools import get_market_stats, get_open_interest
from mcp_liquidations.tools import get_bust_map
from papertrade_site.market.vocabulary import HOUR_MS, Interval
from papertrade_site.recorded.past import CURRENT_MS
from papertrade_site.upstream import exchange
from tests.filled_venue import FilledVenue
from tests.tool_calls import notes
from tests.venue_bodies import NOW_MS, body


def _venue(*, closed_ago_ms: int) -> FilledVenue:
    """A venue whose house tells of no bucket under way, and whose newest one closed so long ago."""
    venue = FilledVenue()
    venue.put_tracked([])
    house = body("house_history")
    house["source"]["asOfMs"] = NOW_MS
    house["baseTimeMs"] = NOW_MS - closed_ago_ms - house["timeOffsetsMs"][-1] - HOUR_MS
    venue.put(exchange.house_history(Interval.HOUR), house)
    return venue


@pytest.mark.parametrize(("older_by_ms", "stands"), [(0, True), (1, False), (47 * 60_000, False)])
def test_an_hour_that_closed_over_ten_minutes_ago_is_not_what_is_open_now(
    older_by_ms: int, stands: bool
) -> None:
    venue = _venue(closed_ago_ms=CURRENT_MS + older_by_ms)
    stats = venue.call(get_market_stats.TOOL, {"symbol": "BTC"})
    interest = venue.call(get_open_interest.TOOL, {"market": "BTC"})
    bust_map = venue.call(get_bust_map.TOOL, {"market": "BTC", "wallets": 1})
    assert (stats["markets"][0]["openLongUsd"] is not None) is stands
    assert (interest["markets"][0]["longUsd"] is not None) is stands
    for result in (stats, interest, bust_map):
        assert result["freshness"]["degraded"] is not stands
        assert ("exchange.house_history" in notes(result)) is not stands
