"""The rules of the exchange: opening, closing and busting positions, and what each does to everyone's money.

No chance and no clock: whoever calls says at which mid and when. All arithmetic is ``market/``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from papertrade_site.market.bust import bust_price
from papertrade_site.market.capacity import open_capacity
from papertrade_site.market.emission import paper_minted
from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.position import Position
from papertrade_site.market.settlement import Settlement, paper_basis, settle_position
from papertrade_site.market.vocabulary import TradeKind
from papertrade_site.simulator.accounts import Account, Ledger
from papertrade_site.simulator.chain import block_at
from papertrade_site.simulator.house import House
from papertrade_site.simulator.markets import (
    MINIMUM_MARGIN,
    MINIMUM_NOTIONAL,
    WIN_FEE_RATE,
    MarketTraits,
)
from papertrade_site.simulator.open_positions import OpenPositions
from papertrade_site.simulator.paper import Paper
from papertrade_site.simulator.tape import BestResults, Result, Tape
from papertrade_site.simulator.windows import Flows


class OrderRefusedError(ValueError):
    """An order that breaks one of the venue's rules; the text names the rule."""


@dataclass(slots=True)
class Counters:
    """Sums since genesis. ``volume`` (per market) and ``liquidated`` are dollars of notional at 10^18.

    Each position counts twice in ``volume`` and ``legs``: when it opens and when it ends.
    """

    volume: list[int]
    liquidated: int
    legs: int
    next_position_id: int


class Exchange:
    """All state that the venue's contracts hold."""

    def __init__(
        self,
        markets: Sequence[MarketTraits],
        *,
        ledger: Ledger,
        house: House,
        paper: Paper,
        counters: Counters,
    ) -> None:
        self.ledger = ledger
        self.house = house
        self.paper = paper
        self.counters = counters
        self.open_positions = [OpenPositions(traits) for traits in markets]
        """Those of every market, by instrument id."""
        self.owners: dict[str, Account] = {}
        """The account of every open position, by position id."""
        self.tape = Tape()
        self.best = BestResults()
        self.flows = Flows()

    @property
    def tvl(self) -> int:
        """All cash in the exchange, in dollars at 10^18.

        Exactly the traders' free cash, the margin in open positions, the LP, and the fees and sweeps
        that the keeper has not sent out yet. The payout queue is owed, not held, so it is no part of it.
        """
        return self.ledger.free + self.ledger.locked + self.house.held

    @property
    def volume(self) -> int:
        """Notional traded since genesis in all markets, dollars at 10^18."""
        return sum(self.counters.volume)

    def open(
        self,
        account: Account,
        *,
        market: int,
        side: Side,
        leverage: int,
        margin: int,
        mid: int,
        now_ms: int,
    ) -> Position:
        """Open a position at the mid of the market with that instrument id.

        Raises:
            OrderRefusedError: when the order breaks a minimum, a maximum or a cap, or the account
                lacks the free cash.
        """
        instrument = self.open_positions[market].instrument
        self._check(account, instrument, side=side, leverage=leverage, margin=margin, mid=mid)
        position = Position(
            id=str(self.counters.next_position_id),
            wallet=account.address,
            instrument_id=market,
            side=side,
            margin=margin,
            leverage=leverage,
            entry=mid,
            bust=bust_price(mid, leverage=leverage, side=side, bust_buffer=instrument.bust_buffer),
            opened_at_ms=now_ms,
        )
        self.counters.next_position_id += 1
        self.ledger.lock(account, position)
        self._enter(account, position)
        self._count_leg(account, position, realized=0, now_ms=now_ms)
        self._print(TradeKind.OPEN, position, price=mid, net=None, now_ms=now_ms)
        return position

    def restore(self, account: Account, position: Position) -> None:
        """Take in a position that was opened before the exchange came to life, counted already."""
        self.ledger.hold(account, position)
        self._enter(account, position)

    def end(self, position: Position, *, mid: int, now_ms: int) -> Settlement:
        """Close an open position at the mid, or bust it when the mid has reached its bust price."""
        account = self.owners.pop(position.id)
        market = self.open_positions[position.instrument_id]
        settlement = settle_position(market.traits.instrument, position, mark=mid, win_fee_rate=WIN_FEE_RATE)
        market.remove(position)
        self._mint(account, settlement)
        account.realized += settlement.net
        account.fees_paid += settlement.win_fee
        self.ledger.release(account, position, returned=position.margin + min(settlement.net, 0))
        if settlement.net > 0:
            self.house.pay_win(account, settlement.net, fee=settlement.win_fee)
        elif settlement.net < 0:
            self.house.take_loss(-settlement.net, liquidated=settlement.liquidated)
        if settlement.liquidated:
            self.counters.liquidated += position.notional
        self._count_leg(account, position, realized=settlement.net, now_ms=now_ms)
        kind = TradeKind.LIQUIDATION if settlement.liquidated else TradeKind.CLOSE
        self._print(kind, position, price=mid, net=settlement.net, now_ms=now_ms)
        self.best.add(Result(settlement.net, now_ms, position.id, mid, position))
        return settlement

    def _enter(self, account: Account, position: Position) -> None:
        self.open_positions[position.instrument_id].add(position)
        self.owners[position.id] = account

    def _check(
        self, account: Account, instrument: Instrument, *, side: Side, leverage: int, margin: int, mid: int
    ) -> None:
        if leverage < 1:
            raise OrderRefusedError("leverage below 1")
        if margin < MINIMUM_MARGIN:
            raise OrderRefusedError("margin below the minimum")
        if margin * leverage < MINIMUM_NOTIONAL:
            raise OrderRefusedError("notional below the minimum")
        if margin > account.free:
            raise OrderRefusedError("not enough free cash")
        capacity = open_capacity(instrument, side, leverage=leverage, mark=mid)
        if capacity.max_margin is not None and margin > capacity.max_margin:
            raise OrderRefusedError(str(capacity.limit))

    def _mint(self, account: Account, settlement: Settlement) -> None:
        basis = paper_basis(settlement, queue_active=bool(self.house.queue))
        if basis > 0:
            self.paper.mint(account, paper_minted(basis, rate=self.house.curve.mint_rate))

    def _count_leg(self, account: Account, position: Position, *, realized: int, now_ms: int) -> None:
        notional = position.notional
        account.volume += notional
        self.counters.volume[position.instrument_id] += notional
        self.counters.legs += 1
        self.flows.add(account.address, realized=realized, volume=notional, at_ms=now_ms, now_ms=now_ms)

    def _print(
        self, kind: TradeKind, position: Position, *, price: int, net: int | None, now_ms: int
    ) -> None:
        self.tape.record(kind, position, price=price, net=net, block=block_at(now_ms), at_ms=now_ms)
