"""``get_paper_economics``: how much PAPER there is, where its mint curve stands, and what stakers earn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from mcp_analytics import SLUG
from papertrade_site.figures.text import amount, money
from papertrade_site.figures.tool import Found, reading_tool
from papertrade_site.figures.wire import WireModel
from papertrade_site.market.emission import Curve, Phase
from papertrade_site.market.scale import RAY, SHARE_DIGITS, WAD, paper, to_float, usd
from papertrade_site.market.sizing import share
from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream import exchange, hyperevm
from papertrade_site.upstream.models.history import Totals
from papertrade_site.upstream.models.summary import Paper
from papertrade_site.upstream.refusals import unexpected
from papertrade_site.upstream.sources import Sources

DESCRIPTION: Final = (
    "PAPER, the token that losing trades mint: supply and stake, the present mint rate and where it stands "
    "on its curve, and the dollars that stakers earn. Use it for questions about PAPER; call get_history "
    "for supply and stake over time. The curve is flat at maxMintRate while trackedLpUsd is below cliffUsd; "
    "from there on the rate is maxMintRate * (tailDecayUsd / (tailDecayUsd + tailProgressUsd))^2. Below the "
    "cliff it is taken to be flat even after tail progress, a case that the venue leaves open. PAPER cannot "
    "be transferred and has no market price, so an APR or a market value cannot be worked out from this: "
    "state none. Where a source fails, its figures are null; freshness says so."
)

EXAMPLE_RATE: Final = 25 * WAD
"""The rate that the venue's documents name as an example, at 10^18."""

ACCUMULATOR_DIGITS: Final = 18


class PaperEconomicsArguments(WireModel):
    """Nothing to choose."""


class PaperFigures(WireModel):
    """The token and its mint curve. PAPER to 6 decimals."""

    supply: float
    staked: float
    staked_share: float | None = Field(description="staked over supply, 0 to 1; null when nothing exists.")
    supply_source: Literal["onchain", "api"] = Field(
        description="Where supply and staked come from: HyperEVM, or the exchange's API when the chain does "
        "not answer."
    )
    mint_rate: float | None = Field(description="PAPER minted now per $1 of trader loss.")
    max_mint_rate: float | None
    phase: Phase | None = Field(
        description="flat: below the cliff, the maximum rate. tail: past it. tail_overflow: past the reward "
        "cap too, where further LP gains go to stakers; the rate is the tail's."
    )
    tracked_lp_usd: float | None = Field(
        description="Running result of the liquidity pool that decides the phase; may be negative."
    )
    cliff_usd: float | None
    tail_progress_usd: float | None = Field(
        description="The highest that gains past the cliff, those passed on included, have reached; never "
        "falls."
    )
    tail_decay_usd: float | None = Field(description="Tail progress at which the rate is a quarter.")
    tail_to_rate25_usd: float | None = Field(
        description="Further tail progress until the tail's rate is 25; 0 from then on. 25 is a mark on the "
        "curve, not its end: the rate falls on."
    )
    rate25_reached: bool | None = Field(
        description="Whether tail progress has gone that far. It stays true in the flat phase, where the "
        "rate is nevertheless at its maximum."
    )


class Staking(WireModel):
    """What stakers earn."""

    acc_reward_per_share_usd: float | None = Field(
        description="Dollars that one PAPER staked since the start has earned. 18 decimals, of which a JSON "
        "number holds the first 15 to 17 significant digits."
    )
    pending_rewards_usd: float | None = Field(description="Earned and not yet claimed, as the API reports.")
    reward_cap_usd: float | None = Field(
        description="Pool balance above which the pool's gains go to stakers; it caps no reward."
    )
    overflow_usd: float | None = Field(
        description="What the pool holds above that and has not handed on, as the API reports."
    )
    rewards_paid_total_usd: float | None = Field(
        description="All that stakers were given since launch, claimed or not: their half of the fees, "
        "and the pool's overflow."
    )
    rewards_24h_usd: float | None = Field(
        description="Stakers' fees of the last 24 hours as the API reports them, without overflow; not a "
        "day's part of rewardsPaidTotalUsd."
    )


class PaperEconomics(WireModel):
    """All of it."""

    paper: PaperFigures
    staking: Staking


@dataclass(frozen=True, slots=True)
class _Issued:
    """PAPER in existence and staked, at 10^18, both from one source."""

    supply: int
    staked: int
    source: Literal["onchain", "api"]


def find(_: PaperEconomicsArguments, sources: Sources) -> Found:
    """Read the chain, the exchange's summary and its history's totals; any one of them may be missing.

    Raises:
        UpstreamError: when neither the chain nor the summary can be read.
    """
    sources.prefetch(exchange.summary(), exchange.history(Interval.DAY), hyperevm.paper())
    issued, state = _issued_and_state(sources)
    totals = sources.optional(
        lambda: sources.history(Interval.DAY).totals, missing="There are no sums of rewards."
    )
    figures = PaperEconomics(paper=_paper(issued, state), staking=_staking(state, totals))
    return Found(figures, _sentence(issued, state))


