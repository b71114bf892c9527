"""The mint curve of PAPER: what a dollar of loss mints, by how far the pool has gained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.docs.pictures.amounts import UNKNOWN, share_percent, short, short_usd, trimmed
from papertrade_site.docs.pictures.scale import PLACES, Axis, ticks
from papertrade_site.docs.pictures.shapes import Note, Shapes
from papertrade_site.figures.text import amount, money
from papertrade_site.market.emission import Curve
from papertrade_site.market.scale import paper, wad_of

TOP: Final = 70
BOTTOM: Final = 250
"""The curve's part of the picture, in pixels from its top."""

BELOW: Final = 92
"""Pixels below it that the gains' labels, the axis's name and the stake take."""

LEFT: Final = 0.0
RIGHT: Final = 100.0
EDGE: Final = 6.0
"""How near to an edge, in percent, a label would leave the picture if it stood in the middle."""

SAMPLES: Final = 120
"""Points that the tail is drawn by."""

PAST_DECAY: Final = 1.5
"""The curve is drawn at least so many times the decay past the cliff, to 16 % of the maximum rate."""

PAST_HERE: Final = 1.2
"""The curve goes on past where it is now by a fifth of the way."""

PHASES: Final = {
    "flat": "before the cliff",
    "tail": "past the cliff",
    "tail_overflow": "past the cliff, gains go to stakers",
}
RATE_25: Final = 25.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of the picture, ``x`` in percent and ``y`` in pixels, with its label."""

    x: float
    y: float
    label: str
    words: str

    @property
    def edge(self) -> str:
        """How its label stands below the point without leaving the picture."""
        return "start" if self.x < EDGE else "end" if self.x > RIGHT - EDGE else "middle"

    @property
    def anchor(self) -> str:
        """The side of the point on which its label has room."""
        return "end" if self.x > (LEFT + RIGHT) / 2 else "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """The curve itself; ``points`` is in thousandths of the width and in pixels."""

    points: str
    here: Spot
    cliff: Spot
    cliff_y: int
    rate_25: Spot | None
    gains: tuple[Spot, ...]
    rates: tuple[Spot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCurve(Shapes):
    """All that the template draws; no plot where the curve is not known."""

    plot: Plot | None
    staked: float | None
    supply_text: str
    supply_words: str
    staked_text: str
    bottom: int = BOTTOM
    end: int = int(RIGHT * 10)
    gains_y: int = BOTTOM + 16
    axis_y: int = BOTTOM + 32
    stake_y: int = BOTTOM + 58


def paper_curve(result: Mapping[str, Any]) -> PaperCurve:
    """Spot the result of ``get_paper_economics``."""
    token = result["paper"]
    share = token["stakedShare"]
    is_known = token["mintRate"] is not None
    return PaperCurve(
        title="PAPER mint curve",
        foot=BOTTOM + BELOW,
        plot=_plot(token) if is_known else None,
        headline=_headline(token) if is_known else Note("Where PAPER is on its mint curve is not known now"),
        staked=None if share is None else round(share * 100, PLACES),
        supply_text=f"Supply {short(token['supply'])}",
        supply_words=f"{amount(token['supply'])} PAPER exist, {amount(token['staked'])} of them staked.",
        staked_text=f"{short(token['staked'])} staked"
        + (f", {UNKNOWN} share" if share is None else f", {share_percent(share)}"),
    )


def _headline(token: Mapping[str, Any]) -> Note:
    short_rate, exact_rate = short(token["mintRate"]), amount(token["mintRate"])
    what = f"PAPER per $1 lost, {PHASES[token['phase']]}"
    return Note(f"{short_rate} {what}", f"{exact_rate} {what}")


def _plot(token: Mapping[str, Any]) -> Plot:
    cliff, progress, decay = token["cliffUsd"], token["tailProgressUsd"], token["tailDecayUsd"]
    is_flat = token["phase"] == "flat"
    here = token["trackedLpUsd"] if is_flat else cliff + progress
    end = cliff + max(decay * PAST_DECAY, progress * PAST_HERE)
    gains = Axis(min(0.0, here), max(end, here), LEFT, RIGHT)
    rates = Axis(0, token["maxMintRate"], BOTTOM, TOP)
    return Plot(
        points=" ".join(_points(token, gains, rates)),
        here=Spot(
            gains.place(here),
            rates.place(token["mintRate"]),
            f"We are here: {short(token['mintRate'])}",
            _here_words(token),
        ),
        cliff=Spot(
            gains.place(cliff),
            rates.place(token["maxMintRate"]),
            f"cliff {trimmed(short_usd(cliff))}: the rate falls",
            money(cliff),
        ),
        cliff_y=BOTTOM - 10 if is_flat else TOP - 4,  # away from where we are
        rate_25=_rate_25(token, gains, rates),
        gains=tuple(_gain_lines(gains)),
        rates=tuple(_rate_lines(rates)),
    )


def _points(token: Mapping[str, Any], gains: Axis, rates: Axis) -> Iterator[str]:
    """The curve from the left: flat to the cliff, then the tail by the contract's own arithmetic."""
    cliff = token["cliffUsd"]
    yield _point(gains.low, token["maxMintRate"], gains, rates)
    yield _point(cliff, token["maxMintRate"], gains, rates)
    reach = gains.high - cliff
    for sample in range(1, SAMPLES + 1):
        progress = reach * (sample / SAMPLES) ** 2  # closer together near the cliff, where the curve bends
        yield _point(cliff + progress, _tail_rate(token, progress), gains, rates)


