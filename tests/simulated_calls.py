"""Tools over the embedded exchange, read as the service reads it but without a socket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, cast
from unittest.mock import patch
from uuid import uuid4

from django.core.cache.backends.locmem import LocMemCache

from papertrade_site.mcp.tool import Tool
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from papertrade_site.upstream.ahead import Ahead
from papertrade_site.upstream.budget import CALL_REQUESTS, CALL_SECONDS, CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.resource import Resource
from papertrade_site.upstream.sources import Sources
from tests.clocks import ManualClock
from tests.simulated_clients import SimulatedTransport, simulated_clients
from tests.tool_calls import answered
from tests.venue_bodies import NOW_MS

Transport = Callable[[SimulatedVenue], SimulatedTransport]


class SimulatedCalls:
    """Tools over the embedded exchange, through the real clients and cache but no socket.

    Args:
        seed: see ``World.create``, as for ``traders``; of no account beside ``world``.
        traders: see there.
        world: what the exchange is like.
        transport: makes the way to the exchange.
        waiters: how many callers may wait on it at once.
    """

    def __init__(
        self,
        *,
        seed: int = 11,
        traders: int = 60,
        world: World | None = None,
        transport: Transport = SimulatedTransport,
        waiters: int = 4,
    ) -> None:
        self.world = world or World.create(seed=seed, now_ms=NOW_MS, traders=traders)
        self.clock = ManualClock(self.world.now_ms)
        self.transport = transport(SimulatedVenue(self.world, clock=self.clock))
        self._clients = simulated_clients(self.transport, self.clock)
        self._cache = LocMemCache(uuid4().hex, {})
        self._waiters = waiters
        self._reader = self._new_reader()

    @property
    def requests(self) -> int:
        """How many requests have reached the exchange."""
        return self.transport.requests

    def stored(self, resource: Resource[Any]) -> dict[str, Any]:
        """Read a resource, and give the row that is kept of it for all processes."""
        want = self._clients.want(resource)
        self._reader.read(want, CallBudget(self.clock))
        return cast("dict[str, Any]", self._cache.get(want.keys.copy_key))

    def become_another_process(self) -> None:
        """Keep of all that was read only what is in the shared cache."""
        self._reader.close()
        self._reader = self._new_reader()

    def ahead(self) -> Ahead:
        """What refreshes copies before they are due."""
        return Ahead(clients=self._clients, reader=self._reader, clock=self.clock)

    def call(self, tool: Tool[Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured content of a success, which is checked against the tool's schema."""
        with self.read_by_tools():
            return answered(tool, arguments)[0]

    def read_by_tools(self) -> AbstractContextManager[object]:
        """While it lasts, tools read from here."""
        return patch.object(process_sources, "for_call", self._sources)

    def close(self) -> None:
        """Let threads and clients go."""
        self._reader.close()
        self._clients.close()

    def _new_reader(self) -> CachedReader:
        return CachedReader(self._cache, self.clock, waiters=self._waiters)

    def _sources(self, *, requests: int = CALL_REQUESTS, seconds: float = CALL_SECONDS) -> Sources:
        budget = CallBudget(self.clock, requests=requests, seconds=seconds)
        return Sources(clients=self._clients, reader=self._reader, budget=budget, clock=self.clock)


@contextmanager
def simulated_calls(
    *,
    seed: int = 11,
    traders: int = 60,
    world: World | None = None,
    transport: Transport = SimulatedTransport,
    waiters: int = 4,
) -> Iterator[SimulatedCalls]:
    """Tools over the embedded exchange, for a while."""
    calls = SimulatedCalls(seed=seed, traders=traders, world=world, transport=transport, waiters=waiters)
    try:
        yield calls
    finally:
        calls.close()
