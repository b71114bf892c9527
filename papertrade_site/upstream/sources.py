"""What a tool reads from: figures by name, with no sight of caches, HTTP or the request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from papertrade_site.clock import Clock
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.catalogue import Catalogue
from papertrade_site.upstream.copies import Outcome
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.freshness import Freshness, Gap, Reading, freshness_of
from papertrade_site.upstream.hyperevm import PaperChain
from papertrade_site.upstream.models.activity import MarketStats, Queue, RecentTrades
from papertrade_site.upstream.models.history import History, HouseHistory
from papertrade_site.upstream.models.hyperliquid import Candle
from papertrade_site.upstream.models.leaderboard import Leaderboard
from papertrade_site.upstream.models.summary import Summary
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.models.unverified import LiquidationMap, SettledPosition
from papertrade_site.upstream.models.wallet import WalletState
from papertrade_site.upstream.resource import Value
from papertrade_site.upstream.want import Want

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Wallets:
    """The wallets that could be read, in the order asked for, and how many could not."""

    values: tuple[WalletState, ...]
    failed: int


class Sources:
    """All sources, for one call; not for use by several threads.

    Whatever is read twice in a call is the same copy both times, and every copy that was used counts
    in ``freshness``. Each method but ``optional`` and ``freshness`` raises ``UpstreamError`` when the
    source fails and there is no copy within its stale limit.

    Attributes:
        catalogue: what can be wanted, for ``prefetch``.
        clock: the clock that ages are told by.
    """

    def __init__(
        self, *, reader: CachedReader, catalogue: Catalogue, budget: CallBudget, clock: Clock
    ) -> None:
        self.catalogue = catalogue
        self.clock = clock
        self._reader = reader
        self._budget = budget
        self._outcomes: dict[str, Outcome] = {}
        self._used: dict[str, Reading[Any]] = {}
        self._gaps: list[Gap] = []

    def prefetch(self, *wants: Want[Any]) -> None:
        """Read what will be needed in one round trip to the cache and side by side; never raises.

        A failure comes out where its figure is asked for. What is not asked for later does not count
        in ``freshness``.
        """
        new = [want for want in wants if want.place.digest not in self._outcomes]
        outcomes = self._reader.read_many(new, self._budget)
        self._outcomes |= {want.place.digest: outcome for want, outcome in zip(new, outcomes, strict=True)}

    def trading(self) -> TradingState:
        """Switches, minimums and all markets."""
        return self._read(self.catalogue.trading())

    def summary(self) -> Summary:
        """The protocol's current figures."""
        return self._read(self.catalogue.summary())

    def history(self, interval: Interval) -> History:
        """The protocol's past in buckets of one size."""
        return self._read(self.catalogue.history(interval))

    def house_history(self, interval: Interval) -> HouseHistory:
        """The house's book in buckets of one size."""
        return self._read(self.catalogue.house_history(interval))

    def market_stats(self) -> MarketStats:
        """Volume of the last day, per market."""
        return self._read(self.catalogue.market_stats())

    def queue(self) -> Queue:
        """The payout queue."""
        return self._read(self.catalogue.queue())

    def recent_trades(self) -> RecentTrades:
        """The newest trades."""
        return self._read(self.catalogue.recent_trades())

    def leaderboard(self, window: Window, sort: SortKey, *, page: int, page_size: int) -> Leaderboard:
        """One page of the leaderboard, best first."""
        return self._read(self.catalogue.leaderboard(window, sort, page=page, page_size=page_size))

    def best_positions(self, window: Window) -> tuple[SettledPosition, ...]:
        """The best single positions of a window."""
        return self._read(self.catalogue.best_positions(window))

    def liquidation_map(self, market: Instrument) -> LiquidationMap:
        """The venue's own liquidation map of a market."""
        return self._read(self.catalogue.liquidation_map(market))

    def candles(self, coin: str, *, interval: Interval, count: int) -> tuple[Candle, ...]:
        """The newest candles of a coin such as ``BTC``, oldest first."""
        return self._read(self.catalogue.candles(coin, interval=interval, count=count))

    def paper(self) -> PaperChain:
        """Win fee, PAPER supply and PAPER staked, from the chain."""
        return self._read(self.catalogue.paper())

    def wallet(self, address: str) -> WalletState:
        """One wallet's balances and open positions; the address is 0x and 40 hex digits."""
        return self._read(self.catalogue.wallet(address))

    def wallets(self, addresses: Sequence[str]) -> Wallets:
        """Many wallets at once; one that fails is left out, counted, and noted in ``freshness``.

        Raises:
            UpstreamError: when every one of them failed.
        """
        wants = [self.catalogue.wallet(address) for address in addresses]
        self.prefetch(*wants)
        outcomes = [self._outcomes[want.place.digest] for want in wants]
        errors = [outcome for outcome in outcomes if isinstance(outcome, UpstreamError)]
        if errors and len(errors) == len(wants):
            raise errors[0]
        if errors:
            note = f"{len(errors)} of {len(wants)} wallets could not be read."
            self._gaps.append(Gap(errors[0].source, note))
        values = (
            self._read(want)
            for want, outcome in zip(wants, outcomes, strict=True)
            if not isinstance(outcome, UpstreamError)
        )
        return Wallets(tuple(values), len(errors))

    def mark(self, market: Instrument) -> int:
        """A market's raw mark price: its frozen mid once it is terminal, else the book's midpoint."""
        frozen = market.frozen_mid
        return self._read(self.catalogue.book(market.symbol)).mark(market) if frozen is None else frozen

    def marks(self, markets: Iterable[Instrument]) -> dict[int, int]:
        """The raw mark prices of several markets, by market id, their books read side by side."""
        markets = tuple(markets)
        live = (market for market in markets if market.frozen_mid is None)
        self.prefetch(*(self.catalogue.book(market.symbol) for market in live))
        return {market.id: self.mark(market) for market in markets}

    def optional(self, read: Callable[[], Part], *, missing: str) -> Part | None:
        """A part that a result can do without: None when its source fails.

        The result is then degraded, and ``missing``, a sentence that says what is not there, stands
        before the reason in ``freshness``.
        """
        try:
            return read()
        except UpstreamError as error:
            self._gaps.append(Gap(error.source, f"{missing} {error}"))
            return None

    def freshness(self) -> Freshness:
        """How old the figures are that were used so far, and what is missing."""
        return freshness_of(self._used.values(), self._gaps, now_ms=self.clock.now_ms())

    def _read(self, want: Want[Value]) -> Value:
        digest = want.place.digest
        self.prefetch(want)
        outcome = self._outcomes[digest]
        if isinstance(outcome, UpstreamError):
            raise outcome
        self._used[digest] = outcome
        read: Reading[Value] = outcome
        return read.value
