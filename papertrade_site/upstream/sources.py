"""What a tool reads from: figures by name, with no sight of caches, HTTP or the request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings

from papertrade_site.clock import Clock
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.copies import Outcome
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.freshness import Freshness, Gap, Reading, State, freshness_of
from papertrade_site.upstream.hyperevm import PaperChain
from papertrade_site.upstream.models.activity import MarketStats, Queue, RecentTrades
from papertrade_site.upstream.models.history import History, HouseHistory
from papertrade_site.upstream.models.hyperliquid import Candle
from papertrade_site.upstream.models.leaderboard import Leaderboard
from papertrade_site.upstream.models.summary import Summary
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.models.unverified import LiquidationMap, SettledPosition
from papertrade_site.upstream.models.wallet import WalletState
from papertrade_site.upstream.resource import Resource, Value
from papertrade_site.upstream.tally import process_tally

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
        clock: the clock that ages are told by.
    """

    def __init__(self, *, clients: Clients, reader: CachedReader, budget: CallBudget, clock: Clock) -> None:
        self.clock = clock
        self._clients = clients
        self._reader = reader
        self._budget = budget
        self._outcomes: dict[str, Outcome] = {}
        self._used: dict[str, Reading[Any]] = {}
        self._gaps: list[Gap] = []

    def prefetch(self, *resources: Resource[Any]) -> None:
        """Read what will be needed in one round trip to the cache and side by side; never raises.

        A failure comes out where its figure is asked for. What is not asked for later does not count
        in ``freshness``.
        """
        new = [resource for resource in resources if resource.key not in self._outcomes]
        outcomes = self._reader.read_many([self._clients.want(resource) for resource in new], self._budget)
        process_tally.read(zip((resource.name for resource in new), outcomes, strict=True))
        self._outcomes |= {resource.key: outcome for resource, outcome in zip(new, outcomes, strict=True)}

    def has(self, resource: Resource[Any]) -> bool:
        """Whether there is an answer to be had, which does not count as having used it."""
        self.prefetch(resource)
        return not isinstance(self._outcomes[resource.key], UpstreamError)

    def trading(self) -> TradingState:
        """Switches, minimums and all markets."""
        return self._read(exchange.trading())

    def summary(self) -> Summary:
        """The protocol's current figures."""
        return self._read(exchange.summary())

    def history(self, interval: Interval) -> History:
        """The protocol's past in buckets of one size."""
        return self._read(exchange.history(interval))

    def house_history(self, interval: Interval) -> HouseHistory:
        """The house's book in buckets of one size."""
        return self._read(exchange.house_history(interval))

    def market_stats(self) -> MarketStats:
        """Volume of the last day, per market."""
        return self._read(exchange.market_stats())

    def queue(self) -> Queue:
        """The payout queue."""
        return self._read(exchange.queue())

    def recent_trades(self) -> RecentTrades:
        """The newest trades."""
        return self._read(exchange.recent_trades())

    def leaderboard(self, window: Window, sort: SortKey, *, page: int, page_size: int) -> Leaderboard:
        """One page of the leaderboard, best first."""
        return self._read(exchange.leaderboard(window, sort, page=page, page_size=page_size))

    def best_positions(self, window: Window) -> tuple[SettledPosition, ...]:
        """The best single positions of a window."""
        return self._read(exchange.best_positions(window, settings.BEST_POSITIONS_PATH))

    def liquidation_map(self, market: Instrument) -> LiquidationMap:
        """The venue's own liquidation map of a market."""
        return self._read(exchange.liquidation_map(market, settings.LIQUIDATION_MAP_PATH))

    def candles(self, coin: str, *, interval: Interval, count: int) -> tuple[Candle, ...]:
        """The newest candles of a coin such as ``BTC``, oldest first."""
        return self._read(hyperliquid.candles(coin, interval=interval, count=count))

    def paper(self) -> PaperChain:
        """Win fee, PAPER supply and PAPER staked, from the chain."""
        return self._read(hyperevm.paper())

    def wallet(self, address: str) -> WalletState:
        """Balances and open positions of a wallet that a caller names: 0x and 40 hex digits.

        Positions that cannot be are left out and noted in ``freshness``.
        """
        wallet = self._read(exchange.named_wallet(address))
        self._note_left_out([wallet])
        return wallet

    def wallets(self, addresses: Sequence[str]) -> Wallets:
        """Many wallets at once; one that fails is left out, counted, and noted in ``freshness``.

        So are positions that cannot be, but for the count.

        Raises:
            UpstreamError: when every one of them failed.
        """
        wallets = [exchange.wallet(address) for address in addresses]
        self.prefetch(*wallets)
        outcomes = [self._outcomes[wallet.key] for wallet in wallets]
        errors = [outcome for outcome in outcomes if isinstance(outcome, UpstreamError)]
        if errors and len(errors) == len(wallets):
            raise errors[0].anew()
        if errors:
            self.note(errors[0].source, f"{len(errors)} of {len(wallets)} wallets could not be read.")
        values = tuple(
            self._read(wallet)
            for wallet, outcome in zip(wallets, outcomes, strict=True)
            if not isinstance(outcome, UpstreamError)
        )
        self._note_left_out(values)
        return Wallets(values, len(errors))

    def mark(self, market: Instrument) -> int:
        """A market's raw mark price: its frozen mid once it is terminal, else the book's midpoint.

        A book that was read ahead and has come due since is read again: ask for marks last.
        """
        if market.frozen_mid is not None:
            return market.frozen_mid
        book = hyperliquid.book(market.symbol)
        self._renew(book)
        return self._read(book).mark(market)

    def marks(self, markets: Iterable[Instrument]) -> dict[int, int]:
        """The raw mark prices of several markets, by market id, their books read side by side."""
        markets = tuple(markets)
        live = (market for market in markets if market.frozen_mid is None)
        self.prefetch(*(hyperliquid.book(market.symbol) for market in live))
        return {market.id: self.mark(market) for market in markets}

    def optional(self, read: Callable[[], Part], *, missing: str) -> Part | None:
        """A part that a result can do without: None when its source fails.

        The result is then degraded, and ``missing``, a sentence that says what is not there, stands
        before the reason in ``freshness``.
        """
        try:
            return read()
        except UpstreamError as error:
            self.note(error.source, f"{missing} {error}")
            return None

    def note(self, source: str, sentence: str) -> None:
        """Degrade the result for what a source lacks, and let ``freshness`` say so."""
        self._gaps.append(Gap(source, sentence))

    def freshness(self) -> Freshness:
        """How old the figures are that were used so far, and what is missing."""
        return freshness_of(
            self._used.values(), self._gaps, now_ms=self.clock.now_ms(), now_s=self.clock.monotonic()
        )

    def unchanged(self) -> Callable[[], bool]:
        """A question that is answered yes as long as to read all this again would bring the same copies.

        Never yes where a source has failed, or a copy is due: the next reader may find something better.
        Whoever keeps the question keeps nothing of what was read.
        """
        clock = self.clock  # and not self, which holds every copy
        made_ms, made_s = clock.now_ms(), clock.monotonic()
        until_s = min(map(_fresh_until_s, self._outcomes.values()), default=made_s)
        until_ms = made_ms + (until_s - made_s) * 1000  # a machine that slept is told by the wall clock

        def holds() -> bool:
            return clock.monotonic() < until_s and made_ms <= clock.now_ms() < until_ms

        return holds

    def _note_left_out(self, wallets: Iterable[WalletState]) -> None:
        count = sum(wallet.left_out for wallet in wallets)
        if count:
            sentence = f"Positions left out for an impossible leverage or bust price: {count}."
            self.note("exchange.wallets", sentence)

    def _renew(self, resource: Resource[Any]) -> None:
        """Forget a copy that nothing was made of yet and that has come due during this call."""
        outcome = self._outcomes.get(resource.key)
        if isinstance(outcome, UpstreamError) or outcome is None or resource.key in self._used:
            return
        if outcome.state is State.FRESH and outcome.state_at(self.clock.monotonic()) is State.STALE:
            del self._outcomes[resource.key]

    def _read(self, resource: Resource[Value]) -> Value:
        self.prefetch(resource)
        outcome = self._outcomes[resource.key]
        if isinstance(outcome, UpstreamError):
            raise outcome.anew()
        self._used[resource.key] = outcome
        read: Reading[Value] = outcome
        return read.value


def _fresh_until_s(outcome: Outcome) -> float:
    return float("-inf") if isinstance(outcome, UpstreamError) else outcome.fresh_until_s
