"""Brings the exchange to life with a past: aggregates that end exactly at the state it starts from."""

from __future__ import annotations

from dataclasses import dataclass

from papertrade_site.market.instrument import Side
from papertrade_site.market.scale import RAY, WAD
from papertrade_site.market.vocabulary import DAY_MS, Interval
from papertrade_site.simulator.accounts import Ledger
from papertrade_site.simulator.candles import Candles
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.exchange import Counters, Exchange
from papertrade_site.simulator.history import History, Point
from papertrade_site.simulator.house import CAP, House
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.open_past import PastPositions
from papertrade_site.simulator.paper import Paper
from papertrade_site.simulator.population import Population, Sums, balance_deposits, settle_in
from papertrade_site.simulator.price_past import draw_past
from papertrade_site.simulator.prices import Prices, Shocks
from papertrade_site.simulator.timeline import Timeline
from papertrade_site.simulator.traders import Crowd, mean_standing

GENESIS_MS = 1_791_326_520_000
"""2026-10-06 22:42:00 UTC."""

YOUNGEST_MS = 8 * DAY_MS
OLDEST_MS = 400 * DAY_MS
MOVED_GENESIS_AGE_MS = 55 * DAY_MS

FULL_CROWD = 2_500
"""Traders of a full-size exchange; a smaller crowd makes a smaller market in proportion."""

OPENS_PER_TRADER_SECOND = 1.5 / FULL_CROWD
DAY_VOLUME_PER_TRADER_USD = 300e9 / FULL_CROWD
MEAN_NOTIONAL_USD = 1_200_000
"""What an order is worth on average, which ties the number of positions ever to the volume."""

ETH_SHARE_OF_VOLUME = 0.31
LIQUIDATED_SHARE_OF_VOLUME = 0.085
EARLY_INCOME = 3.0
"""How much more the house earned per trade in the first days than later."""


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Everything that a world starts with."""

    genesis_ms: int
    prices: Prices
    candles: list[Candles]
    exchange: Exchange
    crowd: Crowd
    history: History


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trading:
    """Paths that wallets and histories share, over the timeline's moments; dollars at 10^18."""

    volume_btc: list[int]
    volume_eth: list[int]
    result: list[int]


def genesis_for(now_ms: int) -> int:
    """The venue's own genesis while the clock is 8 to 400 days past it, else 55 days before the clock."""
    age = now_ms - GENESIS_MS
    return GENESIS_MS if YOUNGEST_MS <= age <= OLDEST_MS else now_ms - MOVED_GENESIS_AGE_MS


def opens_per_second(traders: int) -> float:
    """How many positions a crowd opens in a second on average."""
    return OPENS_PER_TRADER_SECOND * traders


def begin(dice: Dice, *, genesis_ms: int, now_ms: int, traders: int) -> Beginnings:
    """Draw an exchange with its whole past, as it stands at ``now_ms``."""
    shocks = Shocks(dice, MARKETS)
    past = draw_past(dice, MARKETS, shocks=shocks, genesis_ms=genesis_ms, now_ms=now_ms)
    timeline = Timeline(dice, genesis_ms=genesis_ms, now_ms=now_ms)
    exchange = _bare_exchange(dice, timeline, traders=traders)
    trading = _draw_trading(exchange, timeline)
    population = _populate(dice, exchange=exchange, timeline=timeline, trading=trading, traders=traders)
    positions = PastPositions(
        dice,
        population.crowd,
        markets=exchange.open_positions,
        past=past,
        timeline=timeline,
        opened_ever=int(exchange.volume / (2 * MEAN_NOTIONAL_USD * WAD)),
    )
    _restore_positions(dice, exchange=exchange, positions=positions, traders=traders)
    for account in population.accounts:
        balance_deposits(dice, account)
    return Beginnings(
        genesis_ms=genesis_ms,
        prices=Prices(dice, MARKETS, shocks=shocks, mids=[market.bars[-1].close for market in past]),
        candles=[market.candles() for market in past],
        exchange=exchange,
        crowd=population.crowd,
        history=_history(exchange, timeline=timeline, trading=trading),
    )


def point_of(exchange: Exchange) -> Point:
    """The exchange's present figures as its histories keep them."""
    btc, eth = exchange.open_positions
    return Point(
        tvl=exchange.tvl,
        staking_rewards=exchange.house.staker_rewards,
        volume_btc=exchange.counters.volume[btc.traits.instrument.id],
        volume_eth=exchange.counters.volume[eth.traits.instrument.id],
        trader_pnl=exchange.house.traders_result,
        users=len(exchange.ledger.accounts),
        liquidated=exchange.counters.liquidated,
        trades=exchange.counters.legs,
        paper_supply=exchange.paper.supply,
        paper_staked=exchange.paper.staked,
        staker_fees=exchange.house.staker_fees,
        btc_long=btc.entry_notional(Side.LONG),
        btc_short=btc.entry_notional(Side.SHORT),
        eth_long=eth.entry_notional(Side.LONG),
        eth_short=eth.entry_notional(Side.SHORT),
        lp=exchange.house.lp,
    )


