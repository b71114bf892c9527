"""The whole service behind nginx as shipped: crowds that call warm tools, good callers beside bad ones."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count, cycle
from random import Random
from threading import Event
from typing import Final

import pytest

from papertrade_site.limits.bounds import BODY_BYTES
from tests.clients.official import CALLS
from tests.clients.service import Service, running_service
from tests.faults.proxy import HEAD, PATH, PATIENCE_S, connect, exchange, running_proxy
from tests.protocol.framing import DOUBTFUL, PING, read_all, request, sized, statuses
from tests.soak.asks import JSON_HEADERS, Ask
from tests.soak.load import Load, Tally, Way, from_its_own_address, percentile

GOOD_RATE: Final = 49
BAD_RATE: Final = 21
"""Three in ten of all that comes: one is garbage, one is slow, one is too large."""

SECONDS: Final = 4
ATTACKERS: Final = 128
DRIP_S: Final = 0.2
CALM_MS: Final = 1_500
"""What an answer may take on a busy machine, however fast they were before: below the two seconds that the
proxy bears with a slow client."""

CROWD_RATE: Final = 100
FULL_RATE: Final = 300
FULL_P95_MS: Final = 50
LINE: Final = f"POST {PATH} HTTP/1.1"
CLOSE: Final = "Connection: close"
TOO_LARGE: Final = (
    sized(PING.ljust(100_000), CLOSE, line=LINE),
    sized(PING.ljust(BODY_BYTES.most + 10_000), CLOSE, line=LINE),
    request(CLOSE, f"X-Long: {'x' * 20_000}", line=LINE),
    request(CLOSE, line=f"GET /{'x' * 20_000} HTTP/1.1"),
)
_numbers = count(1)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("service"), WEB_CONCURRENCY="2") as service:
        yield service


@pytest.fixture(scope="module")
def proxy(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with running_proxy(tmp_path_factory.mktemp("nginx"), service.port) as port:
        yield port


def _client() -> str:
    """The address of a client that nobody has seen yet."""
    number = next(_numbers)
    return f"127.{32 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def _warm_calls(trader: str) -> Callable[[], Ask]:
    """Calls of all tools in turn, each from a new client."""
    calls = [
        (server, call.of(trader))
        for server, of_server in CALLS.items()
        for call in of_server
        if not call.refused
    ]
    turns = cycle(calls)

    def draw() -> Ask:
        server, params = next(turns)
        return Ask(
            kind=params["name"],
            path=f"/{server}/mcp",
            body=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode(),
            client=_client(),
            headers=JSON_HEADERS,
            ids=(1,),
            is_call=True,
        )

    return draw


def _warm(way: Way, trader: str) -> None:
    """Have a copy of everything that the calls read, asking one after the other as a crowd does not."""
    draw = _warm_calls(trader)
    for _ in range(sum(map(len, CALLS.values()))):
        way(draw())


def _asked(way: Way, trader: str, *, rate: float, seconds: float) -> Tally:
    """What came of so many calls, every one of which has to bring figures."""
    load = Load(way, _warm_calls(trader), rate=rate)
    load.run(seconds, Event())
    tally = load.tally
    assert tally.faults == []
    assert tally.with_figures == tally.calls == tally.due == round(rate * seconds)
    return tally


def _p95_ms(tally: Tally) -> float:
    return percentile([took for of_kind in tally.took_s.values() for took in of_kind], 95) * 1000


@pytest.mark.slow
def test_a_crowd_that_calls_warm_tools_gets_figures_and_no_error(proxy: int, service: Service) -> None:
    way = from_its_own_address(proxy)
    _warm(way, service.trader)
    _asked(way, service.trader, rate=CROWD_RATE, seconds=3)


@pytest.mark.long
def test_three_hundred_calls_of_warm_tools_a_second_are_answered_within_fifty_ms(
    proxy: int, service: Service
) -> None:
    way = from_its_own_address(proxy)
    _warm(way, service.trader)
    tally = _asked(way, service.trader, rate=FULL_RATE, seconds=10)
    assert _p95_ms(tally) < FULL_P95_MS


def _garbage(port: int, dice: Random) -> bytes:
    raw = dice.choice(
        [
            dice.randbytes(200),
            b"GET / HTTP/9.9\r\n\r\n",
            sized(dice.randbytes(300), CLOSE, line=LINE),
            sized(b'{"jsonrpc": "2.0", "id": 1, ', CLOSE, line=LINE),
            request(*dice.choice(DOUBTFUL), CLOSE, body=PING, line=LINE),
        ]
    )
    with connect(port, client=_client()) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        return read_all(connection)


def _too_large(port: int, dice: Random) -> bytes:
    return exchange(port, dice.choice(TOO_LARGE), client=_client())


def _slow(port: int, dice: Random) -> bytes:
    """Send a head or a body a byte at a time, until nobody listens any more."""
    at_once, rest = dice.choice(
        [(HEAD[:20], HEAD[20:] + b"X: y"), (HEAD + b"Content-Length: 40\r\n\r\n", PING[:20])]
    )
    with connect(port, client=_client()) as connection:
        connection.sendall(at_once)
        connection.settimeout(DRIP_S)
        for byte in rest:
            connection.sendall(bytes([byte]))
            with suppress(TimeoutError):
                return connection.recv(65_536)
        connection.settimeout(PATIENCE_S)
        return read_all(connection)


def _attack(port: int, stop: Event) -> list[int]:
    """Do all three in turn until told to stop, and give the statuses that were answered."""
    attacks: list[Future[bytes]] = []
    began = time.monotonic()
    with ThreadPoolExecutor(ATTACKERS) as pool:
        for number, attack in enumerate(cycle((_garbage, _slow, _too_large))):
            if stop.wait(max(began + number / BAD_RATE - time.monotonic(), 0)):
                break
            attacks.append(pool.submit(attack, port, Random(number)))
    return [status for each in attacks for status in statuses(_answer(each))]


def _answer(attack: Future[bytes]) -> bytes:
    """What an attack got; nothing where the proxy hung up on it."""
    return b"" if isinstance(attack.exception(), OSError) else attack.result()


@pytest.mark.slow
def test_garbage_slow_clients_and_large_bodies_hold_nobody_up(proxy: int, service: Service) -> None:
    way = from_its_own_address(proxy)
    _warm(way, service.trader)
    usual = _asked(way, service.trader, rate=GOOD_RATE, seconds=SECONDS)
    stop = Event()
    with ThreadPoolExecutor(1) as pool:
        attack = pool.submit(_attack, proxy, stop)
        try:
            attacked = _asked(way, service.trader, rate=GOOD_RATE, seconds=SECONDS)
        finally:
            stop.set()
    refusals = attack.result()
    assert len(refusals) > BAD_RATE * SECONDS / 2
    assert {400, 413} <= set(refusals)
    assert not {500, 502, 503, 504} & set(refusals)
    assert _p95_ms(attacked) < max(2 * _p95_ms(usual), CALM_MS)
