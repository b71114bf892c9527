"""The bust ladder of a market: a bar for each bucket of bust prices, placed by price around the mark.

Shorts bust above the mark and longs below it. The bars are those of ``get_bust_map``, the brackets beside
them the clusters of ``get_bust_cluster_summary``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.pictures.amounts import (
    UNKNOWN,
    counted,
    share_percent,
    short,
    short_percent,
    short_usd,
    trimmed,
)
from papertrade_site.docs.pictures.scale import PLACES, Axis, spread, ticks
from papertrade_site.docs.pictures.shapes import Note, Shapes
from papertrade_site.figures.text import amount, dollars, money, number

Row = Mapping[str, Any]

TOP: Final = 74
BOTTOM: Final = 494
"""The prices' part of the picture, in pixels from its top."""

BELOW: Final = 56
"""Pixels below the prices that the amounts' labels and the longs' caption take."""

LONGEST_BAR: Final = 55.0
"""Width of the largest bar in percent of the picture."""

SPANS: Final = (0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 25, 50, 100)
"""How far a picture may reach to either side of the mark, in percent of it."""

REACHED: Final = 0.9
"""The share of the notional that a picture shows by bars; the rest, far away, is told in words."""

TAG_LENGTH: Final = 9

LINE: Final = 15
"""Pixels from one line of text to the next."""

CAPTION_Y: Final = {"short": TOP - 15, "long": BOTTOM + 36}
SIGNS: Final = {"short": "▲", "long": "▼"}
"""Which way the price has to go for a side to bust."""

MOVES: Final = {"short": "up", "long": "down"}
"""What a cascade calls that."""

PLACED: Final = {"short": "above", "long": "below"}

PRICE_X: Final = 68
BRACKET_X: Final = 73
GUTTER: Final = 80
"""Where prices end, brackets begin and bars begin, in pixels from the left."""

SIDES: Final = ("short", "long")
"""From the top down."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bucket of one side: ``y`` and ``height`` in pixels, ``width`` in percent."""

    side: str
    y: float
    height: float
    width: float
    is_passed: bool
    is_hit: bool
    words: str


