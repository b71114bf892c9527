"""The exchange's read API: every address that is read, as a resource."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.strict_json import Json
from papertrade_site.upstream.bodies import MAX_BODY_BYTES
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import RefusedError
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.lifetimes import lifetime_of
from papertrade_site.upstream.models import unverified
from papertrade_site.upstream.models.activity import MarketStats, Queue, RecentTrades, RelayerHealth
from papertrade_site.upstream.models.history import History, HouseHistory
from papertrade_site.upstream.models.leaderboard import Leaderboard
from papertrade_site.upstream.models.summary import Summary
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.models.unverified import LiquidationMap, SettledPosition
from papertrade_site.upstream.models.wallet import WalletState
from papertrade_site.upstream.resource import Host, Resource
from papertrade_site.upstream.wire import Model, address, misfit, read

SMALL_PAGE: Final = 25
"""The page size that the venue grants when it refuses a larger one."""

BEST_POSITIONS_PAGE: Final = 200

MAX_HISTORY_BYTES: Final = 2_000_000
"""A year of hours, or five days of minutes, of the eleven figures of a history."""

LIQUIDATION_MAP_SECONDS: Final = 5.0
"""The map is given up after this, so that a call has time left to derive one in its place."""

Query = Sequence[tuple[str, str]]


def trading() -> Resource[TradingState]:
    """Switches, minimums and all markets."""
    return _document("trading", path="/state/trading", model=TradingState)


def summary() -> Resource[Summary]:
    """The protocol's current figures."""
    return _document(
        "summary",
        path="/query/protocol/summary",
        model=Summary,
        observed_at_ms=lambda found: found.source.at,
    )


def history(interval: Interval) -> Resource[History]:
    """The protocol's past in buckets of one size."""
    return _document(
        "history",
        path="/query/protocol/history",
        model=History,
        observed_at_ms=lambda found: found.source.as_of_ms,
        params=(("interval", interval.value),),
        max_bytes=MAX_HISTORY_BYTES,
        fits=lambda found: found.interval_ms == interval.width_ms,
    )


def house_history(interval: Interval) -> Resource[HouseHistory]:
    """The house's book in buckets of one size."""
    return _document(
        "house_history",
        path="/query/house/history",
        model=HouseHistory,
        observed_at_ms=lambda found: found.source.as_of_ms,
        params=(("interval", interval.value),),
        max_bytes=MAX_HISTORY_BYTES,
        fits=lambda found: found.interval_ms == interval.width_ms,
    )


def market_stats() -> Resource[MarketStats]:
    """Volume of the last day, per market."""
    return _document(
        "market_stats",
        path="/query/protocol/market-stats",
        model=MarketStats,
    )


def queue() -> Resource[Queue]:
    """The payout queue."""
    return _document(
        "queue",
        path="/query/protocol/queue-summary",
        model=Queue,
        observed_at_ms=lambda found: found.source.at,
    )


def recent_trades() -> Resource[RecentTrades]:
    """The newest trades."""
    return _document(
        "recent_trades",
        path="/query/protocol/trades/recent",
        model=RecentTrades,
    )


def relayer_health() -> Resource[RelayerHealth]:
    """Whether orders are being carried out."""
    return _document("relayer", path="/relayer/health", model=RelayerHealth)


def wallet(owner: str) -> Resource[WalletState]:
    """One wallet's balances and open positions: the first frame of its stream.

    Raises:
        ValueError: when the address is not 0x and 40 hex digits.
    """
    owner = address(owner)
    name = "exchange.wallets"

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        return client.first_event(
            "/state/user/live", params=(("wallet", owner),), event="wallet", source=name, budget=budget
        )

    def parse(body: Json, now_ms: int) -> WalletState:
        found = read(WalletState, body, now_ms=now_ms, source=name)
        if found.address != owner:
            raise misfit(name, where="address")
        return found

    return Resource(
        host=Host.EXCHANGE,
        name=name,
        key=f"exchange:wallet:{owner}",
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=parse,
        observed_at_ms=lambda found: found.indexed_at_ms,
    )


def named_wallet(owner: str) -> Resource[WalletState]:
    """A wallet that a caller names, any of endlessly many: the same as ``wallet``, out of the quota.

    Raises:
        ValueError: when the address is not 0x and 40 hex digits.
    """
    return replace(wallet(owner), is_endless=True)


