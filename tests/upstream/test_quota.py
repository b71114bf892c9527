"""What ever new wallets may cost: exactly the quota, over all processes, and no other read for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as LostConnectionError

from mcp_liquidations.tools import get_wallet_distance_to_bust
from papertrade_site.mcp.errors import ToolError
from papertrade_site.upstream import exchange, quota
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.clients import Clients
from papertrade_site.upstream.errors import QuotaSpentError, UnavailableError
from papertrade_site.upstream.freshness import Reading, State
from papertrade_site.upstream.models.wallet import WalletState
from papertrade_site.upstream.quota import SHARE, SPENT, Quota
from papertrade_site.upstream.resource import Resource
from tests.clocks import ManualClock
from tests.limits.valkey import OwnValkey, running_valkey
from tests.policies import InForce
from tests.simulated_calls import simulated_calls
from tests.upstream.fake_venue import FakeVenue, OpenClients

ORIGIN = "simulated http://127.0.0.1:8001"
NAME = "exchange.wallets"
MOST = 20

ReaderOf = Callable[..., CachedReader]


class _LosableCache(LocMemCache):
    """A cache that a test can take away."""

    is_away = False

    def add(self, *args: Any, **kwargs: Any) -> bool:  # noqa: ANN401
        if self.is_away:
            raise LostConnectionError("gone")
        return super().add(*args, **kwargs)


def wallet(number: int) -> str:
    return f"0x{number:040x}"


def granted(spend: Callable[[str], None], times: int) -> int:
    """How many of so many requests are let through."""
    return sum(_is_granted(spend) for _ in range(times))


def _is_granted(spend: Callable[[str], None]) -> bool:
    try:
        spend(NAME)
    except QuotaSpentError:
        return False
    return True


@pytest.fixture(autouse=True)
def twenty_a_minute(in_force: InForce) -> None:
    in_force.set(named_wallets_per_minute=MOST)


@pytest.fixture
def shared() -> _LosableCache:
    return _LosableCache(uuid4().hex, {})


@pytest.fixture
def spend(shared: _LosableCache, clock: ManualClock) -> Callable[[], Callable[[str], None]]:
    """Make what a process takes requests by."""
    return lambda: Quota(shared, clock).of(ORIGIN)


class TestQuota:
    def test_two_processes_have_one_together(self, spend: Callable[[], Callable[[str], None]]) -> None:
        here, elsewhere = spend(), spend()
        assert granted(here, MOST - 5) + granted(elsewhere, MOST) == MOST
        assert granted(here, 3) == 0

    def test_it_is_whole_again_with_the_next_minute_and_says_when_that_is(
        self, spend: Callable[[], Callable[[str], None]], clock: ManualClock
    ) -> None:
        here = spend()
        assert granted(here, MOST) == MOST
        clock.advance(18.5)
        with pytest.raises(QuotaSpentError) as refused:
            here(NAME)
        assert (refused.value.retry_after_s, refused.value.source) == (42, NAME)
        clock.advance(42)
        assert granted(here, MOST + 1) == MOST

    def test_each_source_has_one_of_its_own(
        self, spend: Callable[[], Callable[[str], None]], shared: BaseCache, clock: ManualClock
    ) -> None:
        assert granted(spend(), MOST + 1) == MOST
        assert granted(Quota(shared, clock).of("live https://exchange.example"), MOST + 1) == MOST

    def test_a_change_holds_within_the_minute(
        self, spend: Callable[[], Callable[[str], None]], in_force: InForce
    ) -> None:
        here = spend()
        assert granted(here, MOST) == MOST
        in_force.set(named_wallets_per_minute=MOST + 10)
        assert granted(here, 20) == 10

    def test_while_the_cache_is_away_each_process_has_its_share(
        self, spend: Callable[[], Callable[[str], None]], shared: _LosableCache, clock: ManualClock
    ) -> None:
        shared.is_away = True
        assert [granted(spend(), MOST) for _ in range(3)] == [MOST // SHARE] * 3
        here = spend()
        assert granted(here, MOST) == MOST // SHARE
        clock.advance(60)
        assert granted(here, MOST) == MOST // SHARE
        shared.is_away = False
        clock.advance(60)
        assert granted(here, MOST + 1) == MOST

    def test_a_share_is_at_least_one(
        self, spend: Callable[[], Callable[[str], None]], shared: _LosableCache
    ) -> None:
        quota.apply(SHARE - 1)
        shared.is_away = True
        assert granted(spend(), 5) == 1

    def test_a_counter_that_was_dropped_in_between_leaves_the_share(
        self,
        spend: Callable[[], Callable[[str], None]],
        shared: _LosableCache,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(shared, "add", lambda *_, **__: False)
        assert granted(spend(), MOST) == MOST // SHARE


class TestReading:
    @pytest.fixture
    def clients(self, open_clients: OpenClients) -> Clients:
        return open_clients()

    @pytest.fixture
    def read(
        self, clients: Clients, clock: ManualClock
    ) -> Callable[[CachedReader, Resource[WalletState]], Reading[WalletState]]:
        return lambda reader, resource: reader.read(clients.want(resource), CallBudget(clock))

    def test_ever_new_wallets_cost_exactly_the_quota_over_two_processes(
        self, reader_of: ReaderOf, read: Callable[..., Reading[WalletState]], venue: FakeVenue
    ) -> None:
        readers = [reader_of(), reader_of()]
        refused = 0
        for number in range(2 * MOST):
            try:
                read(readers[number % 2], exchange.named_wallet(wallet(number)))
            except QuotaSpentError:
                refused += 1
        assert (sum(venue.requests.values()), refused) == (MOST, MOST)

    def test_a_retry_comes_out_of_the_quota_too(
        self, reader_of: ReaderOf, read: Callable[..., Reading[WalletState]], venue: FakeVenue
    ) -> None:
        venue.status |= {wallet(number): 503 for number in range(2)}
        quota.apply(3)
        reader = reader_of()
        for number, error in enumerate((UnavailableError, QuotaSpentError, QuotaSpentError)):
            with pytest.raises(error):
                read(reader, exchange.named_wallet(wallet(number)))
        assert sum(venue.requests.values()) == 3

    def test_past_it_a_caller_gets_the_previous_copy_and_why(
        self, reader_of: ReaderOf, read: Callable[..., Reading[WalletState]], clock: ManualClock
    ) -> None:
        reader = reader_of()
        read(reader, exchange.named_wallet(wallet(0)))
        clock.advance(61)
        for number in range(1, MOST + 1):
            read(reader, exchange.named_wallet(wallet(number)))
        reading = read(reader, exchange.named_wallet(wallet(0)))
        assert (reading.state, reading.note) == (State.STALE, f"Not refreshed: {SPENT}")

    def test_past_it_everything_else_is_read_as_ever_and_the_wallet_with_the_next_minute(
        self,
        reader_of: ReaderOf,
        read: Callable[..., Reading[Any]],
        clock: ManualClock,
        venue: FakeVenue,
    ) -> None:
        reader = reader_of()
        for number in range(MOST):
            read(reader, exchange.named_wallet(wallet(number)))
        with pytest.raises(QuotaSpentError):
            read(reader, exchange.named_wallet(wallet(MOST)))
        tracked = [read(reader, exchange.wallet(wallet(MOST + number))) for number in range(1, 45)]
        assert {reading.state for reading in tracked} == {State.FRESH}
        assert read(reader, exchange.trading()).state is State.FRESH
        clock.advance(60)
        assert read(reader, exchange.named_wallet(wallet(MOST))).state is State.FRESH
        assert sum(venue.requests.values()) == MOST + 44 + 1 + 1

    def test_the_tool_says_when_to_come_back_and_gives_a_known_wallet_as_ever(self) -> None:
        with simulated_calls() as calls:
            for number in range(MOST):
                calls.call(get_wallet_distance_to_bust.TOOL, {"wallet": wallet(number)})
            with pytest.raises(ToolError, match=rf"^{SPENT} Try again in \d+ s\.$"):
                calls.call(get_wallet_distance_to_bust.TOOL, {"wallet": wallet(MOST)})
            known = calls.call(get_wallet_distance_to_bust.TOOL, {"wallet": wallet(0)})
            assert known["freshness"]["degraded"] is False


class TestValkey:
    @pytest.fixture
    def valkey(self, short_tmp_path: Path) -> Iterator[OwnValkey]:
        with running_valkey(short_tmp_path / "valkey.sock") as valkey:
            yield valkey

    @pytest.fixture
    def cache(self, valkey: OwnValkey) -> Iterator[RedisCache]:
        options = {"serializer": "papertrade_site.upstream.serializer.JsonSerializer"}
        cache = RedisCache(valkey.url, {"OPTIONS": options})
        yield cache
        cache._cache.get_client().connection_pool.disconnect()

    def test_many_threads_of_two_processes_have_exactly_the_quota(
        self, cache: RedisCache, clock: ManualClock, pool: ThreadPoolExecutor, valkey: OwnValkey
    ) -> None:
        processes = [Quota(cache, clock).of(ORIGIN) for _ in range(2)]
        tries = [pool.submit(granted, processes[number % 2], 5) for number in range(32)]
        assert sum(each.result(10) for each in tries) == MOST
        (key,) = valkey.stored_keys()
        assert 0 < int(valkey.redis.ttl(key)) <= 65
