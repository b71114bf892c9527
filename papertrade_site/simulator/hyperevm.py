"""HyperEVM's JSON-RPC: the contracts' getters that clients read, at the latest block, alone or in a batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from papertrade_site.market.vocabulary import (
    BALANCE_OF_SELECTOR,
    EXCHANGE_CONTRACT,
    PAPER_CONTRACT,
    STAKING_CONTRACT,
    TOTAL_SUPPLY_SELECTOR,
    WIN_FEE_RATE_SELECTOR,
)
from papertrade_site.simulator.markets import WIN_FEE_RATE
from papertrade_site.simulator.wire import Json
from papertrade_site.simulator.world import World

MOST_IN_BATCH = 100

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
REVERTED = 3

_CALL_DATA = re.compile(r"(0x[0-9a-f]{8})([0-9a-f]{64})?", re.ASCII)

Getter: TypeAlias = Callable[[World, int], int]
"""Reads an unsigned number out of a world; takes the call's argument, 0 when it has none."""


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
        return _error(None, code=INVALID_REQUEST, message="an empty batch, or too large a one")
    return [_answer(world, call) for call in body]


def _answer(world: World, call: object) -> Json:
    request = call if isinstance(call, Mapping) else {}
    number = request.get("id")
    try:
        result = _result(world, method=request.get("method"), params=request.get("params"))
    except RpcError as error:
        return _error(number, code=error.code, message=str(error))
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: Json, *, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _result(world: World, *, method: object, params: object) -> Json:
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
    getter = _GETTERS.get((to.lower(), found[1])) if found else None
    if found is None or getter is None:
        raise RpcError(REVERTED, "execution reverted")
    return f"0x{getter(world, int(found[2] or '0', 16)):064x}"


def _paper_of(world: World, argument: int) -> int:
    if argument == int(STAKING_CONTRACT, 16):
        return world.exchange.paper.staked
    account = world.exchange.ledger.accounts.get(f"0x{argument:040x}")
    return account.paper_held if account else 0


_GETTERS: dict[tuple[str, str], Getter] = {
    (EXCHANGE_CONTRACT, WIN_FEE_RATE_SELECTOR): lambda world, _: WIN_FEE_RATE,
    (PAPER_CONTRACT, TOTAL_SUPPLY_SELECTOR): lambda world, _: world.exchange.paper.supply,
    (PAPER_CONTRACT, BALANCE_OF_SELECTOR): _paper_of,
}
"""What can be called, by contract and selector."""