def leaderboard(window: Window, sort: SortKey, *, page: int, page_size: int) -> Resource[Leaderboard]:
    """One page of the leaderboard, best first.

    A venue that refuses the page size is asked again for the page of ``SMALL_PAGE`` accounts that
    holds the first one asked for. Fewer may come back then, and ``page_info`` counts pages of that size.
    """
    name = "exchange.leaderboard"

    def query(page: int, page_size: int) -> Query:
        return _ranked(window, sort.value, page=page, page_size=page_size)

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        path = "/state/leaderboard/accounts"
        small = query(page * page_size // SMALL_PAGE, SMALL_PAGE)
        return _page(client, path=path, large=query(page, page_size), small=small, source=name, budget=budget)

    return Resource(
        host=Host.EXCHANGE,
        name=name,
        key=f"exchange:leaderboard:{window}:{sort}:{page}:{page_size}",
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=lambda body, now_ms: read(Leaderboard, body, now_ms=now_ms, source=name),
        observed_at_ms=_untimed,
    )


def best_positions(window: Window, path: str) -> Resource[tuple[SettledPosition, ...]]:
    """The best single positions of a window; ``path`` is a guess that the operator can correct."""
    name = "exchange.best_positions"

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        large, small = (
            _ranked(window, "pnl", page=0, page_size=size) for size in (BEST_POSITIONS_PAGE, SMALL_PAGE)
        )
        return _page(client, path=path, large=large, small=small, source=name, budget=budget)

    return Resource(
        host=Host.EXCHANGE,
        name=name,
        key=f"exchange:best_positions:{path}:{window}",
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=lambda body, now_ms: unverified.best_positions(body, now_ms=now_ms, source=name),
        observed_at_ms=_untimed,
    )


def liquidation_map(market: Instrument, path: str) -> Resource[LiquidationMap]:
    """The venue's liquidation map of a market; ``path`` is a guess with ``{id}`` in it."""
    name = "exchange.liquidation_map"
    path = path.replace("{id}", str(market.id))

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        return client.get_json(path, source=name, budget=budget.within(LIQUIDATION_MAP_SECONDS))

    return Resource(
        host=Host.EXCHANGE,
        name=name,
        key=f"exchange:liquidation_map:{path}",
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=lambda body, now_ms: unverified.liquidation_map(body, market, now_ms=now_ms, source=name),
        observed_at_ms=_untimed,
    )


def _untimed(found: object) -> None:
    """The source states no time of its own."""


def _document(
    subject: str,
    *,
    path: str,
    model: type[Model],
    observed_at_ms: Callable[[Model], int | None] = _untimed,
    params: Query = (),
    fits: Callable[[Model], bool] = lambda found: True,
    max_bytes: int = MAX_BODY_BYTES,
) -> Resource[Model]:
    """A resource that is one document at a path; ``fits`` tells whether it is the one that was asked for."""
    name = f"exchange.{subject}"

    def fetch(client: HttpClient, budget: CallBudget) -> Json:
        return client.get_json(path, params=params, source=name, budget=budget, max_bytes=max_bytes)

    def parse(body: Json, now_ms: int) -> Model:
        found = read(model, body, now_ms=now_ms, source=name)
        if not fits(found):
            raise misfit(name, where="top")
        return found

    return Resource(
        host=Host.EXCHANGE,
        name=name,
        key=":".join(("exchange", subject, *(value for _, value in params))),
        lifetime=lifetime_of(name),
        fetch=fetch,
        parse=parse,
        observed_at_ms=observed_at_ms,
    )


def _ranked(window: Window, sort: str, *, page: int, page_size: int) -> Query:
    """A ranking's parameters, by name as the venue insists."""
    return (
        ("page", str(page)),
        ("pageSize", str(page_size)),
        ("sortDir", "desc"),
        ("sortKey", sort),
        ("window", window.value),
    )


def _page(
    client: HttpClient, *, path: str, large: Query, small: Query, source: str, budget: CallBudget
) -> Json:
    """A page of a ranking, or a smaller one when the source refuses."""
    try:
        return client.get_json(_with_query(path, large), source=source, budget=budget)
    except RefusedError:
        return client.get_json(_with_query(path, small), source=source, budget=budget)


def _with_query(path: str, query: Query) -> str:
    """A configured path may have a query of its own already."""
    return f"{path}{'&' if '?' in path else '?'}{urlencode(query)}"
