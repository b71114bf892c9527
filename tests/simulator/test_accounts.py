"""Accounts and the ledger's running totals."""

from __future__ import annotations

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.scale import WAD
from papertrade_site.simulator.accounts import Account, Ledger

WALLET = "0x" + "1" * 40
POSITION = Position(
    id="7",
    wallet=WALLET,
    instrument_id=0,
    side=Side.LONG,
    margin=30 * WAD,
    leverage=100,
    entry=830655,
    bust=822740,
    opened_at_ms=5,
)


def test_a_ledger_takes_in_what_an_account_already_holds() -> None:
    ledger = Ledger()
    ledger.enrol(Account(WALLET, free=5, locked=7))
    assert (ledger.free, ledger.locked) == (5, 7)


def test_cash_comes_in_and_leaves() -> None:
    ledger, account = Ledger(), Account(WALLET)
    ledger.enrol(account)
    ledger.deposit(account, 100 * WAD)
    ledger.withdraw(account, 40 * WAD)
    assert (account.deposited, account.withdrawn, account.free) == (100 * WAD, 40 * WAD, 60 * WAD)
    assert ledger.free == 60 * WAD


def test_a_positions_margin_is_locked_and_comes_back_in_part() -> None:
    ledger, account = Ledger(), Account(WALLET)
    ledger.enrol(account)
    ledger.deposit(account, 100 * WAD)
    ledger.lock(account, POSITION)
    assert (account.free, account.locked, account.balance) == (70 * WAD, 30 * WAD, 100 * WAD)
    assert account.open_notional == 3_000 * WAD
    ledger.release(account, POSITION, returned=10 * WAD)
    assert (account.free, account.locked, account.open_notional) == (80 * WAD, 0, 0)
    assert (ledger.free, ledger.locked, account.positions) == (80 * WAD, 0, {})


def test_every_movement_raises_the_accounts_revision() -> None:
    ledger, account = Ledger(), Account(WALLET)
    ledger.enrol(account)
    ledger.deposit(account, 1)
    ledger.credit(account, 1)
    assert account.revision == 2
