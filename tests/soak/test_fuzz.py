"""The two servers, sent anything: JSON-RPC for the right message comes back, bounded and foreseen."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from hypothesis import HealthCheck, given, settings, strategies as st
from pytest_django import Settings

from mcp_analytics import views as analytics
from mcp_analytics.server import SERVER as ANALYTICS
from mcp_liquidations import views as liquidations
from mcp_liquidations.server import SERVER as LIQUIDATIONS
from papertrade_site.mcp.dispatch import UNFORESEEN
from papertrade_site.mcp.errors import ParseError
from papertrade_site.mcp.jsonrpc import Call, Invalid, read_message
from papertrade_site.mcp.parsing import parse_json
from papertrade_site.simulator.founding import FULL_CROWD
from papertrade_site.simulator.world import World
from tests.simulated_calls import simulated_calls
from tests.tool_calls import MOST_BYTES, size_of
from tests.venue_bodies import NOW_MS, address

VIEWS: Final = {"liquidations": liquidations.mcp, "analytics": analytics.mcp}
TOOLS: Final = (*LIQUIDATIONS.tools, *ANALYTICS.tools)
METHODS: Final = ("initialize", "ping", "tools/list", "tools/call", "resources/list", "prompts/get", "", "x")
STATUSES: Final = {200, 202, 400, 413}
CODES: Final = {-32700, -32600, -32601, -32602}
OF_ONE_WALLET: Final = {"wallet", "positions"}
"""What marks the result that shows all positions of a wallet, however many."""

MOST_IN_BATCH: Final = {"liquidations": 5, "analytics": 10}
LONG_MINUTES: Final = float(os.environ.get("FUZZ_MINUTES", "10"))
EXAMPLES: Final = 1_000
SEED: Final = 11

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**18, 10**310)
    | st.floats()
    | st.text(max_size=80)
    | st.sampled_from(["btc", " ETH ", "1e999", "0.5", "-1", "NaN", "\ud800", "\x00", "\u202e", "x" * 3_000])
)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=9), inner, max_size=5),
    max_leaves=12,
)
ids = st.integers() | st.text(max_size=12) | st.integers(2**53, 2**70)


def _values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What an argument may be, in every way of writing it, and now and then what it may not be."""
    match schema["type"]:
        case "boolean":
            sound: st.SearchStrategy[Any] = st.booleans()
        case "integer":
            whole = st.integers(schema["minimum"], schema["maximum"])
            sound = whole | whole.map(float) | whole.map(str)
        case "number":
            number = st.floats(schema.get("minimum"), schema.get("maximum"), allow_infinity=False)
            sound = number | number.map(repr)
        case _:
            names = schema.get("enum") or [address(1), "0x" + "9" * 40]
            sound = st.sampled_from([*names, *map(str.lower, names), *(f" {name}" for name in names)])
    return st.one_of(sound, sound, sound, documents)


@st.composite
def _tool_calls(draw: st.DrawFn) -> dict[str, Any]:
    tool = draw(st.sampled_from(TOOLS))
    properties = {name: _values(schema) for name, schema in tool.input_schema["properties"].items()}
    required = tool.input_schema.get("required", [])
    arguments = st.fixed_dictionaries(
        {name: properties[name] for name in required},
        optional={name: each for name, each in properties.items() if name not in required}
        | {"_extra": documents, "made_up": scalars},
    )
    return {
        "jsonrpc": "2.0",
        "id": draw(ids),
        "method": "tools/call",
        "params": {"name": tool.name, "arguments": draw(arguments | arguments | arguments | documents)},
    }


named = st.fixed_dictionaries({"name": scalars, "arguments": documents})
sound = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": ids, "method": st.sampled_from(METHODS), "params": named | documents}
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | scalars,
        "id": ids | documents,
        "method": st.sampled_from(METHODS) | scalars,
        "params": named | documents,
        "result": documents,
    },
)
any_message = _tool_calls() | sound | messages


@st.composite
def _spoiled(draw: st.DrawFn) -> bytes:
    """A sound body with something cut out of it or put into it."""
    body = json.dumps(draw(any_message)).encode()
    begins = draw(st.integers(0, len(body)))
    ends = draw(st.integers(begins, min(len(body), begins + 9)))
    return body[:begins] + draw(st.binary(max_size=6)) + body[ends:]


bodies = st.one_of(
    _tool_calls().map(lambda message: json.dumps(message).encode()),
    (any_message | st.lists(any_message, max_size=6)).map(lambda body: json.dumps(body).encode()),
    _spoiled(),
    st.binary(max_size=300),
).filter(bool)


@pytest.fixture(scope="module")
def world() -> World:
    """One as large as the embedded exchange's."""
    return World.create(seed=SEED, now_ms=NOW_MS, traders=FULL_CROWD)


@pytest.fixture(autouse=True)
def reads(settings: Settings, world: World) -> Iterator[None]:
    """Have tools read from that world, and no limit stand in the way."""
    settings.RATELIMIT_ENABLE = False
    with simulated_calls(world=world) as calls, calls.read_by_tools():
        yield


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=False,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(server=st.sampled_from(list(VIEWS)), body=bodies)
def _check_any(server: str, body: bytes) -> None:
    request = RequestFactory().generic("POST", "/mcp", body, "application/json")
    response = VIEWS[server](request)
    assert response.status_code in STATUSES
    expected = _ids_answered(body, most=MOST_IN_BATCH[server])
    answers = _answers(response)
    assert [answer["id"] for answer in answers] == expected
    assert [type(answer["id"]) for answer in answers] == [type(each) for each in expected]
    for answer in answers:
        _check_answer(answer)


def _ids_answered(body: bytes, *, most: int) -> list[int | str | None]:
    """The ids of the answers that a body has to get; null where something has none."""
    try:
        document = parse_json(body)
    except ParseError:
        return [None]
    if not isinstance(document, list):
        document = [document]
    elif not 1 <= len(document) <= most:
        return [None]
    messages = map(read_message, document)
    return [message.id for message in messages if isinstance(message, Call | Invalid)]


def _answers(response: HttpResponse) -> list[dict[str, Any]]:
    if response.status_code == 202:
        assert response.content == b""
        return []
    document = json.loads(response.content)
    return document if isinstance(document, list) else [document]


def _check_answer(answer: dict[str, Any]) -> None:
    assert answer["jsonrpc"] == "2.0"
    assert set(answer) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    if "error" in answer:
        assert answer["error"]["code"] in CODES
        assert answer["error"]["message"]
        return
    result = answer["result"]
    if "structuredContent" not in result:
        assert UNFORESEEN not in json.dumps(result)
        return
    structured = result["structuredContent"]
    assert set(structured) >= OF_ONE_WALLET or size_of(structured) <= MOST_BYTES


@pytest.mark.slow
def test_whatever_is_sent_gets_json_rpc_for_the_right_message() -> None:
    _check_any()


@pytest.mark.long
@pytest.mark.timeout(LONG_MINUTES * 60 + 300)
def test_whatever_is_sent_for_minutes_gets_json_rpc_for_the_right_message() -> None:
    until = time.monotonic() + LONG_MINUTES * 60
    while time.monotonic() < until:
        _check_any()
