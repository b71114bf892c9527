"""What is set comes into force in every process, and stays in force while nothing can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.db import Error, InterfaceError, OperationalError, ProgrammingError, connection
from pytest_django import DjangoAssertNumQueries
from redis.exceptions import ConnectionError as LostConnectionError

from papertrade_site.limits import shared
from papertrade_site.limits.audit import save_changed
from papertrade_site.limits.in_force import install, limits_for, policy
from papertrade_site.limits.models import (
    ClientNetwork,
    ResourceLifetime,
    ServerRules,
    SiteRules,
    ToolSwitch,
)
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.limits.policy import DEFAULTS, Policy, ServerLimits
from papertrade_site.limits.refresh import Refresher, read_policy
from papertrade_site.upstream import quota
from papertrade_site.upstream.lifetimes import lifetime_of
from papertrade_site.upstream.resource import Lifetime
from tests.clocks import ManualClock

pytestmark = pytest.mark.django_db
FAILURES = [OperationalError("database is locked"), ProgrammingError("no table"), InterfaceError("gone")]


@pytest.fixture
def cache() -> LocMemCache:
    """Share it between processes."""
    return LocMemCache(uuid4().hex, {})


@pytest.fixture
def process(cache: LocMemCache, clock: ManualClock) -> Callable[[], Refresher]:
    """Start another process, which knows the defaults."""

    def start() -> Refresher:
        install(DEFAULTS)
        return Refresher(cache, clock)

    return start


def analytics() -> ServerRules:
    return ServerRules.objects.get_or_create(server="analytics")[0]


def lower_analytics_to(limit: int) -> None:
    rules = analytics()
    rules.requests_per_minute = limit
    save_changed(rules, "ann")


@contextmanager
def failing(error: Error) -> Iterator[None]:
    """The database fails every query."""

    def refuse(*_: object) -> None:
        raise error

    with connection.execute_wrapper(refuse):
        yield


def lost(cache: LocMemCache) -> AbstractContextManager[object]:
    """The cache cannot be reached."""
    gone = LostConnectionError("gone")
    return patch.multiple(cache, get=_raising(gone), set=_raising(gone))


def _raising(error: Exception) -> Callable[..., None]:
    def refuse(*_: Any, **__: Any) -> None:  # noqa: ANN401
        raise error

    return refuse


class TestReading:
    def test_an_empty_database_means_the_defaults(self, process: Callable[[], Refresher]) -> None:
        for model in (ServerRules, SiteRules):
            model.objects.all().delete()
        assert read_policy() == DEFAULTS
        process().refresh()
        assert policy() == DEFAULTS

    def test_so_do_rows_in_which_nothing_is_set(self) -> None:
        analytics()
        SiteRules.objects.get_or_create(id=1)
        assert read_policy() == DEFAULTS

    def test_everything_that_is_set_comes_into_force(self, process: Callable[[], Refresher]) -> None:
        numbers = {
            "requests_per_minute": 50,
            "burst_requests": 20,
            "all_clients_per_minute": 1_000,
            "body_bytes": 2_048,
            "batch_messages": 3,
            "call_requests": 4,
            "book_call_requests": 30,
            "wallets_default": 24,
        }
        analytics()
        ServerRules.objects.filter(server="analytics").update(**numbers, is_on=False, off_message="At noon.")
        SiteRules.objects.update_or_create(
            id=1, defaults={"pages_per_minute": 90, "named_wallets_per_minute": 20}
        )
        ToolSwitch.objects.create(server="analytics", tool="get_history", reason="Being mended.")
        ToolSwitch.objects.create(server="analytics", tool="get_top_traders", is_on=True)
        ResourceLifetime.objects.create(resource="exchange.trading", fresh_s=10, stale_s=100)
        ends = datetime(2030, 1, 1, tzinfo=UTC)
        ClientNetwork.objects.create(
            network="203.0.113.0/24", server="analytics", requests_per_minute=500, expires_at=ends
        )
        ClientNetwork.objects.create(network="2001:db8::/32", is_blocked=True, reason="Floods.")
        process().refresh()
        assert policy() == Policy(
            servers={
                "liquidations": DEFAULTS.servers["liquidations"],
                "analytics": ServerLimits(**numbers, is_on=False, off_message="At noon."),
            },
            switched_off={("analytics", "get_history"): "Being mended."},
            networks=Networks(
                (
                    NetworkRule(network=ip_network("2001:db8::/32"), is_blocked=True, reason="Floods."),
                    NetworkRule(
                        network=ip_network("203.0.113.0/24"),
                        server="analytics",
                        requests_per_minute=500,
                        expires_at_ms=1_893_456_000_000,
                    ),
                )
            ),
            lifetimes={"exchange.trading": Lifetime(fresh_s=10, stale_s=100)},
            pages_per_minute=90,
            named_wallets_per_minute=20,
        )
        assert lifetime_of("exchange.trading").fresh_s == 10
        assert quota.per_minute() == 20

    def test_it_takes_five_queries(
        self, process: Callable[[], Refresher], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(5):
            process().refresh()

    def test_a_change_is_in_force_after_the_next_round_and_so_is_its_end(
        self, process: Callable[[], Refresher]
    ) -> None:
        refresher = process()
        lower_analytics_to(6)
        refresher.refresh()
        assert limits_for("analytics").requests_per_minute == 6
        rules = analytics()
        rules.requests_per_minute = None
        save_changed(rules, "ann")
        refresher.refresh()
        assert policy() == DEFAULTS


class TestTrouble:
    @pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
    def test_what_is_known_stays_in_force_while_the_database_fails(
        self, process: Callable[[], Refresher], error: Error
    ) -> None:
        refresher = process()
        lower_analytics_to(6)
        refresher.refresh()
        with failing(error):
            refresher.refresh()
        assert limits_for("analytics").requests_per_minute == 6

    def test_a_process_that_starts_meanwhile_takes_what_another_has_shared(
        self, process: Callable[[], Refresher]
    ) -> None:
        lower_analytics_to(6)
        ClientNetwork.objects.create(network="2001:db8::/32", is_blocked=True, reason="Floods.")
        process().refresh()
        known = policy()
        with failing(FAILURES[0]):
            process().refresh()
        assert policy() == known != DEFAULTS

    def test_a_process_that_knows_nothing_goes_by_the_defaults(
        self, process: Callable[[], Refresher], cache: LocMemCache
    ) -> None:
        with failing(FAILURES[0]), lost(cache):
            process().refresh()
        assert policy() == DEFAULTS

    def test_neither_database_nor_cache_are_needed_to_go_on(
        self, process: Callable[[], Refresher], cache: LocMemCache, clock: ManualClock
    ) -> None:
        refresher = process()
        lower_analytics_to(6)
        with lost(cache):
            refresher.refresh()
            assert limits_for("analytics").requests_per_minute == 6
            with failing(FAILURES[0]):
                clock.advance(2)
                refresher.refresh()
        assert limits_for("analytics").requests_per_minute == 6

    def test_it_recovers_by_itself(self, process: Callable[[], Refresher], clock: ManualClock) -> None:
        refresher = process()
        with failing(FAILURES[0]):
            refresher.refresh()
        lower_analytics_to(6)
        clock.advance(2)
        refresher.refresh()
        assert limits_for("analytics").requests_per_minute == 6

    def test_a_row_that_no_form_lets_through_changes_nothing(
        self, process: Callable[[], Refresher], caplog: pytest.LogCaptureFixture
    ) -> None:
        refresher = process()
        lower_analytics_to(6)
        refresher.refresh()
        ClientNetwork.objects.create(network="not a network")
        lower_analytics_to(7)
        refresher.refresh()
        assert limits_for("analytics").requests_per_minute == 6
        assert "cannot be read" in caplog.text

    def test_trouble_is_logged_once_a_minute_without_what_the_database_said(
        self, process: Callable[[], Refresher], clock: ManualClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        refresher = process()
        with failing(OperationalError("secret")):
            for _ in range(60):
                refresher.refresh()
                clock.advance(2)
        lines = [record.getMessage() for record in caplog.records]
        assert lines == 2 * [
            "The limits cannot be read from the database (OperationalError); "
            "the last known ones stay in force."
        ]

    @pytest.mark.parametrize(
        "stored",
        [
            None,
            "text",
            7,
            [],
            {"servers": {}},
            shared.to_json(DEFAULTS) | {"servers": {}},
            shared.to_json(DEFAULTS) | {"networks": [{"network": "not one"}]},
            shared.to_json(DEFAULTS) | {"lifetimes": {"exchange.trading": {"unknown": 1}}},
        ],
        ids=range(8),
    )
    def test_what_is_no_policy_in_the_cache_counts_as_none(
        self, process: Callable[[], Refresher], cache: LocMemCache, stored: object
    ) -> None:
        refresher = process()
        cache.set(shared.KEY, stored)
        with failing(FAILURES[0]):
            refresher.refresh()
        assert policy() == DEFAULTS
