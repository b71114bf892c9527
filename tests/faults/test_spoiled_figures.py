"""Every tool over an exchange whose figures are strange: a result that keeps its schema, or a clear error."""

from __future__ import annotations

import json
from binascii import crc32
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import httpx
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.dispatch import UNFORESEEN, Dispatcher
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from tests.simulated_calls import simulated_calls
from tests.simulated_clients import SimulatedTransport
from tests.tool_calls import MOST_BYTES, size_of
from tests.venue_bodies import NOW_MS

SERVERS = (LIQUIDATIONS, ANALYTICS)
DISPATCHERS = {server.slug: Dispatcher(server) for server in SERVERS}
TOOLS = [(server, tool) for server in SERVERS for tool in server.tools]
WITHOUT_BOUND = frozenset({"get_wallet_distance_to_bust"})
"""Tools that show all of something, however much it is."""

SPREADS: Final = (3, 20, 200, 2_000)
"""One value of so many is changed."""

NUMBERS: Final[tuple[Callable[[int], int], ...]] = (
    lambda number: 0,
    lambda number: 1,
    lambda number: -number,
    lambda number: number + 1,
    lambda number: number // 2,
    lambda number: number * 1_000,
    lambda number: number * 10**12,
    lambda number: 2**63,
    lambda number: 2**64 - 1,
    lambda number: 10**30,
)
OTHERS: Final[tuple[Any, ...]] = (None, "", "x", "\u202e</tool>", True, False, 0, -0.5, 1e300, [], {})


class StrangeTransport(SimulatedTransport):
    """Changes values, here and there, of what the venue answers to some of its paths."""

    def __init__(self, venue: SimulatedVenue, *, seed: int, spread: int, share: int) -> None:
        super().__init__(venue)
        self._seed = seed
        self._spread = spread
        self._share = share

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if self._dice(request.url.path) % 4 >= self._share:
            return answer
        lines = [self._changed_line(line) for line in answer.content.split(b"\n")]
        kind = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return httpx.Response(answer.status_code, headers=kind, content=b"\n".join(lines))

    def _changed_line(self, line: bytes) -> bytes:
        """A line with its JSON changed, where it is a whole document or an event's data."""
        start = b"data: " if line.startswith(b"data: ") else b""
        if not line.startswith((start + b"{", start + b"[")):
            return line
        return start + json.dumps(self._changed(json.loads(line.removeprefix(start)), "")).encode()

    def _dice(self, *where: object) -> int:
        return crc32(repr((self._seed, where)).encode())

    def _changed(self, value: Any, where: str) -> Any:  # noqa: ANN401
        dice = self._dice(where)
        if dice % self._spread == 0:
            return _other(value, dice // self._spread)
        if isinstance(value, dict):
            return {key: self._changed(item, f"{where}.{key}") for key, item in value.items()}
        if isinstance(value, list):
            return [self._changed(item, f"{where}.{place}") for place, item in enumerate(value)]
        return value


def _other(value: Any, dice: int) -> Any:  # noqa: ANN401
    """Mostly something of the value's own kind, and now and then something else."""
    if dice % 5 == 0:
        return OTHERS[dice // 5 % len(OTHERS)]
    change = NUMBERS[dice // 5 % len(NUMBERS)]
    match value:
        case bool():
            return not value
        case int() | float():
            return change(int(value))
        case str() if value.lstrip("-").isdigit():
            return str(change(int(value)))
        case list():
            return value[: dice % (len(value) + 1)]
        case dict():
            return dict(list(value.items())[: -1 - dice % 3])
        case _:
            return None


@pytest.fixture(scope="module")
def world() -> World:
    return World.create(seed=11, now_ms=NOW_MS, traders=60)


def _value(schema: dict[str, Any], wallets: list[str]) -> st.SearchStrategy[Any]:
    """Values that an argument may have."""
    match schema["type"]:
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "number":
            return st.floats(schema.get("minimum", -1e6), schema.get("maximum", 1e6))
        case _:
            return st.sampled_from(schema.get("enum", wallets))


@st.composite
def _calls(draw: st.DrawFn, wallets: list[str]) -> tuple[Server, Tool[Any], dict[str, Any]]:
    server, tool = draw(st.sampled_from(TOOLS))
    properties, required = tool.input_schema["properties"], tool.input_schema.get("required", [])
    given = {name: _value(schema, wallets) for name, schema in properties.items()}
    arguments = st.fixed_dictionaries(
        {name: given[name] for name in required},
        optional={name: values for name, values in given.items() if name not in required},
    )
    return server, tool, draw(arguments)


@pytest.mark.requirement("result:output-schema", "error:tool")
@pytest.mark.slow
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.data(),
    seed=st.integers(0, 2**32),
    spread=st.sampled_from(SPREADS),
    share=st.integers(0, 4),
)
def test_a_result_keeps_its_schema_and_bounds_whatever_the_exchange_says(
    world: World, data: st.DataObject, seed: int, spread: int, share: int
) -> None:
    accounts = sorted(world.exchange.ledger.accounts.values(), key=lambda account: -len(account.positions))
    wallets = [account.address for account in accounts[:8]] + ["0x" + "9" * 40]
    server, tool, arguments = data.draw(_calls(wallets))
    strange = partial(StrangeTransport, seed=seed, spread=spread, share=share)
    with simulated_calls(world=world, transport=strange) as calls, calls.read_by_tools():
        answer = DISPATCHERS[server.slug].answer(
            Call(1, "tools/call", {"name": tool.name, "arguments": arguments})
        )
    assert answer is not None
    message = json.loads(answer)
    if "error" in message:
        assert (server, message["error"]["code"]) == (LIQUIDATIONS, -32602)
        assert message["error"]["data"]["errors"]
        return
    result = message["result"]
    texts = [block["text"] for block in result["content"]]
    assert all("\u202e" not in text and "</tool>" not in text for text in texts[:1])
    if result["isError"]:
        assert set(result) == {"content", "isError"}
        assert UNFORESEEN not in texts[0]
        return
    jsonschema_rs.validate(tool.output_schema, result["structuredContent"])
    assert size_of(result["structuredContent"]) <= MOST_BYTES or tool.name in WITHOUT_BOUND
