"""The venue's ``/query`` answers: figures of the whole protocol, now and over time."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from papertrade_site.market.vocabulary import Interval, TradeKind
from papertrade_site.simulator.history import Point, Stretch
from papertrade_site.simulator.house import CAP, CLIFF, DECAY, MAX_RATE, QueuedPayout
from papertrade_site.simulator.markets import MARKETS
from papertrade_site.simulator.tape import Trade
from papertrade_site.simulator.wire import Json, plain, snapshot_source
from papertrade_site.simulator.world import World


def summary(world: World) -> dict[str, Json]:
    """The protocol's balances, activity, fees and PAPER figures."""
    exchange, house, paper = world.exchange, world.exchange.house, world.exchange.paper
    return {
        "ok": True,
        "source": {**snapshot_source(world.now_ms), "genesis": world.genesis_ms},
        "balances": {
            "tvl": str(exchange.tvl),
            "margin": str(exchange.ledger.locked),
            "lp": str(house.lp),
            "reserve": str(house.waiting_sweep),
            "queue": str(house.queued),
        },
        "activity": {"volume": str(exchange.volume), "open": len(exchange.owners)},
        "fees": {"pending": str(house.waiting_fees), "lifetime": str(house.fees)},
        "paper": {
            "supply": str(paper.supply),
            "staked": str(paper.staked),
            "trackedLp": str(house.tracked_lp),
            "accumulator": str(paper.accumulator),
            "tailProgress": str(house.tail_progress),
            "reserve": str(paper.reserve),
            "unallocated": str(paper.unallocated),
            "pendingRewards": str(paper.pending),
            "cliff": str(CLIFF),
            "cap": str(CAP),
            "excess": str(max(house.lp - CAP, 0)),
            "rate": str(MAX_RATE),
            "decay": str(DECAY),
        },
    }


def protocol_history(world: World, interval: Interval) -> dict[str, Json]:
    """The protocol's past in columns of plain figures; the last point is the summary's present."""
    stretch = world.history.stretch(interval, current=world.point)
    points = stretch.points
    return {
        "startMs": stretch.start_ms,
        "intervalMs": stretch.width_ms,
        "columns": {
            "tvl": _column(point.tvl for point in points),
            "stakingRewards": _column(point.staking_rewards for point in points),
            "volume": _column(point.volume_btc + point.volume_eth for point in points),
            "volumeBtc": _column(point.volume_btc for point in points),
            "volumeEth": _column(point.volume_eth for point in points),
            "traderPnl": _column(point.trader_pnl for point in points),
            "users": [point.users for point in points],
            "liquidation": _column(point.liquidated for point in points),
            "trades": [point.trades for point in points],
            "paperSupply": _column(point.paper_supply for point in points),
            "paperStaked": _column(point.paper_staked for point in points),
            "paperRevenue": _column(point.staker_fees for point in points),
        },
        "source": _history_source(world),
        "totals": _totals(points[-1], day_ago=world.history.a_day_ago()),
    }


def house_history(world: World, interval: Interval) -> dict[str, Json]:
    """The house's book and cash over time; the last point is the present."""
    stretch = world.history.stretch(interval, current=world.point)
    points = stretch.points
    return {
        "baseTimeMs": stretch.start_ms,
        "intervalMs": stretch.width_ms,
        "timeOffsetsMs": _offsets(stretch),
        "columns": {
            "bl": _column(point.btc_long for point in points),
            "bs": _column(point.btc_short for point in points),
            "el": _column(point.eth_long for point in points),
            "es": _column(point.eth_short for point in points),
            "lp": _column(point.lp for point in points),
        },
        "source": _history_source(world),
    }


def market_stats(world: World) -> dict[str, Json]:
    """Each market's volume of the last 24 hours, to the minute."""
    now, day_ago = world.point, world.history.a_day_ago()
    return {
        "ok": True,
        "source": snapshot_source(world.now_ms),
        "markets": {
            "0": {"volume_24h": str(now.volume_btc - day_ago.volume_btc)},
            "1": {"volume_24h": str(now.volume_eth - day_ago.volume_eth)},
        },
    }


def queue_summary(world: World) -> dict[str, Json]:
    """The payout queue: what is owed in all, to how many, to whom most and to whom next."""
    queue = world.exchange.house.queue
    return {
        "ok": True,
        "source": snapshot_source(world.now_ms),
        "total": str(world.exchange.house.queued),
        "count": len(queue),
        "largest": _payout(max(queue, key=lambda payout: payout.owed)) if queue else None,
        "front": _payout(queue[0]) if queue else None,
    }


def recent_trades(world: World) -> dict[str, Json]:
    """The newest trades, newest first."""
    events = [_event(trade) for trade in reversed(world.exchange.tape.trades)]
    return {"ok": True, "count": len(events), "events": events}


def _column(amounts: Iterable[int]) -> list[float]:
    return [plain(amount) for amount in amounts]


def _offsets(stretch: Stretch) -> list[int]:
    return [index * stretch.width_ms for index in range(len(stretch.points))]


def _history_source(world: World) -> dict[str, Json]:
    generation = sha256(f"genesis {world.genesis_ms}".encode()).hexdigest()
    return {
        "asOfMs": world.now_ms,
        "revision": str(world.revision),
        "generation": f"0x{generation}:1",
    }


def _totals(now: Point, *, day_ago: Point) -> dict[str, Json]:
    return {
        "tvlRaw": str(now.tvl),
        "rewardsRaw": str(now.staking_rewards),
        "volumeRaw": str(now.volume_btc + now.volume_eth),
        "liquidationRaw": str(now.liquidated),
        "tradesRaw": str(now.trades),
        "usersRaw": str(now.users),
        "stakerFees24hRaw": str(now.staker_fees - day_ago.staker_fees),
    }


def _payout(payout: QueuedPayout) -> dict[str, Json]:
    return {"wallet": payout.account.address, "owed": str(payout.owed)}


def _event(trade: Trade) -> dict[str, Json]:
    position = trade.position
    market = MARKETS[position.instrument_id].instrument
    return {
        "seq": str(trade.sequence),
        "ts": trade.at_ms,
        "wallet": position.wallet,
        "instrument": market.symbol,
        "instrumentId": market.id,
        "instrumentTerminal": market.terminal,
        "side": position.side.value,
        "leverage": position.leverage,
        "notionalUsd": plain(position.notional),
        "intentId": None,
        "positionId": position.id,
        "kind": trade.kind.value,
        "entry": market.price_usd(position.entry),
        "exit": None if trade.kind is TradeKind.OPEN else market.price_usd(trade.price),
        "pnlUsd": None if trade.net is None else plain(trade.net),
    }
