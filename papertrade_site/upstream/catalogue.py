"""Every resource of the configured source, each with the client of the host that has it."""

from __future__ import annotations

from django.conf import settings

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.hyperevm import PaperChain
from papertrade_site.upstream.models.activity import MarketStats, Queue, RecentTrades
from papertrade_site.upstream.models.history import History, HouseHistory
from papertrade_site.upstream.models.hyperliquid import Book, Candle
from papertrade_site.upstream.models.leaderboard import Leaderboard
from papertrade_site.upstream.models.summary import Summary
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.models.unverified import LiquidationMap, SettledPosition
from papertrade_site.upstream.models.wallet import WalletState
from papertrade_site.upstream.resource import Resource, Value
from papertrade_site.upstream.want import Want


class Catalogue:
    """What can be wanted of the source that the settings name; building one asks nobody anything."""

    def __init__(self, clients: Clients) -> None:
        self._clients = clients

    def trading(self) -> Want[TradingState]:
        """Switches, minimums and all markets."""
        return self._on_exchange(exchange.trading())

    def summary(self) -> Want[Summary]:
        """The protocol's current figures."""
        return self._on_exchange(exchange.summary())

    def history(self, interval: Interval) -> Want[History]:
        """The protocol's past in buckets of one size."""
        return self._on_exchange(exchange.history(interval))

    def house_history(self, interval: Interval) -> Want[HouseHistory]:
        """The house's book in buckets of one size."""
        return self._on_exchange(exchange.house_history(interval))

    def market_stats(self) -> Want[MarketStats]:
        """Volume of the last day, per market."""
        return self._on_exchange(exchange.market_stats())

    def queue(self) -> Want[Queue]:
        """The payout queue."""
        return self._on_exchange(exchange.queue())

    def recent_trades(self) -> Want[RecentTrades]:
        """The newest trades."""
        return self._on_exchange(exchange.recent_trades())

    def wallet(self, address: str) -> Want[WalletState]:
        """One wallet's balances and open positions.

        Raises:
            ValueError: when the address is not 0x and 40 hex digits.
        """
        return self._on_exchange(exchange.wallet(address))

    def leaderboard(self, window: Window, sort: SortKey, *, page: int, page_size: int) -> Want[Leaderboard]:
        """One page of the leaderboard, best first."""
        return self._on_exchange(exchange.leaderboard(window, sort, page=page, page_size=page_size))

    def best_positions(self, window: Window) -> Want[tuple[SettledPosition, ...]]:
        """The best single positions of a window, from an address that the settings guess."""
        return self._on_exchange(exchange.best_positions(window, settings.BEST_POSITIONS_PATH))

    def liquidation_map(self, market: Instrument) -> Want[LiquidationMap]:
        """The venue's liquidation map of a market, from an address that the settings guess."""
        return self._on_exchange(exchange.liquidation_map(market, settings.LIQUIDATION_MAP_PATH))

    def book(self, coin: str) -> Want[Book]:
        """The order book of a coin such as ``BTC``."""
        return self._on_hyperliquid(hyperliquid.book(coin))

    def candles(self, coin: str, *, interval: Interval, count: int) -> Want[tuple[Candle, ...]]:
        """The newest candles of a coin, oldest first."""
        return self._on_hyperliquid(hyperliquid.candles(coin, interval=interval, count=count))

    def paper(self) -> Want[PaperChain]:
        """Win fee, PAPER supply and PAPER staked, from the chain."""
        return Want(hyperevm.paper(), self._clients.hyperevm, _origin(settings.HYPEREVM_URL))

    def _on_exchange(self, resource: Resource[Value]) -> Want[Value]:
        return Want(resource, self._clients.exchange, _origin(settings.EXCHANGE_URL))

    def _on_hyperliquid(self, resource: Resource[Value]) -> Want[Value]:
        return Want(resource, self._clients.hyperliquid, _origin(settings.HYPERLIQUID_URL))


def _origin(base_url: str) -> str:
    return f"{settings.PAPERTRADE_SOURCE} {base_url}"
