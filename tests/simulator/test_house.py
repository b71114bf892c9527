"""Who pays whom: LP, fees, the payout queue and the sweep."""

from __future__ import annotations

import pytest

from papertrade_site.market.emission import Phase
from papertrade_site.market.scale import WAD
from papertrade_site.simulator.accounts import Account, Ledger
from papertrade_site.simulator.house import CAP, House


def usd(amount: float) -> int:
    """Dollars at 10^18."""
    return round(amount * 10**6) * 10**12


@pytest.fixture
def ledger() -> Ledger:
    """A ledger without accounts."""
    return Ledger()


@pytest.fixture
def house(ledger: Ledger) -> House:
    """A house on its first day."""
    return House(ledger)


def winner(ledger: Ledger, name: int) -> Account:
    """Enrol an account with nothing."""
    account = Account(f"0x{name:040x}")
    ledger.enrol(account)
    return account


def test_a_voluntary_loss_goes_to_the_lp_less_two_percent_split_in_halves(house: House) -> None:
    house.take_loss(usd(100), liquidated=False)
    assert (house.lp, house.fees, house.staker_fees, house.waiting_fees) == (usd(98), usd(2), usd(1), usd(2))
    assert house.traders_result == -usd(100)


def test_a_win_is_paid_from_the_lp_with_its_fee(ledger: Ledger, house: House) -> None:
    house.take_loss(usd(1_000), liquidated=True)
    account = winner(ledger, 1)
    house.pay_win(account, usd(98), fee=usd(2))
    assert account.free == ledger.free == usd(98)
    assert house.lp == usd(980 - 100)
    assert house.fees == usd(20 + 2)
    assert house.traders_result == usd(98) - usd(1_000)


def test_profit_that_the_lp_cannot_pay_waits_and_its_fee_is_not_charged(ledger: Ledger, house: House) -> None:
    house.take_loss(usd(50), liquidated=False)
    account = winner(ledger, 1)
    house.pay_win(account, usd(98), fee=usd(2))
    assert (account.free, account.queued, account.queue_nodes) == (usd(49), usd(49), 1)
    assert (house.lp, house.queued, house.fees) == (0, usd(49), usd(1))
    assert house.tracked_lp == -usd(49)
    assert house.traders_result == usd(98) - usd(50)


def test_a_fee_is_charged_as_far_as_the_lp_reaches_after_the_profit(ledger: Ledger, house: House) -> None:
    house.take_loss(usd(100), liquidated=True)
    house.pay_win(winner(ledger, 1), usd(97), fee=usd(2))
    assert (house.lp, house.fees) == (0, usd(2) + usd(1))


def test_the_queue_is_paid_first_in_first_out_and_nobody_overtakes(ledger: Ledger, house: House) -> None:
    first, second = winner(ledger, 1), winner(ledger, 2)
    house.pay_win(first, usd(30), fee=usd(1))
    house.pay_win(second, usd(20), fee=usd(1))
    house.take_loss(usd(25), liquidated=False)
    assert (first.free, first.queued, second.free, second.queued) == (usd(25), usd(5), 0, usd(20))
    house.take_loss(usd(10), liquidated=False)
    assert (first.free, first.queue_nodes, second.free, second.queued) == (usd(30), 0, usd(5), usd(15))
    assert [payout.account for payout in house.queue] == [second]


def test_a_voluntary_loss_pays_no_fee_while_the_queue_is_active(ledger: Ledger, house: House) -> None:
    house.pay_win(winner(ledger, 1), usd(30), fee=0)
    house.take_loss(usd(25), liquidated=False)
    assert house.fees == 0
    assert house.queued == usd(5)


def test_a_liquidation_pays_its_fee_while_the_queue_is_active(ledger: Ledger, house: House) -> None:
    account = winner(ledger, 1)
    house.pay_win(account, usd(300), fee=0)
    house.take_loss(usd(100), liquidated=True)
    assert house.fees == usd(2)
    assert account.free == usd(98)


def test_cash_above_the_cap_is_swept_98_percent_to_stakers(house: House) -> None:
    house.take_loss(CAP + usd(1_000), liquidated=False)
    fee = (CAP + usd(1_000)) * 2 // 100
    assert (house.lp, house.swept) == (CAP - fee + usd(1_000), 0)
    house.take_loss(usd(200_000), liquidated=False)
    excess = CAP - fee + usd(1_000) + usd(196_000) - CAP
    assert (house.lp, house.swept) == (CAP, excess)
    assert house.waiting_sweep == excess * 98 // 100
    assert house.waiting_fees == fee + usd(4_000) + excess - excess * 98 // 100
    assert house.staker_rewards == (fee + usd(4_000)) // 2 + excess * 98 // 100


def test_tail_progress_is_the_highest_gain_past_the_cliff_and_survives_a_payout(
    ledger: Ledger, house: House
) -> None:
    house.take_loss(usd(4_000_000), liquidated=True)
    assert house.tail_progress == usd(1_920_000)
    house.pay_win(winner(ledger, 1), usd(3_000_000), fee=0)
    house.take_loss(usd(100), liquidated=True)
    assert house.tail_progress == usd(1_920_000)
    assert house.curve.phase is Phase.FLAT
    assert house.curve.mint_rate == 100 * WAD


def test_the_keepers_batch_empties_what_waits_and_gives_the_stakers_theirs(house: House) -> None:
    house.take_loss(usd(100), liquidated=False)
    assert house.send_out() == usd(1)
    assert (house.waiting_fees, house.waiting_sweep, house.held) == (0, 0, usd(98))
    assert house.send_out() == 0
