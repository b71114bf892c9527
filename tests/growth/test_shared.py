"""Two machines behind nginx are one service, with the same limits, copies, usage and operators' settings."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import psycopg
import pytest

from tests.dashboard.shown import shown
from tests.faults.deployment import PATIENCE_S, within
from tests.faults.operator import Operator
from tests.faults.proxy import Reply, post
from tests.growth.callers import new_client, tool_call
from tests.growth.machines import Machine, Service
from tests.windows import client_with_time

EFFECTIVE_S = 5
"""Seconds within which a change has to work on every machine."""

ROLLUP_S = 90
"""Within which even a busy machine has stored what it counted, whose rollup may have only begun."""

CALLERS = 24
FAN_OUT = 6
SLOW_S = 1.0
STORMED = ("/query/protocol/queue-summary", "/query/protocol/market-stats")
"""What the storm's tool reads that neither a background job nor another test here does."""

pytestmark = pytest.mark.slow


def test_a_client_has_one_allowance_over_both_machines(service: Service) -> None:
    limit = service.machines[0].site.limit()
    sites = cycle([machine.site for machine in service.machines])
    client = client_with_time(lambda each: next(sites).ping(client=each).headers["RateLimit"], "198.51.100")
    with ThreadPoolExecutor(FAN_OUT) as pool:
        asked = [pool.submit(next(sites).ping, client=client) for _ in range(limit + 3)]
        statuses = [each.result().status for each in asked]
    assert (statuses.count(200), statuses.count(429)) == (limit - 1, 4)
    assert [next(sites).ping(client=client).status for _ in range(2)] == [429, 429]


def test_a_cold_storm_over_both_machines_asks_each_source_once(service: Service) -> None:
    exchange = service.shared.exchange
    assert not exchange.requests().keys() & set(STORMED)
    snapshot = tool_call("get_protocol_snapshot")
    for path in STORMED:
        exchange.delay(path, SLOW_S)
    try:
        with ThreadPoolExecutor(CALLERS) as pool:
            storm = [
                pool.submit(post, service.port, snapshot, client=new_client(), path="/analytics/mcp")
                for _ in range(CALLERS)
            ]
            replies = [each.result() for each in storm]
    finally:
        exchange.behave()
    assert [b'"isError":false' in reply.content for reply in replies] == [True] * CALLERS
    assert _answered_by_both(service, replies)
    assert {path: exchange.requests()[path] for path in STORMED} == dict.fromkeys(STORMED, 1)


def test_calls_of_both_machines_stand_in_one_figure_and_once_in_the_database(
    service: Service, operator: Operator
) -> None:
    call = tool_call("get_closest_to_bust", limit=3).decode()
    for machine, calls in zip(service.machines, (7, 5), strict=True):
        assert [machine.site.post(call, "liquidations").status for _ in range(calls)] == [200] * calls
    assert within(ROLLUP_S, lambda: _stored(service, "get_closest_to_bust") == (12, 12))
    assert _holds_on_both(
        service,
        lambda machine: b"| Calls of tools | 12 |" in machine.site.get("/liquidations/status.md").body,
        within_s=PATIENCE_S,
    )
    assert within(PATIENCE_S, lambda: "Liquidations 12 calls, 0 % errors" in shown(operator.page()).words)


def test_what_an_operator_sets_holds_on_both_machines_within_five_seconds(
    service: Service, operator: Operator
) -> None:
    usual = service.machines[0].site.limit()
    operator.send("limits/serverrules/2/change/", requests_per_minute="7")
    assert _holds_on_both(service, lambda machine: machine.site.limit() == 7)
    operator.send("limits/serverrules/2/change/", requests_per_minute="")
    assert _holds_on_both(service, lambda machine: machine.site.limit() == usual)

    call = tool_call("get_history", metric="volume", mode="per_bucket", limit=3).decode()
    which = "analytics/get_history"
    operator.send("limits/toolswitch/add/", without=("is_on",), which=which, reason="It is being mended.")
    assert _holds_on_both(service, lambda machine: b"It is being mended." in machine.site.post(call).body)


def _answered_by_both(service: Service, replies: list[Reply]) -> bool:
    ids = [reply.headers["X-Request-Id"] for reply in replies]
    return _holds_on_both(service, lambda each: each.answered_any(ids), within_s=PATIENCE_S)


def _holds_on_both(
    service: Service, is_so: Callable[[Machine], bool], *, within_s: float = EFFECTIVE_S
) -> bool:
    return within(within_s, lambda: all(is_so(machine) for machine in service.machines))


def _stored(service: Service, tool: str) -> tuple[int, int]:
    """Calls of a tool by the minutes and by the hours that the database holds."""
    with psycopg.connect(service.shared.database) as connection:
        sums = (
            connection.execute(f"SELECT coalesce(sum(ok), 0) FROM {table} WHERE tool = %s".encode(), (tool,))
            for table in ("usage_usageminute", "usage_usagehour")
        )
        minutes, hours = (int(row[0]) for each in sums if (row := each.fetchone()) is not None)
        return minutes, hours
