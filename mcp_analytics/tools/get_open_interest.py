"""``get_open_interest``: what is open per market and side, how skewed it is, and how full the caps are."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import Final, Literal

from pydantic import Field

from papertrade_site.clock import iso
from papertrade_site.figures.text import amount, money, share_text
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.venue import listed_markets
from papertrade_site.figures.wire import SYMBOLS, Symbol, WireModel
from papertrade_site.market.capacity import cap_fill
from papertrade_site.market.instrument import Instrument, Side, coins_to_usd
from papertrade_site.market.scale import SHARE_DIGITS, WAD, nearest_div, percent, to_float, usd, wad_of
from papertrade_site.market.vocabulary import Interval
from papertrade_site.recorded.house_book import COLUMNS, OpenSides, book_of
from papertrade_site.recorded.past import Past, house_past
from papertrade_site.upstream import exchange, hyperliquid
from papertrade_site.upstream.models.trading import TradingState
from papertrade_site.upstream.sources import Sources

COIN_DIGITS: Final = 8

DESCRIPTION: Final = (
    "What traders have open now, per market and side, for questions of skew and of room left: long and "
    "short notional at entry prices, which the house carries as counterparty (longs and shorts do not "
    "cancel out, both are its risk), the longs' share, and how full the cap of each side is. capTracked is "
    "the open interest that the contract holds against its caps, in coins and, at the mark, in dollars; it "
    "differs from longUsd and shortUsd as prices move after entry. Fill percents are coins over coins; null "
    "means that the side has no cap. With history true the book's past comes as columns of whole dollars; "
    "the venue keeps only its newest buckets, so it reaches back about a day by 1m, a week or more by 1h "
    "and furthest by 1d. For prices and limits call get_market_stats."
)


class OpenInterestArguments(WireModel):
    """Which markets, and whether their past too."""

    market: Literal["all", "BTC", "ETH"] = Field(default="all", description="One market, or both.")
    history: bool = Field(default=False, description="Also give the past of the book.")
    resolution: Literal["1m", "1h", "1d"] = Field(
        default="1h", description="Bucket size of the past; without history it has no effect."
    )
    limit: int = Field(
        default=48, ge=2, le=500, description="Most points of the past per market, the newest."
    )


class OpenTotals(WireModel):
    """The markets of this answer together; null when one of them is unknown."""

    long_usd: float | None
    short_usd: float | None
    net_usd: float | None = Field(description="Longs minus shorts.")
    long_share: float | None = Field(description="Longs over longs and shorts; null when nothing is open.")


class CapTracked(WireModel):
    """Open interest as the contract counts it against the caps."""

    long_usd: float | None = Field(description="At the mark; null when no price is known.")
    short_usd: float | None
    long_coins: float
    short_coins: float


class Caps(WireModel):
    """The most that may be open per side."""

    long_usd: float | None = Field(description="At the mark; null for no cap or when no price is known.")
    short_usd: float | None
    long_fill_percent: float | None = Field(
        description="How much of the cap is in use; null for no cap, above 100 once it was lowered."
    )
    short_fill_percent: float | None


class MarketInterest(WireModel):
    """One market."""

    market: Symbol
    long_usd: float | None = Field(description="Open notional at entry prices.")
    short_usd: float | None
    long_share: float | None
    cap_tracked: CapTracked | None
    caps: Caps | None


class MarketHistory(WireModel):
    """One market's past in columns of one length; a bucket that lacks a side is left out."""

    market: Symbol
    times: tuple[str, ...] = Field(
        description="Close of each bucket, oldest first; of the one under way, the time of the data."
    )
    long_usd: tuple[int, ...]
    short_usd: tuple[int, ...]


class OpenInterest(WireModel):
    """Totals, markets, and their past."""

    totals: OpenTotals
    markets: tuple[MarketInterest, ...]
    history: tuple[MarketHistory, ...] | None = Field(description="Null unless asked for.")


def find(arguments: OpenInterestArguments, sources: Sources) -> Found:
    """Read the house's book and the caps; either may be missing, and so may prices and the past.

    Raises:
        ToolError: when the exchange lists none of the markets asked for.
        UpstreamError: when neither the book nor the caps can be read.
    """
    symbols = SYMBOLS if arguments.market == "all" else (arguments.market,)
    resolution = Interval(arguments.resolution)
    sources.prefetch(
        exchange.trading(),
        exchange.house_history(Interval.HOUR),
        *([exchange.house_history(resolution)] if arguments.history else []),
        *(hyperliquid.book(symbol) for symbol in symbols),
    )
    house = sources.optional(
        lambda: house_past(sources, Interval.HOUR), missing="Open long and short notional are null."
    )
    trading = _trading(sources, required=house is None)
    listed = symbols if trading is None else _listed(trading, symbols)
    books = [None if house is None else _book(house, symbol, sources) for symbol in listed]
    markets = tuple(
        _market(symbol, book, trading, sources) for symbol, book in zip(listed, books, strict=True)
    )
    totals = _totals(books)
    history = _history(resolution, listed, arguments.limit, sources) if arguments.history else None
    return Found(OpenInterest(totals=totals, markets=markets, history=history), _summary(markets, totals))


def _trading(sources: Sources, *, required: bool) -> TradingState | None:
    if required:
        return sources.trading()
    return sources.optional(sources.trading, missing="capTracked and caps are null.")


