"""Nothing of the quota of named wallets goes on requests that are not sent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from papertrade_site.upstream import exchange
from papertrade_site.upstream.breaker import FAILURES_TO_OPEN, OPEN_SECONDS
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.cached import CachedReader
from papertrade_site.upstream.errors import BudgetSpentError, BusyError, QuotaSpentError, UnreachableError
from papertrade_site.upstream.freshness import Reading
from papertrade_site.upstream.models.wallet import WalletState
from tests.clocks import ManualClock
from tests.policies import InForce
from tests.upstream.fake_venue import FakeVenue, OpenClients

MOST = 10

Name = Callable[..., Reading[WalletState]]


def wallet(number: int) -> str:
    return f"0x{number:040x}"


@pytest.fixture
def name(reader: CachedReader, open_clients: OpenClients, clock: ManualClock, in_force: InForce) -> Name:
    """Read a wallet that a caller names, by its number; ``requests`` is what the call may make."""
    in_force.set(named_wallets_per_minute=MOST)
    clients = open_clients()

    def read(number: int, *, is_tracked: bool = False, requests: int = 8) -> Reading[WalletState]:
        resource = (exchange.wallet if is_tracked else exchange.named_wallet)(wallet(number))
        return reader.read(clients.want(resource), CallBudget(clock, requests=requests))

    return read


def _whole_quota_is_left(name: Name) -> bool:
    """Whether so many new wallets are read, and not one more."""
    for number in range(1_000, 1_000 + MOST):
        name(number)
    with pytest.raises(QuotaSpentError):
        name(2_000)
    return True


@pytest.mark.parametrize(
    ("status", "failures", "error", "rest_s"),
    [(500, FAILURES_TO_OPEN, UnreachableError, OPEN_SECONDS), (429, 1, BusyError, 10.0)],
    ids=["breaker open", "pause asked for"],
)
def test_a_host_that_is_left_alone_takes_nothing(
    name: Name,
    venue: FakeVenue,
    clock: ManualClock,
    status: int,
    failures: int,
    error: type[Exception],
    rest_s: float,
) -> None:
    venue.status |= {wallet(number): status for number in range(failures)}
    for number in range(failures):
        with pytest.raises(error):
            name(number, is_tracked=True)
    sent = venue.requests.total()
    for number in range(100, 100 + 2 * MOST):
        with pytest.raises(error):
            name(number)
    assert venue.requests.total() == sent
    clock.advance(rest_s)
    assert _whole_quota_is_left(name)


def test_a_call_that_has_spent_its_own_requests_takes_nothing(name: Name, venue: FakeVenue) -> None:
    for number in range(2 * MOST):
        with pytest.raises(BudgetSpentError, match="This call has used"):
            name(number, requests=0)
    assert venue.requests.total() == 0
    assert _whole_quota_is_left(name)
