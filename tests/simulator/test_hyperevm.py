"""The contracts' getters in front of the little market."""

from __future__ import annotations

import re
from typing import Any

import pytest

from papertrade_site.market.vocabulary import (
    BALANCE_OF_SELECTOR,
    EXCHANGE_CONTRACT,
    PAPER_CONTRACT,
    STAKING_CONTRACT,
    TOTAL_SUPPLY_SELECTOR,
    WIN_FEE_RATE_SELECTOR,
)
from papertrade_site.simulator.hyperevm import rpc
from papertrade_site.simulator.world import World


def call(to: str, data: str, *, number: int | str = 1) -> dict[str, Any]:
    """An ``eth_call``."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "eth_call",
        "params": [{"to": to, "data": data}, "latest"],
    }


def read(world: World, to: str, data: str) -> int:
    """The number that a getter returns, in one word."""
    answer: Any = rpc(world, call(to, data))
    assert re.fullmatch("0x[0-9a-f]{64}", answer["result"])
    return int(answer["result"], 16)


def balance_of(address: str) -> str:
    """The call data that asks a token for what an address holds."""
    return BALANCE_OF_SELECTOR + address.removeprefix("0x").rjust(64, "0")


@pytest.fixture(scope="module")
def world() -> World:
    """A small world that nobody changes but in its own test."""
    return World.create(seed=11, now_ms=1_796_040_000_000, traders=60)


def test_the_win_fee_is_two_percent(world: World) -> None:
    assert read(world, EXCHANGE_CONTRACT, WIN_FEE_RATE_SELECTOR) == 2 * 10**16


def test_paper_supply_and_stake_are_the_markets(world: World) -> None:
    paper = world.exchange.paper
    assert read(world, PAPER_CONTRACT, TOTAL_SUPPLY_SELECTOR) == paper.supply
    assert read(world, PAPER_CONTRACT, balance_of(STAKING_CONTRACT)) == paper.staked


def test_a_wallet_holds_the_paper_that_it_has_not_staked(world: World) -> None:
    account = next(each for each in world.exchange.ledger.accounts.values() if each.paper_held)
    assert read(world, PAPER_CONTRACT, balance_of(account.address)) == account.paper_held
    assert read(world, PAPER_CONTRACT, balance_of("0x5")) == 0


def test_a_batch_is_answered_item_by_item_with_its_ids(world: World) -> None:
    batch = [
        call(PAPER_CONTRACT, TOTAL_SUPPLY_SELECTOR, number="a"),
        {"id": 9, "method": "eth_sendRawTransaction", "params": ["0x"]},
        "what",
    ]
    answers: Any = rpc(world, batch)
    supply, unknown, nonsense = answers
    assert (supply["id"], int(supply["result"], 16)) == ("a", world.exchange.paper.supply)
    assert (unknown["id"], unknown["error"]["code"]) == (9, -32601)
    assert (nonsense["id"], nonsense["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("batch", [[], [call(PAPER_CONTRACT, TOTAL_SUPPLY_SELECTOR)] * 101])
def test_an_empty_or_huge_batch_is_refused_as_one(world: World, batch: list[object]) -> None:
    answer: Any = rpc(world, batch)
    assert answer["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("to", "data"),
    [
        (EXCHANGE_CONTRACT, "0x12345678"),
        (EXCHANGE_CONTRACT, "0x"),
        (EXCHANGE_CONTRACT, TOTAL_SUPPLY_SELECTOR),
        (EXCHANGE_CONTRACT, "rubbish"),
        (PAPER_CONTRACT, BALANCE_OF_SELECTOR + "0" * 63),
        ("0x" + "1" * 40, TOTAL_SUPPLY_SELECTOR),
    ],
)
def test_a_call_that_no_contract_knows_is_reverted(world: World, to: str, data: str) -> None:
    answer: Any = rpc(world, call(to, data))
    assert answer["error"] == {"code": 3, "message": "execution reverted"}


@pytest.mark.parametrize(
    "params", [None, [], [{}], ["0x"], [{"to": EXCHANGE_CONTRACT, "data": "0x48ee5e08"}, "0x10"]]
)
def test_only_the_latest_block_of_a_contract_can_be_called(world: World, params: object) -> None:
    answer: Any = rpc(world, {"id": 1, "method": "eth_call", "params": params})
    assert answer["error"]["code"] == -32602
