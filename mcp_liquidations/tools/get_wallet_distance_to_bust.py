"""``get_wallet_distance_to_bust``: what one wallet holds, and how near each position is to busting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from mcp_liquidations import SLUG
from mcp_liquidations.positions import DANGER_TEXT, MarkedPosition, PositionRow, marked, nearness_text
from mcp_liquidations.wallets import listed_positions
from papertrade_site.figures.text import money
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.venue import explorer_url, win_fee
from papertrade_site.figures.wire import SYMBOLS, WireModel
from papertrade_site.market.bust import Danger
from papertrade_site.market.scale import usd
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.models.wallet import WalletState
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "How safe one wallet's open positions are, the most endangered first: where each busts, how far the "
    "mark is from there in percent and in dollars, how dangerous that is, and what closing now would "
    "bring; the wallet's balances too. Use it when you have an address; it does not look up names and "
    "does not show the past. A wallet that never traded gives an empty list, which is not an error. "
    f"{DANGER_TEXT} At high leverage a label can change within seconds: prices are as old as fetchedAt of "
    "hyperliquid.book in freshness.sources, while asOf is the oldest input of any kind."
)


class WalletArguments(WireModel):
    """Whose positions."""

    wallet: Annotated[str, AfterValidator(str.lower)] = Field(
        pattern="^0x[0-9a-fA-F]{40}$",
        min_length=42,
        max_length=42,
        description="Address of the wallet on HyperEVM: 0x and 40 hex digits, in any case.",
    )


class WalletTotals(WireModel):
    """Sums over all open positions."""

    positions: int
    margin_usd: float
    notional_usd: float
    unrealized_pnl_usd: float


class ClosestPosition(WireModel):
    """The position nearest to its bust price."""

    position_id: str
    distance_percent: float
    danger: Danger


class Balances(WireModel):
    """What the wallet has on the exchange."""

    balance_usd: float = Field(description="Balance as the exchange reports it.")
    available_usd: float = Field(description="The part of the balance that can be used now.")
    locked_margin_usd: float = Field(description="Margin in open positions.")
    queued_payout_usd: float = Field(description="Winnings that wait in the payout queue.")


class WalletDistances(WireModel):
    """One wallet."""

    wallet: str = Field(description="In lower case.")
    explorer_url: str
    positions: tuple[PositionRow, ...] = Field(description="Nearest to the bust price first.")
    totals: WalletTotals
    closest: ClosestPosition | None = Field(description="Null without positions.")
    balances: Balances


def find(arguments: WalletArguments, sources: Sources) -> Found:
    """Measure the wallet's positions at the marks of now.

    Raises:
        UpstreamError: when the wallet, the markets or the mark of one of its positions cannot be read.
    """
    sources.prefetch(
        exchange.trading(),
        exchange.named_wallet(arguments.wallet),
        hyperevm.paper(),
        *(hyperliquid.book(symbol) for symbol in SYMBOLS),
    )
    wallet = sources.wallet(arguments.wallet)
    positions = _marked_positions(wallet, sources) if wallet.positions else ()
    closest = positions[0] if positions else None
    figures = WalletDistances(
        wallet=wallet.address,
        explorer_url=explorer_url(wallet.address),
        positions=tuple(position.row() for position in positions),
        totals=_totals(positions),
        closest=None if closest is None else _closest(closest.row()),
        balances=_balances(wallet),
    )
    return Found(figures, _summary(figures))


def _marked_positions(wallet: WalletState, sources: Sources) -> tuple[MarkedPosition, ...]:
    trading = sources.trading()
    markets = {market.id: market for market in trading.instruments}
    known = listed_positions(wallet.positions, trading, sources)
    marks = sources.marks(markets[market_id] for market_id in {position.instrument_id for position in known})
    fee = win_fee(sources, trading)
    found = (
        marked(position, markets[position.instrument_id], mark=marks[position.instrument_id], fee=fee)
        for position in known
    )
    return tuple(sorted(found, key=lambda position: position.nearness))


def _totals(positions: Sequence[MarkedPosition]) -> WalletTotals:
    return WalletTotals(
        positions=len(positions),
        margin_usd=usd(sum(each.position.margin for each in positions)),
        notional_usd=usd(sum(each.position.notional for each in positions)),
        unrealized_pnl_usd=usd(sum(each.unrealized for each in positions)),
    )


def _closest(row: PositionRow) -> ClosestPosition:
    return ClosestPosition(
        position_id=row.position_id, distance_percent=row.distance_percent, danger=row.danger
    )


def _balances(wallet: WalletState) -> Balances:
    return Balances(
        balance_usd=usd(wallet.balance),
        available_usd=usd(wallet.funds.available_balance),
        locked_margin_usd=usd(wallet.locked),
        queued_payout_usd=usd(wallet.queued),
    )


def _summary(figures: WalletDistances) -> str:
    balance = f"its balance is {money(figures.balances.balance_usd)}"
    if not figures.positions:
        return f"Wallet {figures.wallet} has no open positions; {balance}."
    nearest, totals = figures.positions[0], figures.totals
    count = f"{totals.positions} open position{'' if totals.positions == 1 else 's'}"
    return (
        f"Wallet {figures.wallet} has {count} with a notional of {money(totals.notional_usd)} and an "
        f"unrealized result of {money(totals.unrealized_pnl_usd)}; the nearest to its bust price is a "
        f"{nearest.leverage}x {nearest.market} {nearest.side}, {nearness_text(nearest)}; "
        f"{balance}."
    )


TOOL: Final = reading_tool(
    find,
    server=SLUG,
    name="get_wallet_distance_to_bust",
    title="Wallet distance to bust",
    description=DESCRIPTION,
    arguments=WalletArguments,
    figures=WalletDistances,
)
