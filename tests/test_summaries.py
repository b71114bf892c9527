"""The sentences of all tools: digits that a reader takes in, and words instead of names of fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from papertrade_site.market.vocabulary import SortKey
from papertrade_site.servers import SERVERS
from tests.clients.official import CALLS, TRADER
from tests.simulated_calls import SimulatedCalls, simulated_calls
from tests.tool_calls import answered

TOO_MANY_DIGITS: Final = re.compile(r"[1-9][0-9,]*\.[0-9]{3,}|\b0\.0*[1-9][0-9]{3,}")
MANY_CENTS: Final = re.compile(r"\$[0-9,]+,[0-9]{3},[0-9]{3}\.[0-9]")
"""Of millions; no price of this exchange has as many."""

FIELD_NAME: Final = re.compile(r"\b[a-z]+[0-9]*[A-Z]\w*")
ASKED: Final = [
    *(
        (slug, call.name, call.arguments)
        for slug, calls in CALLS.items()
        for call in calls
        if not call.refused
    ),
    *(("analytics", "get_top_traders", {"sort": key.value}) for key in SortKey),
    ("analytics", "get_history", {"metric": "paper_supply"}),
    ("analytics", "get_history", {"metric": "trader_pnl", "interval": "1h"}),
]


@pytest.fixture(scope="module")
def calls() -> Iterator[SimulatedCalls]:
    with simulated_calls() as calls:
        yield calls


@pytest.mark.parametrize(("slug", "name", "arguments"), ASKED)
def test_a_summary_is_a_sentence_for_readers(
    calls: SimulatedCalls, slug: str, name: str, arguments: dict[str, Any]
) -> None:
    accounts = calls.world.exchange.ledger.accounts.values()
    trader = max(accounts, key=lambda account: len(account.positions)).address
    sent = {key: trader if value == TRADER else value for key, value in arguments.items()}
    with calls.read_by_tools():
        _, summary = answered(SERVERS[slug].tools_by_name[name], sent)
    for pattern in (TOO_MANY_DIGITS, MANY_CENTS, FIELD_NAME):
        assert pattern.findall(summary) == []