def _listed(trading: TradingState, symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    listed = {market.symbol for market in listed_markets(trading, symbols)}
    return tuple(symbol for symbol in symbols if symbol in listed)


def _book(house: Past, symbol: Symbol, sources: Sources) -> OpenSides | None:
    missing = "Open long and short notional are null where they are not known."
    return sources.optional(lambda: book_of(house, symbol), missing=missing)


def _market(
    symbol: Symbol, book: OpenSides | None, trading: TradingState | None, sources: Sources
) -> MarketInterest:
    instrument = None if trading is None else trading.market(symbol)
    mark = None if instrument is None else _mark(instrument, sources)
    return MarketInterest(
        market=symbol,
        long_usd=None if book is None else usd(book.longs),
        short_usd=None if book is None else usd(book.shorts),
        long_share=_share(book),
        cap_tracked=None if instrument is None else _cap_tracked(instrument, mark),
        caps=None if instrument is None else _caps(instrument, mark),
    )


def _mark(market: Instrument, sources: Sources) -> int | None:
    missing = "Dollars of capTracked and caps are null where there is no price."
    return sources.optional(lambda: sources.mark(market), missing=missing)


def _share(book: OpenSides | None) -> float | None:
    share = None if book is None else book.long_share
    return None if share is None else to_float(share, digits=SHARE_DIGITS)


def _cap_tracked(market: Instrument, mark: int | None) -> CapTracked:
    return CapTracked(
        long_usd=_at_mark(market, market.long_oi, mark),
        short_usd=_at_mark(market, market.short_oi, mark),
        long_coins=to_float(market.long_oi, WAD, digits=COIN_DIGITS),
        short_coins=to_float(market.short_oi, WAD, digits=COIN_DIGITS),
    )


def _caps(market: Instrument, mark: int | None) -> Caps:
    return Caps(
        long_usd=_at_mark(market, market.cap(Side.LONG), mark),
        short_usd=_at_mark(market, market.cap(Side.SHORT), mark),
        long_fill_percent=_percent(cap_fill(market, Side.LONG)),
        short_fill_percent=_percent(cap_fill(market, Side.SHORT)),
    )


def _at_mark(market: Instrument, coins: int | None, mark: int | None) -> float | None:
    if coins is None or mark is None:
        return None
    return usd(coins_to_usd(coins, price=mark, price_scale=market.price_scale))


def _percent(share: Fraction | None) -> float | None:
    return None if share is None else percent(share)


def _totals(books: list[OpenSides | None]) -> OpenTotals:
    known = [book for book in books if book is not None]
    if len(known) < len(books):
        return OpenTotals(long_usd=None, short_usd=None, net_usd=None, long_share=None)
    total = OpenSides(sum(book.longs for book in known), sum(book.shorts for book in known))
    return OpenTotals(
        long_usd=usd(total.longs),
        short_usd=usd(total.shorts),
        net_usd=usd(total.longs - total.shorts),
        long_share=_share(total),
    )


def _history(
    resolution: Interval, symbols: tuple[Symbol, ...], limit: int, sources: Sources
) -> tuple[MarketHistory, ...] | None:
    past = sources.optional(lambda: house_past(sources, resolution), missing="history is null.")
    return None if past is None else tuple(_columns(past, symbol, limit) for symbol in symbols)


def _columns(past: Past, symbol: Symbol, limit: int) -> MarketHistory:
    longs, shorts = (past.columns[name] for name in COLUMNS[symbol])
    backwards = zip(reversed(past.closes_ms), reversed(longs), reversed(shorts), strict=True)
    whole = (
        (iso(at_ms), _whole(long), _whole(short))
        for at_ms, long, short in backwards
        if long is not None and short is not None
    )
    rows = list(islice(whole, limit))[::-1]
    return MarketHistory(
        market=symbol,
        times=tuple(time for time, _, _ in rows),
        long_usd=tuple(long for _, long, _ in rows),
        short_usd=tuple(short for _, _, short in rows),
    )


def _whole(plain: float) -> int:
    return nearest_div(wad_of(plain), WAD)


def _summary(markets: tuple[MarketInterest, ...], totals: OpenTotals) -> str:
    rows = [_sentence(market) for market in markets]
    if len(markets) > 1 and totals.long_usd is not None and totals.short_usd is not None:
        rows.append(f"both markets: open notional {_sides(totals)}")
    return f"{'; '.join(rows)}."


def _sentence(market: MarketInterest) -> str:
    return f"{market.market} open notional {_sides(market)}; caps: {_fills(market.caps)}"


def _sides(row: MarketInterest | OpenTotals) -> str:
    if row.long_usd is None or row.short_usd is None:
        return "not known"
    sides = f"{money(row.long_usd)} long and {money(row.short_usd)} short"
    if row.long_share is None:
        return f"{sides} (nothing is open)"
    return f"{sides} ({share_text(row.long_share)} long)"


def _fills(caps: Caps | None) -> str:
    if caps is None:
        return "not known"
    fills = (("long", caps.long_fill_percent), ("short", caps.short_fill_percent))
    return ", ".join(f"{side} {'none' if fill is None else f'{amount(fill)} % full'}" for side, fill in fills)


TOOL: Final = reading_tool(
    find,
    name="get_open_interest",
    title="Open interest and skew",
    description=DESCRIPTION,
    arguments=OpenInterestArguments,
    figures=OpenInterest,
)
