"""Worked examples for the pages of concepts: round inputs, and the very arithmetic that the tools use.

What the venue can change (bust buffer, impact, fee, mint curve) is as it is now; every figure is text, in the
digits in which the tools show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from papertrade_site.figures.text import dollars, number
from papertrade_site.figures.venue import WinFee
from papertrade_site.market import bust
from papertrade_site.market.bust import Danger, bust_price, danger, distance_share
from papertrade_site.market.cascade import cascade
from papertrade_site.market.clusters import Cluster, largest_clusters
from papertrade_site.market.emission import Curve, paper_minted
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import Ladder, build_ladder
from papertrade_site.market.position import Position
from papertrade_site.market.scale import SHARE_DIGITS, WAD, paper, to_float, usd
from papertrade_site.market.settlement import (
    DEADBAND_DIVISOR,
    Settlement,
    effective_move,
    exit_price,
    keep_share,
    paper_basis,
    settle,
)

ENTRY_USD: Final = 100_000
MARGIN_USD: Final = 100
LEVERAGE: Final = 100
LEVERAGES: Final = (1, 10, 25, 50, 100, 250, 500, 1000)
MOVE_PERCENT: Final = Decimal(1)
MOVES_PERCENT: Final = tuple(map(Decimal, ("0.01", "0.05", "0.1", "0.5", "1", "2", "5")))

LOSS_USD: Final = 1000
DECAYS: Final = (
    Fraction(0),
    Fraction(1, 8),
    Fraction(1, 4),
    Fraction(1, 2),
    Fraction(1),
    Fraction(2),
    Fraction(4),
)
"""Points on the tail of the mint curve, in multiples of its decay."""

MARK_USD: Final = 100_040
BUCKET_USD: Final = 100
BUSTS_USD: Final = ((99_950, 20_000), (99_720, 30_000), (99_650, 10_000), (99_420, 50_000), (98_900, 40_000))
"""Made-up longs: the price at which each busts, and its notional."""
CASCADE_PERCENT: Final = Fraction(1, 4)


@dataclass(frozen=True, slots=True)
class BustSteps:
    """How the bust price of one long comes about; prices in dollars."""

    entry: str
    leverage: int
    step: str
    zero_equity: str
    buffer_bps: str
    bust: str
    distance_percent: str


@dataclass(frozen=True, slots=True)
class BustRow:
    """Bust prices at one leverage, how far each is from the entry, and the label that a long opens with."""

    leverage: int
    long: str
    long_percent: str
    short: str
    short_percent: str
    danger: Danger


@dataclass(frozen=True, slots=True)
class WinRow:
    """What a long keeps of one move, in dollars; shares in percent of notional times move."""

    move_percent: str
    exit: str
    counted: str
    gross: str
    raw: str
    kept_by_impact_percent: str
    after_impact: str
    fee: str
    net: str
    kept_percent: str


@dataclass(frozen=True, slots=True)
class DangerRow:
    """A label, and the distances that it stands for in percent of the mark; None for no end."""

    label: Danger
    least: str | None
    below: str | None


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """A cluster of the made-up ladder."""

    low: str
    high: str
    notional: str
    positions: int
    peak: str
    share_percent: str


@dataclass(frozen=True, slots=True)
class CascadeSteps:
    """What a fall takes from the made-up ladder."""

    mark: str
    percent: str
    target: str
    bucket: str
    longs: tuple[tuple[str, str, bool], ...]
    notional: str
    positions: int
    exact_notional: str


@dataclass(frozen=True, slots=True)
class RateRow:
    """The mint rate at one point of the tail; ``times`` is the progress in multiples of the decay."""

    times: str
    progress: str
    rate: str


@dataclass(frozen=True, slots=True)
class MintTerms:
    """The terms of the mint curve, and where it stands."""

    max_rate: str
    cliff: str
    decay: str
    tracked_lp: str
    tail_progress: str
    phase: str
    mint_rate: str


@dataclass(frozen=True, slots=True)
class MintRow:
    """How much PAPER one loss mints: the part of it that counts, and what that makes."""

    how: str
    basis: str
    minted: str


def bust_steps(market: Instrument) -> BustSteps:
    """The bust price of a long of ``LEVERAGE`` from ``ENTRY_USD``, step by step."""
    entry = ENTRY_USD * market.price_scale
    step = entry // LEVERAGE
    bust_at = bust_price(entry, leverage=LEVERAGE, side=Side.LONG, bust_buffer=market.bust_buffer)
    return BustSteps(
        entry=_price(market, entry),
        leverage=LEVERAGE,
        step=_price(market, step),
        zero_equity=_price(market, entry - step),
        buffer_bps=number(to_float(market.bust_buffer * 10_000, WAD, digits=SHARE_DIGITS)),
        bust=_price(market, bust_at),
        distance_percent=_percent(distance_share(Side.LONG, mark=entry, bust=bust_at)),
    )


def bust_rows(market: Instrument) -> tuple[BustRow, ...]:
    """Bust prices from ``ENTRY_USD`` at every one of ``LEVERAGES`` that the market takes."""
    entry = ENTRY_USD * market.price_scale
    return tuple(
        _bust_row(market, entry, leverage) for leverage in LEVERAGES if leverage <= market.max_leverage
    )


def _bust_row(market: Instrument, entry: int, leverage: int) -> BustRow:
    long, short = (
        bust_price(entry, leverage=leverage, side=side, bust_buffer=market.bust_buffer) for side in Side
    )
    of_long = distance_share(Side.LONG, mark=entry, bust=long)
    return BustRow(
        leverage=leverage,
        long=_price(market, long),
        long_percent=_percent(of_long),
        short=_price(market, short),
        short_percent=_percent(distance_share(Side.SHORT, mark=entry, bust=short)),
        danger=danger(of_long),
    )


def win_row(market: Instrument, fee: WinFee, move: Decimal = MOVE_PERCENT) -> WinRow:
    """What a long of ``MARGIN_USD`` at ``LEVERAGE`` from ``ENTRY_USD`` keeps of a rise."""
    entry = ENTRY_USD * market.price_scale
    at = exit_price(entry, move_percent=move)
    settled = _settled(market, fee, entry=entry, exit_at=at)
    counted = effective_move(Side.LONG, entry=entry, exit_price=at)
    keep = keep_share(counted, entry=entry, instrument=market)
    gross = MARGIN_USD * LEVERAGE * Fraction(move) / 100
    return WinRow(
        move_percent=number(float(move)),
        exit=_price(market, at),
        counted=_price(market, counted),
        gross=dollars(to_float(gross, digits=2)),
        raw=dollars(usd(settled.raw)),
        kept_by_impact_percent=_percent(Fraction(keep, WAD)),
        after_impact=dollars(usd(settled.adjusted)),
        fee=dollars(usd(settled.win_fee)),
        net=dollars(usd(settled.net)),
        kept_percent=_percent(Fraction(settled.net, WAD) / gross),
    )


def win_rows(market: Instrument, fee: WinFee) -> tuple[WinRow, ...]:
    """The same for each of ``MOVES_PERCENT``."""
    return tuple(win_row(market, fee, move) for move in MOVES_PERCENT)


def deadband_bps() -> str:
    """Basis points of the entry that the deadband takes off a win."""
    return number(10_000 / DEADBAND_DIVISOR)


def danger_rows() -> tuple[DangerRow, ...]:
    """Every label with its distances, nearest first."""
    starts = (None, Fraction(0), bust.CRITICAL_BELOW, bust.HIGH_BELOW, bust.MEDIUM_BELOW)
    texts = [None if start is None else _percent(start) for start in starts]
    return tuple(
        DangerRow(label, least, below)
        for label, least, below in zip(Danger, texts, (*texts[1:], None), strict=True)
    )


def cascade_steps() -> CascadeSteps:
    """What a fall of ``CASCADE_PERCENT`` takes from the made-up longs, counted by whole buckets."""
    move = CASCADE_PERCENT / 100
    fall = cascade(_ladder(), move=move).down
    exact = sum(notional for busts_at, notional in BUSTS_USD if busts_at >= fall.target)
    return CascadeSteps(
        mark=dollars(MARK_USD),
        percent=number(float(CASCADE_PERCENT)),
        target=dollars(to_float(fall.target, digits=1)),
        bucket=dollars(BUCKET_USD),
        longs=tuple(
            (dollars(busts_at), dollars(notional), _near_edge(busts_at) >= fall.target)
            for busts_at, notional in BUSTS_USD
        ),
        notional=dollars(usd(fall.notional)),
        positions=fall.positions,
        exact_notional=dollars(exact),
    )


def _near_edge(busts_at: int) -> int:
    """The edge of a made-up long's bucket that a fall touches first."""
    return (busts_at // BUCKET_USD + 1) * BUCKET_USD


def cluster_rows() -> tuple[ClusterRow, ...]:
    """The clusters of the made-up longs, largest first."""
    return tuple(map(_cluster_row, largest_clusters(_ladder(), Side.LONG, most=len(BUSTS_USD))))


def _cluster_row(cluster: Cluster) -> ClusterRow:
    return ClusterRow(
        low=dollars(to_float(cluster.low, digits=2)),
        high=dollars(to_float(cluster.high, digits=2)),
        notional=dollars(usd(cluster.notional)),
        positions=cluster.positions,
        peak=dollars(to_float(cluster.peak, digits=2)),
        share_percent=_percent(cluster.share_of_side, digits=2),
    )


def rate_rows(curve: Curve) -> tuple[RateRow, ...]:
    """The tail's mint rate along the curve."""
    return tuple(_rate_row(curve, times) for times in DECAYS)


def _rate_row(curve: Curve, times: Fraction) -> RateRow:
    progress = curve.decay * times.numerator // times.denominator
    there = Curve(
        tracked_lp=curve.cliff,
        tail_progress=progress,
        cliff=curve.cliff,
        cap=curve.cap,
        max_rate=curve.max_rate,
        decay=curve.decay,
    )
    return RateRow(
        times=number(float(times)), progress=dollars(usd(progress)), rate=number(paper(there.mint_rate))
    )


def mint_terms(curve: Curve) -> MintTerms:
    """The curve in words."""
    return MintTerms(
        max_rate=number(paper(curve.max_rate)),
        cliff=dollars(usd(curve.cliff)),
        decay=dollars(usd(curve.decay)),
        tracked_lp=dollars(usd(curve.tracked_lp)),
        tail_progress=dollars(usd(curve.tail_progress)),
        phase=curve.phase.value,
        mint_rate=number(paper(curve.mint_rate)),
    )


def mint_rows(curve: Curve) -> tuple[MintRow, ...]:
    """What a loss of ``LOSS_USD`` mints at the present rate, in each way that one can lose."""
    return tuple(_mint_rows(curve))


def _mint_rows(curve: Curve) -> Iterator[MintRow]:
    for how, liquidated, queue_active in (
        ("liquidated", True, False),
        ("closed by the trader while nobody waits in the payout queue", False, False),
        ("closed by the trader while winners wait in the payout queue", False, True),
    ):
        lost = -LOSS_USD * WAD
        basis = paper_basis(
            Settlement(raw=lost, adjusted=lost, win_fee=0, net=lost, liquidated=liquidated),
            queue_active=queue_active,
        )
        minted = paper_minted(basis, rate=curve.mint_rate)
        yield MintRow(how, dollars(usd(basis)), number(paper(minted)))


def _settled(market: Instrument, fee: WinFee, *, entry: int, exit_at: int) -> Settlement:
    return settle(
        market,
        side=Side.LONG,
        margin=MARGIN_USD * WAD,
        leverage=LEVERAGE,
        entry=entry,
        bust=bust_price(entry, leverage=LEVERAGE, side=Side.LONG, bust_buffer=market.bust_buffer),
        exit_price=exit_at,
        win_fee_rate=fee.rate,
    )


def _ladder() -> Ladder:
    """The made-up longs at ``MARK_USD``, priced in whole dollars."""
    positions = [
        Position(
            id=str(busts_at),
            wallet="",
            instrument_id=0,
            side=Side.LONG,
            margin=notional * WAD,
            leverage=1,
            entry=MARK_USD,
            bust=busts_at,
            opened_at_ms=0,
        )
        for busts_at, notional in BUSTS_USD
    ]
    return build_ladder(positions, mark=MARK_USD, size=Fraction(BUCKET_USD))


def _price(market: Instrument, raw: int) -> str:
    return dollars(market.price_usd(raw))


def _percent(share: Fraction, *, digits: int = 4) -> str:
    return number(to_float(share * 100, digits=digits))
