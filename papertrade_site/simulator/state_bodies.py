"""The venue's ``/state`` answers: trading state, wallets, leaderboards and the liquidation map."""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256

from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.ladder import Bucket, build_ladder
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.chain import block_at
from papertrade_site.simulator.leaderboard import Leaderboard
from papertrade_site.simulator.markets import MARKETS, MINIMUM_MARGIN, MINIMUM_NOTIONAL, WIN_FEE_RATE
from papertrade_site.simulator.paging import Page, page_of
from papertrade_site.simulator.tape import Result
from papertrade_site.simulator.wire import Json, snapshot_source
from papertrade_site.simulator.world import World

MAP_BUCKET_TICKS = {0: 100, 1: 50}
"""The liquidation map's bucket size in raw price units per market: $10 for BTC, $0.5 for ETH."""

INTENT_EVERY = 3
"""Positions whose number this divides were opened without an intent."""


def trading(world: World) -> dict[str, Json]:
    """Switches, minimums, and both markets in the venue's tuples of 23."""
    return {
        "schemaVersion": 1,
        "indexedThroughBlock": block_at(world.now_ms),
        "tradingPaused": False,
        "minimumTradeSizeRaw": str(MINIMUM_MARGIN),
        "minimumOpenNotionalRaw": str(MINIMUM_NOTIONAL),
        "accRewardPerShareRaw": str(world.exchange.paper.accumulator),
        "winFeeRateRaw": str(WIN_FEE_RATE),
        "minimumLeverage": 1,
        "maximumLeverage": 1_000,
        "intakeControls": ["1", str(WAD), []],
        "instruments": [_instrument(positions.instrument) for positions in world.exchange.open_positions],
    }


def wallet(world: World, address: str) -> dict[str, Json]:
    """A wallet's snapshot; one that the exchange does not know is an empty one."""
    account = world.exchange.ledger.accounts.get(address) or Account(address)
    newest_first = sorted(account.positions.values(), key=lambda position: -int(position.id))
    return {
        "address": address,
        "accountRevision": str(account.revision),
        "walletRevision": str(world.revision),
        "indexedThroughBlock": str(block_at(world.now_ms)),
        "indexedThroughTimestamp": world.now_ms // 1000,
        "queueRevision": str(world.exchange.counters.legs),
        "sessionKeys": [],
        "balance": str(account.balance),
        "queued": str(account.queued),
        "locked": str(account.locked),
        "funds": {
            "reservedBalance": "0",
            "reservedQueued": "0",
            "availableBalance": str(account.free),
            "availableQueued": str(account.queued),
        },
        "queueNodeCount": account.queue_nodes,
        "consumableDebt": "0",
        "paper": {
            "balance": str(account.paper_held),
            "staked": str(account.paper_staked),
            "pendingBase": str(account.reward_base),
            "rewardDebt": str(account.reward_debt),
        },
        "lifetime": {
            "depositedRaw": str(account.deposited),
            "withdrawnRaw": str(account.withdrawn),
            "realizedPnlRaw": str(account.realized),
            "feesPaidRaw": str(account.fees_paid),
            "tradedNotionalRaw": str(account.volume),
        },
        "operations": [],
        "openPositions": [_open_position(position) for position in newest_first],
    }


def accounts(
    world: World, leaderboard: Leaderboard, *, window: Window, key: SortKey, number: int, size: int
) -> dict[str, Json]:
    """A page of the leaderboard, best first."""
    ledger = world.exchange.ledger
    page = page_of(leaderboard.ranking(window, key), number=number, size=size)
    return {
        "ok": True,
        "summary": {
            "uniqueAccounts": len(ledger.accounts),
            "trackedBalance": str(ledger.free + ledger.locked),
        },
        "accounts": [_row(leaderboard, account, window=window) for account in page.rows],
        "pageInfo": _page_info(page),
    }


def best_positions(world: World, *, window: Window, number: int, size: int) -> dict[str, Json]:
    """A page of the best single positions of a window; the list is short and ends after a few pages."""
    since = None if window.length_ms is None else world.now_ms - window.length_ms
    page = page_of(world.exchange.best.best(since_ms=since), number=number, size=size)
    return {
        "ok": True,
        "positions": [_result(world, result) for result in page.rows],
        "pageInfo": _page_info(page),
    }