def _issued_and_state(sources: Sources) -> tuple[_Issued, Paper | None]:
    chain = sources.optional(
        lambda: _on_chain(sources), missing="PAPER supply and stake are the exchange's own figures."
    )
    if chain is None:
        state = sources.summary().paper
        return _by_api(state), state
    missing = "There are no mint curve and no pot of the stakers."
    return chain, sources.optional(lambda: sources.summary().paper, missing=missing)


def _on_chain(sources: Sources) -> _Issued:
    """Supply and stake of one moment; half an answer of the chain is none, as halves do not add up."""
    chain = sources.paper()
    if chain.supply is None or chain.staked is None:
        raise unexpected("hyperevm.paper", "leaves out the supply or the stake")
    return _Issued(chain.supply, chain.staked, "onchain")


def _by_api(state: Paper) -> _Issued:
    if state.staked > state.supply:
        raise unexpected("exchange.summary", "has more PAPER staked than there is")
    return _Issued(state.supply, state.staked, "api")


def _paper(issued: _Issued, state: Paper | None) -> PaperFigures:
    staked_share = share(issued.staked, issued.supply)
    left = None if state is None else state.curve.tail_to_rate(EXAMPLE_RATE)
    return PaperFigures(
        supply=paper(issued.supply),
        staked=paper(issued.staked),
        staked_share=None if staked_share is None else to_float(staked_share, digits=SHARE_DIGITS),
        supply_source=issued.source,
        mint_rate=None if state is None else paper(state.curve.mint_rate),
        max_mint_rate=None if state is None else paper(state.rate),
        phase=None if state is None else state.curve.phase,
        tracked_lp_usd=None if state is None else usd(state.tracked_lp),
        cliff_usd=None if state is None else usd(state.cliff),
        tail_progress_usd=None if state is None else usd(state.tail_progress),
        tail_decay_usd=None if state is None else usd(state.decay),
        tail_to_rate25_usd=None if left is None else usd(left),
        rate25_reached=None if left is None else left == 0,
    )


def _staking(state: Paper | None, totals: Totals | None) -> Staking:
    accumulator = None if state is None else to_float(state.accumulator, RAY, digits=ACCUMULATOR_DIGITS)
    return Staking(
        acc_reward_per_share_usd=accumulator,
        pending_rewards_usd=None if state is None else usd(state.pending_rewards),
        reward_cap_usd=None if state is None else usd(state.cap),
        overflow_usd=None if state is None else usd(state.excess),
        rewards_paid_total_usd=None if totals is None else usd(totals.rewards),
        rewards_24h_usd=None if totals is None else usd(totals.staker_fees_24h),
    )


def _sentence(issued: _Issued, state: Paper | None) -> str:
    where = {"onchain": "on chain", "api": "by the exchange's API"}[issued.source]
    supply, staked = amount(paper(issued.supply)), amount(paper(issued.staked))
    curve = "Where PAPER is on its mint curve is not known now" if state is None else _place(state.curve)
    return f"{curve}; {supply} PAPER exist {where}, {staked} of them staked."


def _place(curve: Curve) -> str:
    """Where on the curve the protocol is, as a clause."""
    rate = f"PAPER mints {amount(paper(curve.mint_rate))} per $1 of trader loss"
    place = f"{rate}, {amount(paper(curve.max_rate))} at most, in the {curve.phase} phase"
    if curve.phase is Phase.FLAT:
        result, cliff = money(usd(curve.tracked_lp)), money(usd(curve.cliff))
        place += f", as the pool's result of {result} is below the cliff of {cliff}"
    return f"{place}; {_to_example_rate(curve)}"


def _to_example_rate(curve: Curve) -> str:
    """How far tail progress has to go, or has gone, to the example rate."""
    rate = amount(paper(EXAMPLE_RATE))
    if left := curve.tail_to_rate(EXAMPLE_RATE):
        return f"the tail's rate is {rate} after {money(usd(left))} more of tail progress"
    there = curve.tail_at_rate(EXAMPLE_RATE)
    if not there:
        return f"the tail's rate is never above {rate}"
    progress = money(usd(curve.tail_progress))
    return f"tail progress is {progress}; the tail's rate fell to {rate} at {money(usd(there))} of it"


TOOL: Final = reading_tool(
    find,
    server=SLUG,
    name="get_paper_economics",
    title="PAPER economics",
    description=DESCRIPTION,
    arguments=PaperEconomicsArguments,
    figures=PaperEconomics,
)