@dataclass(frozen=True, slots=True)
class Bracket:
    """One cluster: a bracket along its prices, and a label that may stand a little off it."""

    side: str
    y: float
    height: float
    label_y: float
    notional: str
    rest: str
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line across the picture at a price, or down it at an amount, with its label."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """A move in one direction: the shaded band from the mark, and its end."""

    y: float
    height: float
    end: float
    label: str


@dataclass(frozen=True, slots=True)
class Caption:
    """What one side adds up to, or what a move busts of it; ``y`` pixels from the top.

    Attributes:
        target: where a move ends, for a picture that has room for it.
        rest: all of the side where a move is told, else what of it lies too far away to be drawn.
        is_answer: whether a move is told.
    """

    side: str
    y: int
    sign: str
    words: str
    exact: str
    target: str
    rest: str
    is_answer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder(Shapes):
    """All that the template draws."""

    mark: Line
    bars: tuple[Bar, ...]
    brackets: tuple[Bracket, ...]
    prices: tuple[Line, ...]
    amounts: tuple[Line, ...]
    captions: tuple[Caption, ...]
    sweeps: tuple[Sweep, ...]
    top: int = TOP
    bottom: int = BOTTOM
    amounts_y: int = BOTTOM + LINE
    price_x: int = PRICE_X
    bracket_x: int = BRACKET_X
    gutter: int = GUTTER
    longest: float = LONGEST_BAR


def ladder(bust_map: Mapping[str, Any], clusters: Mapping[str, Any]) -> Ladder:
    """Place the result of ``get_bust_map`` and the clusters of the same market.

    Args:
        bust_map: its ``cascade`` is drawn when there is one.
        clusters: the result of ``get_bust_cluster_summary``; those of other markets are left alone.
    """
    rows, mark, cascade = bust_map["buckets"], bust_map["markPriceUsd"], bust_map["cascade"]
    prices = _price_axis(rows, mark=mark, percent=cascade["percent"] if cascade else 0)
    drawn = [row for row in rows if row["lowUsd"] >= prices.low and row["highUsd"] <= prices.high]
    amounts = Axis(0, max((row["notionalUsd"] for row in drawn), default=0), 0, LONGEST_BAR)
    sweeps = tuple(_sweeps(cascade, mark=mark, prices=prices)) if cascade else ()
    mark_line = Line(prices.place(mark), _tag(mark))
    return Ladder(
        title=f"{bust_map['market']} bust ladder",
        headline=Note(f"Mark {dollars(mark)}"),
        foot=BOTTOM + BELOW,
        mark=mark_line,
        bars=tuple(_bars(drawn, _hit(rows, cascade), prices, amounts, bust_map=bust_map)),
        brackets=tuple(_brackets(_clusters_of(clusters, bust_map["market"]), prices, mark_line.place)),
        prices=tuple(_price_lines(prices, taken=[mark_line.place, *(sweep.end for sweep in sweeps)])),
        amounts=tuple(_amount_lines(amounts)),
        captions=tuple(_caption(side, bust_map, drawn) for side in SIDES),
        sweeps=sweeps,
        remarks=tuple(_remarks(bust_map)),
    )


def _tag(mark: float) -> str:
    """The mark in the few digits for which there is room beside the prices; the headline has all of them."""
    exact = number(mark)
    return exact if len(exact) <= TAG_LENGTH else short(mark)


def _price_axis(rows: Sequence[Row], *, mark: float, percent: float) -> Axis:
    """The least span around the mark that shows most of the notional and the ends of the cascade."""
    total = sum(row["notionalUsd"] for row in rows)
    for span in SPANS:
        low, high = mark * (1 - span / 100), mark * (1 + span / 100)
        shown = sum(row["notionalUsd"] for row in rows if row["lowUsd"] >= low and row["highUsd"] <= high)
        if span > percent and shown >= REACHED * total and (total or span >= 1):
            break
    return Axis(*_whole_rows(rows, low=low, high=high), BOTTOM, TOP)


def _whole_rows(rows: Sequence[Row], *, low: float, high: float) -> tuple[float, float]:
    """The ends of the prices moved outward, so that no bucket is cut by one."""
    cut = [row for row in rows if row["lowUsd"] < high and row["highUsd"] > low]
    return min([low, *(row["lowUsd"] for row in cut)]), max([high, *(row["highUsd"] for row in cut)])


def _bars(
    rows: Iterable[Row], hit: Iterable[Row], prices: Axis, amounts: Axis, *, bust_map: Mapping[str, Any]
) -> Iterator[Bar]:
    """Bars with a hair of air between them.

    In the mark's own bucket each side has the part on its side of the mark; where both sides share another
    bucket, which the mark has passed for one of them, shorts get its upper half.
    """
    rows, mark, passed = list(rows), bust_map["markPriceUsd"], bust_map["passed"]
    shared = {row["lowUsd"] for row in rows if row["side"] == "long"} & {
        row["lowUsd"] for row in rows if row["side"] == "short"
    }
    hit_rows = [id(row) for row in hit]
    for row in rows:
        top, bottom = prices.place(row["highUsd"]), prices.place(row["lowUsd"])
        holds_mark = row["lowUsd"] < mark < row["highUsd"]
        if holds_mark or row["lowUsd"] in shared:
            middle = prices.place(mark) if holds_mark else (top + bottom) / 2
            top, bottom = (top, middle) if row["side"] == "short" else (middle, bottom)
        air = 1 if bottom - top > 3 else 0
        yield Bar(
            side=row["side"],
            y=round(top, PLACES),
            height=round(max(bottom - top - air, 1), PLACES),
            width=amounts.place(row["notionalUsd"]),
            is_passed=row["distancePercent"] < 0,
            is_hit=id(row) in hit_rows,
            words=_bar_words(row, passed_usd=passed[f"{row['side']}NotionalUsd"]),
        )


def _bar_words(row: Row, *, passed_usd: float) -> str:
    distance = row["distancePercent"]
    where = "the mark has passed it" if distance < 0 else f"{amount(distance)} % from the mark"
    return (
        f"{number(row['lowUsd'])} to {number(row['highUsd'])}: {money(row['notionalUsd'])} in "
        f"{counted(row['positions'], row['side'])}, {where}; "
        f"{money(row['cumulativeNotionalUsd'])} up to here"
        + (f", {money(passed_usd)} of it passed already" if passed_usd else "")
    )


def _hit(rows: Sequence[Row], cascade: Mapping[str, Any] | None) -> Iterator[Row]:
    """The buckets that a cascade counts: so many as it says, from the mark outward."""
    if cascade is None:
        return
    for side, outward in (("long", -1), ("short", 1)):
        ahead = [row for row in rows if row["side"] == side and row["distancePercent"] >= 0]
        yield from ahead[::outward][: cascade[MOVES[side]]["buckets"]]


def _sweeps(cascade: Mapping[str, Any], *, mark: float, prices: Axis) -> Iterator[Sweep]:
    start = prices.place(mark)
    for side in SIDES:
        end = prices.place(cascade[MOVES[side]]["targetPriceUsd"])
        yield Sweep(
            y=min(start, end),
            height=round(abs(end - start), PLACES),
            end=end,
            label=_move(side, cascade),
        )


def _move(side: str, cascade: Mapping[str, Any]) -> str:
    """The move that busts a side, such as ``-1 %``."""
    return f"{'+' if side == 'short' else '-'}{number(cascade['percent'])} %"


def _clusters_of(clusters: Mapping[str, Any], market: str) -> Mapping[str, Any] | None:
    """The row of a market, whose clusters are by rank."""
    return next((row for row in clusters["markets"] if row["market"] == market), None)


def _brackets(row: Mapping[str, Any] | None, prices: Axis, mark: float) -> Iterator[Bracket]:
    """The clusters within the picture; labels stand apart from each other and from the mark."""
    if row is None:
        return
    for side, low, high in (("above", TOP, mark), ("below", mark, BOTTOM)):
        found = sorted(row[side], key=lambda cluster: cluster["highUsd"], reverse=True)
        shown = [each for each in found if each["highUsd"] > prices.low and each["lowUsd"] < prices.high]
        spans = [(prices.place(each["highUsd"]), prices.place(each["lowUsd"])) for each in shown]
        middles = [(top + bottom) / 2 for top, bottom in spans]
        labels = spread(middles, gap=LINE, low=low + LINE / 2, high=high - LINE / 2)
        for each, (top, bottom), label_y in zip(shown, spans, labels, strict=True):
            yield _bracket(each, y=top, height=bottom - top, label_y=label_y)


def _bracket(cluster: Row, *, y: float, height: float, label_y: float) -> Bracket:
    positions = counted(cluster["positions"], cluster["side"])
    return Bracket(
        side=cluster["side"],
        y=y,
        height=round(max(height, 2), PLACES),
        label_y=label_y,
        notional=short_usd(cluster["notionalUsd"]),
        rest=f"{positions}, {_away(cluster['distancePercent'])}",
        words=f"Cluster {cluster['rank']} of {cluster['side']}s, {number(cluster['lowUsd'])} to "
        f"{number(cluster['highUsd'])}: {money(cluster['notionalUsd'])} in {positions}, "
        f"{amount(cluster['distancePercent'])} % from the mark, mean {number(cluster['peakUsd'])}",
    )


def _away(distance_percent: float) -> str:
    return f"{short_percent(distance_percent)} away" if distance_percent else "at the mark"


def _price_lines(prices: Axis, *, taken: Sequence[float]) -> Iterator[Line]:
    """Round prices, but for those whose label would stand on one that is there already."""
    for price in ticks(prices.low, prices.high, most=11):
        place = prices.place(price)
        if all(abs(place - other) >= LINE for other in taken):
            yield Line(place, number(price))


def _amount_lines(amounts: Axis) -> Iterator[Line]:
    for tick in ticks(amounts.low, amounts.high, most=4):
        yield Line(amounts.place(tick), trimmed(short_usd(tick)))


def _caption(side: str, bust_map: Mapping[str, Any], drawn: Sequence[Row]) -> Caption:
    cascade = bust_map["cascade"]
    return _total(side, bust_map, drawn) if cascade is None else _answer(side, bust_map, cascade)


def _answer(side: str, bust_map: Mapping[str, Any], cascade: Mapping[str, Any]) -> Caption:
    """What was asked for: what a move busts of the side."""
    found, total = cascade[MOVES[side]], bust_map["totals"][f"{side}NotionalUsd"]
    positions, move = counted(found["positions"], side), _move(side, cascade)
    return Caption(
        side=side,
        y=CAPTION_Y[side],
        sign=SIGNS[side],
        words=f"{move} busts {positions}, {short_usd(found['notionalUsd'])}",
        exact=f"{move} to {dollars(found['targetPriceUsd'])} busts {positions}: "
        f"{money(found['notionalUsd'])} of {money(total)} in all",
        target=f"to {dollars(found['targetPriceUsd'])}, ",
        rest=f"of {short_usd(total)}",
        is_answer=True,
    )


def _total(side: str, bust_map: Mapping[str, Any], drawn: Sequence[Row]) -> Caption:
    totals = bust_map["totals"]
    notional, positions = totals[f"{side}NotionalUsd"], totals[f"{side}Positions"]
    far = [row for row in bust_map["buckets"] if row["side"] == side and row not in drawn]
    beyond = sum(row["notionalUsd"] for row in far)
    return Caption(
        side=side,
        y=CAPTION_Y[side],
        sign=SIGNS[side],
        words=f"{counted(positions, side)} {PLACED[side]}, {short_usd(notional)}",
        exact=f"{counted(positions, side)}: {money(notional)} in all, those far away too",
        target="",
        rest=f"{short_usd(beyond)} further off" if far else "",
        is_answer=False,
    )


def _remarks(bust_map: Mapping[str, Any]) -> Iterator[Note]:
    coverage, omitted, passed = bust_map["coverage"], bust_map["omitted"], bust_map["passed"]
    gone = [
        f"{counted(passed[f'{side}Positions'], side)}, {short_usd(passed[f'{side}NotionalUsd'])}"
        for side in SIDES
        if passed[f"{side}Positions"]
    ]
    if gone:
        yield Note(f"The mark has already passed {' and '.join(gone)}")
    fraction, wallets = coverage["fraction"], coverage["walletsRead"]
    share = f"an {UNKNOWN} share" if fraction is None else share_percent(fraction)
    hold = f"{counted(wallets, 'wallet')} {'holds' if wallets == 1 else 'hold'}"
    tracked = money(coverage["trackedNotionalUsd"])
    yield Note(f"{hold} {share} of open notional", f"{hold} {tracked}, {share} of open notional")
    if coverage["walletsFailed"]:
        yield Note(f"{counted(coverage['walletsFailed'], 'wallet')} could not be read now")
    if omitted["buckets"]:
        what, notional = f"Not listed: {counted(omitted['buckets'], 'bucket')}", omitted["notionalUsd"]
        yield Note(f"{what}, {short_usd(notional)}", f"{what}, {money(notional)}")
