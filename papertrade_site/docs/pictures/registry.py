"""The pictures that there are: of which tools each is drawn, what it takes, and what a reader may choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from papertrade_site.docs.pictures.history import history
from papertrade_site.docs.pictures.ladder import ladder
from papertrade_site.docs.pictures.paper_curve import paper_curve
from papertrade_site.docs.pictures.shapes import Draw, Figures
from papertrade_site.docs.pictures.skew import skew
from papertrade_site.docs.pictures.sparkline import sparkline


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One call that a picture is drawn of: the tool, which of the picture's arguments it gets, and others."""

    tool: str
    takes: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)


def _always(_: Figures) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An argument that a reader of a page may choose.

    Attributes:
        argument: its name.
        label: what it is called.
        values: what may be chosen; by default all that the tool's schema lists. An empty one leaves it out.
        unit: follows each value.
        left_out: what leaving it out is called.
        drops: arguments that a new choice may contradict, and so leaves out.
        applies: whether there is a choice, given what was found.
    """

    argument: str
    label: str
    values: tuple[str, ...] = ()
    unit: str = ""
    left_out: str = ""
    drops: tuple[str, ...] = ()
    applies: Callable[[Figures], bool] = _always


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture.

    Attributes:
        name: by which it is addressed; the name of its template too.
        server: the short name of the server whose tools it is drawn of.
        readings: the calls; the first takes all of the picture's arguments.
        draw: places what they found, in the same order.
        choices: what a reader of a page may choose.
    """

    name: str
    server: str
    readings: tuple[Reading, ...]
    draw: Draw
    choices: tuple[Choice, ...] = ()

    @property
    def takes(self) -> tuple[str, ...]:
        """The arguments of the picture."""
        return self.readings[0].takes


def _is_running_total(figures: Figures) -> bool:
    return bool(figures["kind"] == "cumulative")


PICTURES: Final = (
    Picture(
        name="ladder",
        server="liquidations",
        readings=(
            Reading(
                tool="get_bust_map",
                takes=("market", "bucketUsd", "wallets", "cascadePercent"),
                fixed={"maxBuckets": 200},
            ),
            Reading(tool="get_bust_cluster_summary", takes=("market", "wallets")),
        ),
        draw=ladder,
        choices=(
            Choice(argument="market", label="Market", drops=("bucketUsd",)),
            Choice(
                argument="cascadePercent",
                label="If the price moves",
                values=("", "0.25", "0.5", "1", "2", "5"),
                unit=" %",
                left_out="not at all",
            ),
        ),
    ),
    Picture(
        name="skew",
        server="analytics",
        readings=(Reading(tool="get_open_interest", takes=("market",)),),
        draw=skew,
    ),
    Picture(
        name="paper",
        server="analytics",
        readings=(Reading(tool="get_paper_economics"),),
        draw=paper_curve,
    ),
    Picture(
        name="sparkline",
        server="analytics",
        readings=(Reading(tool="get_market_stats", takes=("symbol",), fixed={"include_sparkline": True}),),
        draw=sparkline,
    ),
    Picture(
        name="history",
        server="analytics",
        readings=(Reading(tool="get_history", takes=("metric", "interval", "mode"), fixed={"limit": 500}),),
        draw=history,
        choices=(
            Choice(argument="metric", label="Figure", drops=("mode",)),
            Choice(argument="interval", label="By"),
            Choice(argument="mode", label="Show", applies=_is_running_total),
        ),
    ),
)

PICTURES_BY_NAME: Final = MappingProxyType({picture.name: picture for picture in PICTURES})