def _point(gain: float, rate: float, gains: Axis, rates: Axis) -> str:
    return f"{gains.place(gain) * 10:.1f},{rates.place(rate):g}"


def _tail_rate(token: Mapping[str, Any], progress: float) -> float:
    """PAPER per dollar of loss when the tail has come so far."""
    cliff = wad_of(token["cliffUsd"])
    curve = Curve(
        tracked_lp=cliff,
        tail_progress=wad_of(progress),
        cliff=cliff,
        cap=cliff + 1,
        max_rate=wad_of(token["maxMintRate"]),
        decay=wad_of(token["tailDecayUsd"]),
    )
    return paper(curve.mint_rate)


def _here_words(token: Mapping[str, Any]) -> str:
    return (
        f"{amount(token['mintRate'])} PAPER per $1 of trader loss now, "
        f"{amount(token['maxMintRate'])} at most. "
        f"The pool's running result is {money(token['trackedLpUsd'])}, "
        f"its cliff {money(token['cliffUsd'])}, "
        f"tail progress {money(token['tailProgressUsd'])}."
    )


def _rate_25(token: Mapping[str, Any], gains: Axis, rates: Axis) -> Spot | None:
    """Where the tail's rate is 25, while that is still ahead and on the picture."""
    left = token["tailToRate25Usd"]
    at = token["cliffUsd"] + token["tailProgressUsd"] + left
    if token["rate25Reached"] or not gains.holds(at):
        return None
    words = f"The tail's rate is 25 after {money(left)} more of tail progress."
    return Spot(gains.place(at), rates.place(RATE_25), f"25 after {short_usd(left)} more", words)


def _rate_lines(rates: Axis) -> Iterator[Spot]:
    """All but zero, where the curve may run; the highest names what they count in."""
    shown = ticks(rates.low, rates.high, most=5)[1:]
    for rate in shown:
        unit = " PAPER per $1" if rate == shown[-1] else ""
        yield Spot(LEFT, rates.place(rate), f"{trimmed(short(rate))}{unit}", "")


def _gain_lines(gains: Axis) -> Iterator[Spot]:
    for gain in ticks(gains.low, gains.high, most=5):
        yield Spot(gains.place(gain), BOTTOM, trimmed(short_usd(gain)), "")
