"""Keeping what tools read of the tracked wallets fresh, so that a call normally asks no source."""

from __future__ import annotations

from typing import Final

from mcp_liquidations.wallets import largest, leaderboard_pages, market_resources, usual_wallets
from papertrade_site.background.sole import MayGoOn
from papertrade_site.clock import Clock
from papertrade_site.figures.wire import SYMBOLS
from papertrade_site.upstream import exchange, hyperevm
from papertrade_site.upstream.ahead import Ahead

EVERY_S: Final = 0.5
"""Seconds between two rounds: with the time of a round, less than the second that a mark has left."""

ROUND_S: Final = 0.3
"""Seconds after which a round begins no further group, so that marks need not wait for all wallets."""

GROUP: Final = 6
"""Wallets that are read side by side before it is asked again whether to go on."""


class WalletTracker:
    """Refreshes marks, markets, leaderboard and wallets shortly before they are due, round after round."""

    def __init__(self, ahead: Ahead, clock: Clock) -> None:
        self._ahead = ahead
        self._clock = clock
        self._wallets: list[str] = []

    def round(self, may_go_on: MayGoOn) -> None:
        """Refresh what is due soon; wallets for which no time is left come next time."""
        began = self._clock.monotonic()
        self._refresh_common()
        for first in range(0, len(self._wallets), GROUP):
            if not may_go_on():
                return
            self._ahead.refresh([exchange.wallet(wallet) for wallet in self._wallets[first : first + GROUP]])
            if self._clock.monotonic() - began > ROUND_S:
                return

    def _refresh_common(self) -> None:
        """What calls read beside the wallets; while the leaderboard cannot be read its last list stands."""
        count = usual_wallets()
        pages = leaderboard_pages(count)
        found = self._ahead.refresh([*pages, *market_resources(SYMBOLS), hyperevm.paper()])
        first, *others = found[: len(pages)]
        if first is not None:
            self._wallets = largest([first, *filter(None, others)], count)
