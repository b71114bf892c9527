"""Machines are lost or restarted, and background jobs die: callers notice nothing, and others go on."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from papertrade_site.background.lease import LEASE_S
from papertrade_site.background.sole import JITTER, TRY_S
from papertrade_site.ops.jobs import JOBS
from tests.faults.deployment import PATIENCE_S, within
from tests.growth.callers import Calls, calling, tool_call
from tests.growth.machines import Machine, Service

TAKE_OVER_S = LEASE_S + TRY_S * JITTER[1] + 5
"""The longest that nobody works: a lease, a try of the other, and five seconds for a busy machine."""

MANY = 50
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
"""A message that no other test sends to these machines, so that all that are counted are known."""

POINT = ("origin", "interval", "start_ms", "volume", "trades", "paper_supply")

pytestmark = pytest.mark.slow


@contextmanager
def _many_calls(calls: Calls) -> Iterator[None]:
    """Let so many calls be answered after the block at least, so that it has its effect on them."""
    yield
    before = calls.answered
    assert within(PATIENCE_S, lambda: calls.answered > before + MANY)


def test_a_machine_that_dies_under_load_costs_no_caller_an_answer_and_takes_part_again_when_it_is_back(
    service: Service,
) -> None:
    victim, survivor = service.machines
    with calling(service.port, "analytics", tool_call("get_top_traders")) as calls:
        assert within(PATIENCE_S, lambda: calls.answered > MANY)
        with _many_calls(calls):
            victim.kill()
        with _many_calls(calls):
            victim.start()
            assert service.takes_part(victim)
    assert calls.failed == {}
    assert service.takes_part(survivor)


def test_machines_that_are_restarted_one_after_the_other_under_load_fail_no_call(service: Service) -> None:
    with calling(service.port, "analytics", tool_call("get_top_traders")) as calls:
        for machine in service.machines:
            with _many_calls(calls):
                machine.stop()
                machine.start()
                assert service.takes_part(machine)
    assert calls.failed == {}


def test_of_each_job_one_machine_s_works_and_the_other_s_goes_on_where_it_left_off_when_it_dies(
    service: Service,
) -> None:
    workers = {job.name: _worker(service, job.name) for job in JOBS}
    others = {name: next(each for each in service.machines if each is not workers[name]) for name in workers}
    assert within(PATIENCE_S, lambda: all(_last_success(service, name) > 0 for name in workers))
    recorded = _recorded(service)

    for name, worker in workers.items():
        worker.jobs[name].kill()
    died_at = time.time()
    assert within(TAKE_OVER_S, lambda: all(each.jobs[name].has_worked for name, each in others.items()))
    for name, worker in workers.items():
        worker.start_job(name)

    assert [each.site.post(LIST).status for each in service.machines] == [200, 200]
    assert within(PATIENCE_S, lambda: all(_last_success(service, name) > died_at for name in workers))
    assert within(PATIENCE_S, lambda: _stored_lists(service) == len(service.machines))
    assert recorded
    assert recorded.items() <= _recorded(service).items()
    assert not any(worker.jobs[name].has_worked for name, worker in workers.items())


def _worker(service: Service, name: str) -> Machine:
    """The machine whose job works, which is one."""
    assert within(PATIENCE_S, lambda: any(each.jobs[name].has_worked for each in service.machines))
    (worker,) = [each for each in service.machines if each.jobs[name].has_worked]
    return worker


def _last_success(service: Service, job: str) -> float:
    """When the last round of a job went well, in seconds; 0 when none ever did."""
    text = service.machines[0].site.get("/metrics").body.decode()
    found = re.search(
        rf'^papertrade_job_last_success_timestamp_seconds{{job="{job}"}} (\S+)$', text, re.MULTILINE
    )
    return float(found[1]) if found else 0.0


def _recorded(service: Service) -> dict[tuple[object, ...], tuple[object, ...]]:
    """What is recorded of the protocol, by what each point is of; that it is there once is asserted."""
    with psycopg.connect(service.shared.database) as connection:
        rows = connection.execute(
            f"SELECT {', '.join(POINT)} FROM recorded_protocolpoint".encode()
        ).fetchall()
    points = {row[:3]: row[3:] for row in rows}
    assert len(points) == len(rows)
    return points


def _stored_lists(service: Service) -> int:
    with psycopg.connect(service.shared.database) as connection:
        question = "SELECT coalesce(sum(ok), 0) FROM usage_usagehour WHERE method = 'tools/list'"
        (count,) = connection.execute(question).fetchone() or (0,)
        return int(count)
