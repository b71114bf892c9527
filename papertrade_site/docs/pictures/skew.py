"""Open interest by side: longs from the left, shorts from the right, and how full the cap of each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.pictures.amounts import UNKNOWN, share_percent, short_percent, short_usd
from papertrade_site.docs.pictures.scale import PLACES, Axis
from papertrade_site.docs.pictures.shapes import Note, Shapes
from papertrade_site.figures.text import amount, money

TOP: Final = 56
LEGEND: Final = Note("Longs from the left, shorts from the right")

BLOCK: Final = 104
"""Pixels from one market to the next."""

HALF: Final = 48.0
"""Width of one side's cap in percent of the picture."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a market.

    Attributes:
        name: ``long`` or ``short``.
        width: of its part of the bar in percent; None when it is not known.
        open_text: its open notional.
        share_text: its share of the market, if it is known.
        fill: how much of the cap's track is filled, in percent of the picture; None without a cap.
        fill_text: how full the cap is.
        cap_text: how much the cap is in dollars, if it is known.
        words: all of it with exact figures.
    """

    name: str
    x: float
    width: float | None
    open_text: str
    share_text: str
    fill: float | None
    fill_text: str
    cap_text: str
    words: str

    @property
    def edge(self) -> int:
        """The edge of the picture at which the side stands, in percent."""
        return 0 if self.name == "long" else 100

    @property
    def anchor(self) -> str:
        """How its texts stand at that edge."""
        return "start" if self.name == "long" else "end"

    @property
    def label(self) -> str:
        """What it is called."""
        return f"{self.name.capitalize()}s"

    @property
    def track_x(self) -> float:
        """Where the track of its cap begins."""
        return 0.0 if self.name == "long" else 100 - HALF

    @property
    def fill_x(self) -> float:
        """Where the filled part begins: the shorts' grows from the right."""
        return 0.0 if self.name == "long" else round(100 - (self.fill or 0.0), PLACES)


@dataclass(frozen=True, slots=True)
class MarketSkew:
    """One market, ``y`` pixels from the top."""

    market: str
    y: int
    headline: Note
    sides: tuple[Side, ...]
    has_book: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew(Shapes):
    """All that the template draws."""

    markets: tuple[MarketSkew, ...]
    half: float = HALF


def skew(result: Mapping[str, Any]) -> Skew:
    """Place the result of ``get_open_interest``."""
    markets = tuple(_market(row, y=TOP + place * BLOCK) for place, row in enumerate(result["markets"]))
    return Skew(
        title="Open interest and caps",
        headline=_headline(result["totals"]) if len(markets) > 1 else LEGEND,
        foot=TOP + len(markets) * BLOCK,
        markets=markets,
    )


def _market(row: Mapping[str, Any], *, y: int) -> MarketSkew:
    share = row["longShare"]
    return MarketSkew(
        market=row["market"],
        y=y,
        headline=_headline(row),
        sides=(_side("long", row, share), _side("short", row, None if share is None else 1 - share)),
        has_book=share is not None,
    )


def _headline(row: Mapping[str, Any]) -> Note:
    """What is open on both sides, and by how much one outweighs the other."""
    longs, shorts = row["longUsd"], row["shortUsd"]
    if longs is None or shorts is None:
        return Note(f"open interest {UNKNOWN}")
    if not longs + shorts:
        return Note("nothing is open")
    net, side = (longs - shorts, "long") if longs >= shorts else (shorts - longs, "short")
    exact = f"{money(longs)} long and {money(shorts)} short are open"
    return Note(f"{short_usd(longs + shorts)} open, net {short_usd(net)} {side}", exact)


def _side(name: str, row: Mapping[str, Any], share: float | None) -> Side:
    notional, caps = row[f"{name}Usd"], row["caps"]
    fill = None if caps is None else caps[f"{name}FillPercent"]
    return Side(
        name=name,
        x=0.0 if name == "long" or share is None else round(100 - share * 100, PLACES),
        width=None if share is None else round(share * 100, PLACES),
        open_text=UNKNOWN if notional is None else short_usd(notional),
        share_text="" if share is None else share_percent(round(share, 6)),
        fill=None if fill is None else Axis(0, 100, 0, HALF).place(fill),
        fill_text=_fill_text(caps, fill),
        cap_text=short_usd(caps[f"{name}Usd"]) if fill is not None and caps[f"{name}Usd"] is not None else "",
        words=" ".join(_words(name, row, fill)),
    )


def _fill_text(caps: Mapping[str, Any] | None, fill: float | None) -> str:
    if caps is None:
        return f"cap {UNKNOWN}"
    return "no cap" if fill is None else f"{short_percent(fill)} of cap"


def _words(name: str, row: Mapping[str, Any], fill: float | None) -> Iterator[str]:
    notional, tracked, caps = row[f"{name}Usd"], row["capTracked"], row["caps"]
    held = UNKNOWN if notional is None else money(notional)
    yield f"{row['market']} {name}s: {held} open at entry prices."
    if tracked is not None:
        yield f"{amount(tracked[f'{name}Coins'])} coins count against the cap."
    if caps is not None and fill is None:
        yield "There is no cap."
    if fill is not None:
        cap = caps[f"{name}Usd"]
        yield f"{amount(fill)} % of the cap is in use" + ("." if cap is None else f", which is {money(cap)}.")
