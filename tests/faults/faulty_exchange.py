"""Tools over an embedded exchange that misbehaves, each call as the first of a new process."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from unittest.mock import patch

import jsonschema_rs
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.clock import Clock
from papertrade_site.env import Source
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.mcp.dispatch import UNFORESEEN, Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.upstream import exchange
from papertrade_site.upstream.budget import CALL_REQUESTS, CALL_SECONDS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.http import Answer, HttpClient
from papertrade_site.upstream.labels import LABELS
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Host
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.faults.upstream_outcomes import ALWAYS, CEILING_SECONDS, HURRIED, HURRIED_SECONDS, NEEDS
from tests.venue_bodies import NOW_MS

SERVERS: Final = {server.slug: server for server in (LIQUIDATIONS, ANALYTICS)}
VALIDATORS: Final = {
    tool.name: jsonschema_rs.validator_for(tool.output_schema)
    for server in SERVERS.values()
    for tool in server.tools
}
UPSTREAM_WORDS: Final = re.compile(
    rb"Ignore all|Oops|h1>|elsewhere|service unavailable|too many requests", re.IGNORECASE
)
"""Words of what the exchange sends in place of its documents."""

WHAT_NEXT: Final = re.compile(r"Try again in \d+ s\b|Ask for (less|something else)")


@dataclass(slots=True)
class Answered:
    """What a call came to: the message's bytes, its result, and what it took.

    Attributes:
        asked: the sources that were asked for something, once for each request.
    """

    message: bytes = b""
    result: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    asked: list[str] = field(default_factory=list)

    def check(self, tool: str) -> None:
        """Hold it to what is true of every answer, whatever the sources do."""
        declared = SERVERS[NEEDS[tool].server].tools_by_name[tool]
        assert self.seconds <= CEILING_SECONDS
        assert UPSTREAM_WORDS.search(self.message) is None
        assert len(self.asked) <= declared.requests()
        if self.result["isError"]:
            assert set(self.result) == {"content", "isError"}
            assert _says_what_happened_and_what_next(self.result["content"][0]["text"])
        else:
            VALIDATORS[tool].validate(self.result["structuredContent"])


class RunningClock:
    """Goes like the machine's, from a time that is given."""

    def __init__(self, start_ms: int) -> None:
        self._start_ms = start_ms
        self._began_s = time.monotonic()

    def now_ms(self) -> int:
        return self._start_ms + int((time.monotonic() - self._began_s) * 1000)

    def monotonic(self) -> float:
        return time.monotonic()


class _Rows(BaseCache):
    """A shared cache whose rows stay, however the clock goes."""

    def __init__(self, rows: Mapping[str, Any]) -> None:
        super().__init__({})
        self.rows = dict(rows)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:  # noqa: ANN401
        return self.rows.setdefault(key, value) is value

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:  # noqa: ANN401
        return self.rows.get(key, default)

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> None:  # noqa: ANN401
        self.rows[key] = value

    def delete(self, key: str, version: Any = None) -> bool:  # noqa: ANN401
        return self.rows.pop(key, None) is not None


class FaultyExchange:
    """An exchange whose time stands still, the copies that were made of it, and calls of tools over it.

    Attributes:
        address: where it is.
        board: its faults.
        previous: what each tool answered while nothing was wrong.
    """

    def __init__(self) -> None:
        self.board = FaultBoard()
        venue = SimulatedVenue.create(seed=7, clock=ManualClock(NOW_MS))
        self._server = ExchangeServer(venue, port=0, board=self.board)
        self._server.start()
        self.address = self._server.address
        self._wallet = self._largest_wallet()
        self._copies = _Rows({})
        self.previous = {tool: self._answered(tool, self._copies) for tool in NEEDS}

    def close(self) -> None:
        """Stop it."""
        self._server.stop()

    def spoil(self, fault: str, *, below: str = "/") -> None:
        """Have all paths that begin so, and no others, answer with a fault."""
        self.board.clear()
        self.board.put(below, fault, ALWAYS if fault == "unavailable" else None)

    def cold(self, tool: str, fault: str) -> Answered:
        """Call a tool where nothing has been read yet; a fault that uses up time gets little of it."""
        return self._answered(tool, _Rows({}), seconds=_seconds_for(fault))

    def with_copies(self, tool: str, fault: str, *, of_s: float) -> Answered:
        """The same where everything was read so many seconds ago."""
        return self._answered(tool, _Rows(self._copies.rows), ahead_s=of_s, seconds=_seconds_for(fault))

    def elsewhere(self, tool: str, address: str) -> Answered:
        """Call a tool where nothing has been read yet and the sources are said to be elsewhere."""
        return self._answered(tool, _Rows({}), address=address)

    def _largest_wallet(self) -> str:
        with _clients(self.address, ManualClock(NOW_MS), []) as clients:
            page = exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=25)
            client = clients.by_host[page.host]
            payload = page.fetch(client, CallBudget(client.clock))
            return page.parse(payload, NOW_MS).accounts[0].address

    def _answered(
        self,
        name: str,
        cache: BaseCache,
        *,
        address: str | None = None,
        ahead_s: float = 0.0,
        seconds: float = CALL_SECONDS,
    ) -> Answered:
        clock, answered = RunningClock(NOW_MS + round(ahead_s * 1000)), Answered()
        needs = NEEDS[name]
        arguments = needs.arguments or ({"wallet": self._wallet} if "wallet" in name else {})
        reader = CachedReader(cache, clock, waiters=4)

        def sources(*, requests: int = CALL_REQUESTS, seconds_given: float = seconds) -> Sources:
            budget = CallBudget(clock, requests=requests, seconds=seconds_given)
            return Sources(clients=clients, reader=reader, budget=budget, clock=clock)

        dispatcher = Dispatcher(SERVERS[needs.server])
        with (
            _clients(address or self.address, clock, answered.asked) as clients,
            patch.object(process_sources, "for_call", sources),
        ):
            began = time.monotonic()
            message = dispatcher.answer(Call(1, "tools/call", {"name": name, "arguments": arguments}))
            answered.seconds = time.monotonic() - began
        reader.close()
        assert message is not None
        answered.message, answered.result = message, json.loads(message)["result"]
        return answered


@contextmanager
def _clients(address: str, clock: Clock, asked: list[str]) -> Iterator[Clients]:
    def note(answer: Answer) -> None:
        asked.append(answer.source)

    by_host = {
        host: HttpClient(
            base_url=f"{address}/evm" if host is Host.HYPEREVM else address,
            clock=clock,
            expect_simulated=True,
            sleep=lambda _: None,
            on_answer=note,
        )
        for host in Host
    }
    clients = Clients(Source.SIMULATED, by_host)
    try:
        yield clients
    finally:
        clients.close()


def _says_what_happened_and_what_next(text: str) -> bool:
    names_a_source = any(label.lower() in text.lower() for label in LABELS.values())
    return names_a_source and WHAT_NEXT.search(text) is not None and UNFORESEEN not in text


def _seconds_for(fault: str) -> float:
    return HURRIED_SECONDS if fault in HURRIED else CALL_SECONDS
