"""HyperEVM's JSON-RPC: the three figures that are truest on the chain itself, in one batch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from papertrade_site.market.scale import WAD
from papertrade_site.market.vocabulary import (
    BALANCE_OF_SELECTOR,
    EXCHANGE_CONTRACT,
    PAPER_CONTRACT,
    STAKING_CONTRACT,
    TOTAL_SUPPLY_SELECTOR,
    WIN_FEE_RATE_SELECTOR,
)
from papertrade_site.strict_json import Json
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.lifetimes import LIFETIMES
from papertrade_site.upstream.resource import Host, Resource
from papertrade_site.upstream.wire import misfit

_NAME: Final = "hyperevm.paper"
_CALLS: Final = (
    (EXCHANGE_CONTRACT, WIN_FEE_RATE_SELECTOR),
    (PAPER_CONTRACT, TOTAL_SUPPLY_SELECTOR),
    (PAPER_CONTRACT, BALANCE_OF_SELECTOR + STAKING_CONTRACT[2:].rjust(64, "0")),
)
_WORD = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperChain:
    """What the contracts say: win fee as a fraction, PAPER in existence and staked, all at 10^18.

    A figure is None when its call alone failed; never all three.
    """

    win_fee_rate: int | None
    supply: int | None
    staked: int | None


def paper() -> Resource[PaperChain]:
    """Win fee, PAPER supply and PAPER staked at the chain's latest block."""
    return Resource(
        host=Host.HYPEREVM,
        name=_NAME,
        key="hyperevm:paper",
        lifetime=LIFETIMES[_NAME],
        fetch=_fetch,
        parse=_parse,
        observed_at_ms=lambda found: None,
    )


def _fetch(client: HttpClient, budget: CallBudget) -> Json:
    batch = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "eth_call",
            "params": [{"to": contract, "data": data}, "latest"],
        }
        for number, (contract, data) in enumerate(_CALLS)
    ]
    return client.post_json("", batch, source=_NAME, budget=budget)


def _parse(body: Json, now_ms: int) -> PaperChain:
    if not isinstance(body, list):
        raise misfit(_NAME, where="top")
    words = {item["id"]: _word(item.get("result")) for item in body if _is_numbered(item)}
    win_fee_rate, supply, staked = (words.get(number) for number in range(len(_CALLS)))
    if win_fee_rate is None and supply is None and staked is None:
        raise misfit(_NAME, where="result")
    if win_fee_rate is not None and win_fee_rate > WAD:
        raise misfit(_NAME, where="win fee rate")
    if supply is not None and staked is not None and staked > supply:
        raise misfit(_NAME, where="staked")
    return PaperChain(win_fee_rate=win_fee_rate, supply=supply, staked=staked)


def _is_numbered(item: Json) -> bool:
    return isinstance(item, dict) and type(item.get("id")) is int


def _word(result: Json) -> int | None:
    """The unsigned number of one 32-byte word, or None when the call gave none."""
    if isinstance(result, str) and _WORD.fullmatch(result):
        return int(result, 16)
    return None
