"""Who may see the inside of the service."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from papertrade_site.ops.insiders import is_insider


@pytest.fixture(autouse=True)
def networks(settings: Settings) -> None:
    settings.METRICS_NETWORKS = (ip_network("127.0.0.0/8"), ip_network("::1"), ip_network("198.51.100.0/24"))


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("198.51.100.7", True),
        ("198.51.101.7", False),
        ("203.0.113.1", False),
        ("2001:db8::1", False),
        ("", False),
        ("unknown", False),
    ],
)
def test_it_is_whoever_connects_from_a_named_network(rf: RequestFactory, peer: str, expected: bool) -> None:
    assert is_insider(rf.get("/metrics", REMOTE_ADDR=peer)) is expected


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
@pytest.mark.parametrize("value", ["127.0.0.1", "for=127.0.0.1", "", "unknown"])
def test_a_proxy_that_is_not_trusted_opens_nothing_though_it_is_on_this_machine(
    rf: RequestFactory, header: str, value: str
) -> None:
    assert not is_insider(rf.get("/metrics", headers={header: value}, REMOTE_ADDR="127.0.0.1"))


@pytest.mark.parametrize(
    ("forwarded_for", "expected"),
    [
        ("198.51.100.7", True),
        ("203.0.113.1", False),
        ("198.51.100.7, 203.0.113.1", False),
        ("203.0.113.1, 198.51.100.7", True),
        ("127.0.0.1", False),
        ("unknown", False),
        ("", False),
        ("198.51.100.7, unknown", False),
    ],
)
def test_through_a_trusted_proxy_the_client_counts_and_the_proxy_never(
    rf: RequestFactory, settings: Settings, forwarded_for: str, expected: bool
) -> None:
    settings.TRUSTED_PROXIES = (ip_network("127.0.0.1"),)
    request = rf.get("/metrics", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR=forwarded_for)
    assert is_insider(request) is expected


def test_a_trusted_proxy_that_does_not_say_who_asks_opens_nothing(
    rf: RequestFactory, settings: Settings
) -> None:
    settings.TRUSTED_PROXIES = (ip_network("127.0.0.1"),)
    assert not is_insider(rf.get("/metrics", REMOTE_ADDR="127.0.0.1", HTTP_FORWARDED="for=198.51.100.7"))


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_for_others_there_is_nothing_at_the_address_of_the_metrics(client: Client, method: str) -> None:
    answer = client.generic(method, "/metrics", REMOTE_ADDR="203.0.113.1")
    assert (answer.status_code, answer.json()["error"]) == (404, "Not Found")
    assert "Access-Control-Allow-Origin" not in answer