def _bare_exchange(dice: Dice, timeline: Timeline, *, traders: int) -> Exchange:
    """An exchange without accounts, its counters such that the last day looks like every other."""
    last_day = timeline.activity_since(timeline.now_ms - DAY_MS)
    volume_usd = DAY_VOLUME_PER_TRADER_USD * traders * dice.uniform(0.9, 1.1) / last_day
    eth = int(volume_usd * ETH_SHARE_OF_VOLUME) * WAD
    btc = int(volume_usd) * WAD - eth
    ledger = Ledger()
    house = House(
        ledger,
        lp=CAP - int(dice.uniform(0.0, 900_000.0)) * WAD,
        swept=int(dice.uniform(650e6, 750e6) * 1e6) * (WAD // 10**6),
        fees=int(dice.uniform(120e6, 150e6) * 1e6) * (WAD // 10**6),
    )
    counters = Counters(
        volume=[btc, eth],
        liquidated=int((btc + eth) * LIQUIDATED_SHARE_OF_VOLUME),
        legs=0,
        next_position_id=1,
    )
    paper = Paper(accumulator=int(dice.uniform(0.028, 0.034) * RAY))
    return Exchange(MARKETS, ledger=ledger, house=house, paper=paper, counters=counters)


def _draw_trading(exchange: Exchange, timeline: Timeline) -> _Trading:
    btc, eth = exchange.counters.volume
    return _Trading(
        volume_btc=timeline.trading_sum(btc),
        volume_eth=timeline.trading_sum(eth),
        result=timeline.trading_sum(exchange.house.traders_result, early=EARLY_INCOME, wobble=1.5),
    )


def _populate(
    dice: Dice, *, exchange: Exchange, timeline: Timeline, trading: _Trading, traders: int
) -> Population:
    sums = Sums(
        volume=[btc + eth for btc, eth in zip(trading.volume_btc, trading.volume_eth, strict=True)],
        result=trading.result,
        paper=int(dice.uniform(24e9, 30e9)) * WAD,
        accumulator=exchange.paper.accumulator,
    )
    population = settle_in(dice, traders=traders, sums=sums, timeline=timeline, flows=exchange.flows)
    for account in population.accounts:
        exchange.ledger.enrol(account)
        exchange.paper.enrol(account)
    return population


def _restore_positions(dice: Dice, *, exchange: Exchange, positions: PastPositions, traders: int) -> None:
    standing = dice.poisson(mean_standing(opens_per_second(traders), MARKETS))
    for position in positions.still_open(standing):
        exchange.restore(exchange.ledger.accounts[position.wallet], position)
    for result in positions.best():
        exchange.best.add(result)
    opened = positions.highest_number
    exchange.counters.next_position_id = opened + 1
    exchange.counters.legs = 2 * opened - len(exchange.owners)


def _history(exchange: Exchange, *, timeline: Timeline, trading: _Trading) -> History:
    now = point_of(exchange)
    supply = timeline.trading_sum(now.paper_supply, early=2 * EARLY_INCOME)
    staked_share = timeline.level(10**9 * now.paper_staked // now.paper_supply, spread=0.02, hours=48)
    staked = [
        min(minted, minted * share // 10**9) for minted, share in zip(supply, staked_share, strict=True)
    ]
    staked[-1] = now.paper_staked
    columns = {
        "tvl": timeline.level(now.tvl, spread=0.1, hours=30, from_genesis=True),
        "staking_rewards": timeline.trading_sum(now.staking_rewards, early=EARLY_INCOME),
        "volume_btc": trading.volume_btc,
        "volume_eth": trading.volume_eth,
        "trader_pnl": trading.result,
        "users": timeline.joining_sum(now.users),
        "liquidated": timeline.trading_sum(now.liquidated),
        "trades": timeline.trading_sum(now.trades),
        "paper_supply": supply,
        "paper_staked": staked,
        "staker_fees": timeline.trading_sum(now.staker_fees),
        "btc_long": timeline.level(now.btc_long, spread=0.08, hours=5),
        "btc_short": timeline.level(now.btc_short, spread=0.08, hours=5),
        "eth_long": timeline.level(now.eth_long, spread=0.08, hours=5),
        "eth_short": timeline.level(now.eth_short, spread=0.08, hours=5),
        "lp": timeline.level(now.lp, spread=0.15, hours=2, most=CAP),
    }
    points = [Point(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    history = History()
    for interval in Interval:
        closes = timeline.closes(interval)
        history.load(
            interval,
            open_ms=timeline.now_ms // interval.width_ms * interval.width_ms,
            closed=[points[index] for index in closes],
        )
    return history