def liquidation_map(world: World, instrument_id: int) -> dict[str, Json]:
    """All open positions of a market by bust price; ``price`` is a bucket's lower edge in dollars."""
    positions, mid = world.exchange.open_positions[instrument_id], world.prices.mids[instrument_id]
    size = MAP_BUCKET_TICKS[instrument_id]
    ladder = build_ladder(positions.by_id.values(), mark=mid, size=Fraction(size))
    by_low: dict[int, dict[Side, Bucket]] = {}
    for bucket in ladder.buckets:
        by_low.setdefault(int(bucket.low), {})[bucket.side] = bucket
    instrument = positions.traits.instrument
    return {
        "ok": True,
        "source": snapshot_source(world.now_ms),
        "instrumentId": instrument_id,
        "mark": instrument.price_usd(mid),
        "bucketSize": instrument.price_usd(size),
        "buckets": [_map_bucket(instrument, low=low, sides=sides) for low, sides in by_low.items()],
    }


def _instrument(instrument: Instrument) -> list[Json]:
    return [
        instrument.id,
        instrument.symbol,
        instrument.asset_index,
        str(instrument.price_scale),
        instrument.active,
        instrument.paused,
        instrument.terminal,
        instrument.retired,
        instrument.close_only,
        instrument.frozen_bid,
        instrument.frozen_ask,
        instrument.paused_at_ms,
        str(instrument.rate_multiplier),
        str(instrument.position_multiplier),
        instrument.max_leverage,
        str(instrument.max_position_notional),
        str(instrument.bust_buffer),
        str(instrument.base_rate),
        str(instrument.reference_notional),
        str(instrument.long_oi),
        str(instrument.short_oi),
        str(instrument.long_cap),
        str(instrument.short_cap),
    ]


def _open_position(position: Position) -> list[Json]:
    return [
        position.id,
        position.instrument_id,
        position.side is Side.LONG,
        False,
        str(position.entry),
        str(position.margin),
        position.leverage,
        str(position.bust),
        position.opened_at_ms,
        _intent(position.id),
    ]


def _intent(position_id: str) -> str | None:
    if int(position_id) % INTENT_EVERY == 0:
        return None
    return f"0x{sha256(position_id.encode()).hexdigest()}"


def _row(leaderboard: Leaderboard, account: Account, *, window: Window) -> dict[str, Json]:
    figures = leaderboard.figures(account, window)
    count = figures.pop(SortKey.OPEN_POSITIONS)
    return {
        "address": account.address,
        "leaderboardName": account.name,
        **{key.value: str(amount) for key, amount in figures.items()},
        SortKey.OPEN_POSITIONS.value: count,
    }


def _page_info(page: Page[Account] | Page[Result]) -> dict[str, Json]:
    return {"page": page.number, "pageSize": page.size, "totalPages": page.total}


def _result(world: World, result: Result) -> dict[str, Json]:
    position = result.position
    instrument = MARKETS[position.instrument_id].instrument
    return {
        "address": position.wallet,
        "leaderboardName": world.exchange.ledger.accounts[position.wallet].name,
        "positionId": position.id,
        "instrumentId": position.instrument_id,
        "instrument": instrument.symbol,
        "isLong": position.side is Side.LONG,
        "margin": str(position.margin),
        "leverage": position.leverage,
        "notional": str(position.notional),
        "entry": instrument.price_usd(position.entry),
        "exit": instrument.price_usd(result.exit_price),
        "netPnl": str(result.net),
        "openedAt": position.opened_at_ms,
        "closedAt": result.closed_at_ms,
    }


def _map_bucket(instrument: Instrument, *, low: int, sides: dict[Side, Bucket]) -> dict[str, Json]:
    longs, shorts = sides.get(Side.LONG), sides.get(Side.SHORT)
    return {
        "price": instrument.price_usd(low),
        "longNotional": str(longs.notional if longs else 0),
        "shortNotional": str(shorts.notional if shorts else 0),
        "longCount": longs.positions if longs else 0,
        "shortCount": shorts.positions if shorts else 0,
    }
