"""The contracts' getters in front of the little market."""

from __future__ import annotations

from typing import Any

import pytest

from papertrade_site.market.instrument import mid_price
from papertrade_site.simulator.hyperevm import BEST_QUOTE, EXCHANGE, PAPER, STAKING, TOKENOMICS, rpc
from papertrade_site.simulator.world import World


def call(to: str, data: str, *, number: int | str = 1) -> dict[str, Any]:
    """An ``eth_call``."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "eth_call",
        "params": [{"to": to, "data": data}, "latest"],
    }


def words(world: World, to: str, selector: str, *arguments: int) -> list[int]:
    """The numbers that a getter returns."""
    data = selector + "".join(f"{argument:064x}" for argument in arguments)
    answer: Any = rpc(world, call(to, data))
    text = answer["result"].removeprefix("0x")
    assert len(text) % 64 == 0
    return [int(text[start : start + 64], 16) for start in range(0, len(text), 64)]


@pytest.fixture(scope="module")
def world() -> World:
    """A small world that nobody changes but in its own test."""
    return World.create(seed=11, now_ms=1_796_040_000_000, traders=60)


@pytest.mark.parametrize("selector", ["0x48ee5e08", "0xf1a8786c", "0x5fb3b1b5"])
def test_all_three_fees_are_two_percent(world: World, selector: str) -> None:
    assert words(world, EXCHANGE, selector) == [2 * 10**16]


def test_paper_supply_and_stake_are_the_markets(world: World) -> None:
    paper = world.exchange.paper
    assert words(world, PAPER, "0x18160ddd") == [paper.supply]
    assert words(world, PAPER, "0x70a08231", int(STAKING, 16)) == [paper.staked]
    assert words(world, STAKING, "0x817b1cd2") == [paper.staked]
    assert words(world, STAKING, "0x939d6237") == [paper.accumulator]


def test_an_accounts_figures_are_its_own(world: World) -> None:
    account = next(each for each in world.exchange.ledger.accounts.values() if each.paper_staked)
    number = int(account.address, 16)
    assert words(world, EXCHANGE, "0x27e235e3", number) == [account.balance]
    assert words(world, EXCHANGE, "0x551306f3", number) == [account.queued]
    assert words(world, PAPER, "0x70a08231", number) == [account.paper_held]
    assert words(world, STAKING, "0xf40f0f52", number) == [world.exchange.paper.pending_of(account)]


def test_an_unknown_account_has_nothing(world: World) -> None:
    assert words(world, EXCHANGE, "0x27e235e3", 5) == [0]


def test_the_exchanges_totals_are_the_markets(world: World) -> None:
    exchange = world.exchange
    assert words(world, EXCHANGE, "0xa69a2ad1") == [exchange.ledger.free + exchange.ledger.locked]
    assert words(world, EXCHANGE, "0x01ad056f") == [exchange.ledger.locked]
    assert words(world, EXCHANGE, "0x53ac4b66") == [exchange.house.queued]
    assert words(world, EXCHANGE, "0x899346c7") == [exchange.counters.next_position_id]
    assert words(world, EXCHANGE, "0x53e23e2e") == [0]
    assert words(world, TOKENOMICS, "0xdc5682d2") == [exchange.house.tail_progress]


def test_markets_are_read_by_number(world: World) -> None:
    for number, book in enumerate(world.exchange.books):
        market = book.instrument
        assert words(world, EXCHANGE, "0xdc8a47ef", number)[2:6] == [
            number,
            1_000,
            market.max_position_notional,
            market.bust_buffer,
        ]
        assert words(world, EXCHANGE, "0xf37d3c4f", number) == [
            market.long_oi,
            market.short_oi,
            0,
            market.long_cap,
            market.short_cap,
        ]
        quote: Any = rpc(world, call(BEST_QUOTE, f"0x{number:064x}"))
        bid, ask = (int(quote["result"][start : start + 64], 16) for start in (2, 66))
        assert mid_price(bid, ask) == world.prices.mids[number]


def test_a_negative_result_of_the_lp_is_twos_complement() -> None:
    world = World.create(seed=12, now_ms=1_796_040_000_000, traders=40)
    world.exchange.house.lp = 0
    account = next(iter(world.exchange.ledger.accounts.values()))
    world.exchange.house.pay_win(account, 7, fee=0)
    assert words(world, TOKENOMICS, "0x8cf554a7") == [2**256 - 7]


def test_a_batch_is_answered_item_by_item_with_its_ids(world: World) -> None:
    batch = [
        call(PAPER, "0x18160ddd", number="a"),
        {"id": 7, "method": "eth_chainId"},
        {"id": 8, "method": "eth_blockNumber", "params": []},
        {"id": 9, "method": "eth_sendRawTransaction", "params": ["0x"]},
        "what",
    ]
    answers: Any = rpc(world, batch)
    supply, chain, block, unknown, nonsense = answers
    assert supply["id"] == "a"
    assert (chain["id"], chain["result"]) == (7, "0x3e7")
    assert int(block["result"], 16) > 52_000_000
    assert (unknown["id"], unknown["error"]["code"]) == (9, -32601)
    assert (nonsense["id"], nonsense["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("batch", [[], [call(PAPER, "0x18160ddd")] * 101])
def test_an_empty_or_huge_batch_is_refused_as_one(world: World, batch: list[object]) -> None:
    answer: Any = rpc(world, batch)
    assert answer["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("to", "data"),
    [
        (EXCHANGE, "0x12345678"),
        (EXCHANGE, "0x"),
        (EXCHANGE, "0x18160ddd"),
        (EXCHANGE, "rubbish"),
        (EXCHANGE, "0xf37d3c4f" + "0" * 63 + "2"),
        ("0x" + "1" * 40, "0x18160ddd"),
    ],
)
def test_a_call_that_no_contract_knows_is_reverted(world: World, to: str, data: str) -> None:
    answer: Any = rpc(world, call(to, data))
    assert answer["error"] == {"code": 3, "message": "execution reverted"}


@pytest.mark.parametrize("params", [None, [], [{}], ["0x"], [{"to": EXCHANGE, "data": "0x48ee5e08"}, "0x10"]])
def test_only_the_latest_block_of_a_contract_can_be_called(world: World, params: object) -> None:
    answer: Any = rpc(world, {"id": 1, "method": "eth_call", "params": params})
    assert answer["error"]["code"] == -32602
