"""HyperEVM's JSON-RPC: the contracts' getters at the latest block, one call or a batch of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from papertrade_site.market.settlement import LOSS_FEE_RATE
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.chain import block_at
from papertrade_site.simulator.markets import LIQUIDATION_FEE_RATE, WIN_FEE_RATE
from papertrade_site.simulator.wire import Json
from papertrade_site.simulator.world import World

CHAIN_ID = 0x3E7
EXCHANGE = "0x6cd5661646289fb6e65ea5c032310fded797d0a2"
TOKENOMICS = "0x75174549dbbd44497d31a47e2e2d7406408d63d9"
PAPER = "0xe40f17915daa230324030003a197cdaef2261c0e"
STAKING = "0xaad6c7b0cc3014fc80ffedae0ed7ce5967b0f016"
BEST_QUOTE = "0x000000000000000000000000000000000000080e"
"""The precompile that takes a bare asset index and returns best bid and ask."""

WORD = 2**256
MOST_IN_BATCH = 100

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
REVERTED = 3

_CALL_DATA = re.compile(r"0x([0-9a-f]{8})?([0-9a-f]{64})?", re.ASCII)

Getter: TypeAlias = Callable[[World, int], list[int]]
"""Reads words out of a world; takes the call's argument, 0 when it has none."""


class RpcError(Exception):
    """An error answer: its code and message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def rpc(world: World, body: object) -> Json:
    """Answer a call, or a batch in its order."""
    if not isinstance(body, list):
        return _answer(world, body)
    if not 0 < len(body) <= MOST_IN_BATCH:
        return _error(None, INVALID_REQUEST, "an empty batch, or too large a one")
    return [_answer(world, call) for call in body]


def _answer(world: World, call: object) -> Json:
    wish = call if isinstance(call, Mapping) else {}
    number = wish.get("id")
    try:
        result = _result(world, wish.get("method"), wish.get("params"))
    except RpcError as error:
        return _error(number, error.code, str(error))
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: Json, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _result(world: World, method: object, params: object) -> Json:
    if method == "eth_chainId":
        return hex(CHAIN_ID)
    if method == "eth_blockNumber":
        return hex(block_at(world.now_ms))
    if method == "eth_call":
        return _eth_call(world, params)
    if isinstance(method, str):
        raise RpcError(METHOD_NOT_FOUND, "the method does not exist")
    raise RpcError(INVALID_REQUEST, "not a request")


def _eth_call(world: World, params: object) -> str:
    match params:
        case [{"to": str(to), "data": str(data)}]:
            pass
        case [{"to": str(to), "data": str(data)}, "latest"]:
            pass
        case _:
            raise RpcError(INVALID_PARAMS, "a contract, its call data, and the latest block alone")
    found = _CALL_DATA.fullmatch(data.lower())
    getter = _GETTERS.get((to.lower(), f"0x{found[1]}" if found and found[1] else ""))
    if found is None or getter is None:
        raise RpcError(REVERTED, "execution reverted")
    words = getter(world, int(found[2] or "0", 16))
    return "0x" + "".join(f"{word % WORD:064x}" for word in words)


def _account(world: World, argument: int) -> Account:
    address = f"0x{argument:040x}"
    return world.exchange.ledger.accounts.get(address) or Account(address)


def _instrument(world: World, argument: int) -> list[int]:
    market = world.exchange.books[_market(world, argument)].instrument
    return [
        market.rate_multiplier,
        market.position_multiplier,
        market.asset_index,
        market.max_leverage,
        market.max_position_notional,
        market.bust_buffer,
        market.base_rate,
        market.reference_notional,
    ]


def _open_interest(world: World, argument: int) -> list[int]:
    market = world.exchange.books[_market(world, argument)].instrument
    return [market.long_oi, market.short_oi, 0, market.long_cap, market.short_cap]


def _quote(world: World, argument: int) -> list[int]:
    quote = world.prices.quotes[_market(world, argument)]
    return [quote.bid, quote.ask]


def _market(world: World, argument: int) -> int:
    if argument >= len(world.exchange.books):
        raise RpcError(REVERTED, "execution reverted")
    return argument


def _paper_of(world: World, argument: int) -> list[int]:
    if argument == int(STAKING, 16):
        return [world.exchange.paper.staked]
    return [_account(world, argument).paper_held]


def _paper_rewards(world: World, argument: int) -> list[int]:
    return [world.exchange.paper.pending_of(_account(world, argument))]


_GETTERS: dict[tuple[str, str], Getter] = {
    (EXCHANGE, "0x48ee5e08"): lambda world, _: [WIN_FEE_RATE],
    (EXCHANGE, "0xf1a8786c"): lambda world, _: [LOSS_FEE_RATE],
    (EXCHANGE, "0x5fb3b1b5"): lambda world, _: [LIQUIDATION_FEE_RATE],
    (EXCHANGE, "0xdc8a47ef"): _instrument,
    (EXCHANGE, "0xf37d3c4f"): _open_interest,
    (EXCHANGE, "0x53ac4b66"): lambda world, _: [world.exchange.house.queued],
    (EXCHANGE, "0xa69a2ad1"): lambda world, _: [world.exchange.ledger.free + world.exchange.ledger.locked],
    (EXCHANGE, "0x01ad056f"): lambda world, _: [world.exchange.ledger.locked],
    (EXCHANGE, "0x27e235e3"): lambda world, argument: [_account(world, argument).balance],
    (EXCHANGE, "0x551306f3"): lambda world, argument: [_account(world, argument).queued],
    (EXCHANGE, "0x899346c7"): lambda world, _: [world.exchange.counters.next_position_id],
    (EXCHANGE, "0x53e23e2e"): lambda world, _: [0],
    (TOKENOMICS, "0x8cf554a7"): lambda world, _: [world.exchange.house.tracked_lp],
    (TOKENOMICS, "0xdc5682d2"): lambda world, _: [world.exchange.house.tail_progress],
    (PAPER, "0x18160ddd"): lambda world, _: [world.exchange.paper.supply],
    (PAPER, "0x70a08231"): _paper_of,
    (STAKING, "0xf40f0f52"): _paper_rewards,
    (STAKING, "0x939d6237"): lambda world, _: [world.exchange.paper.accumulator],
    (STAKING, "0x817b1cd2"): lambda world, _: [world.exchange.paper.staked],
    (BEST_QUOTE, ""): _quote,
}
"""What can be called, by contract and selector; the precompile has none."""
