"""Who a client is: behind trusted proxies, in blocks of addresses, and by a hash alone."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_network

import pytest
from django.http import HttpRequest
from hypothesis import given, strategies as st
from pytest_django import Settings

from papertrade_site.limits import client
from papertrade_site.limits.client import (
    UNKNOWN,
    Network,
    block_of,
    client_address,
    client_key,
    client_of,
    read_address,
)

TRUSTED = frozenset(map(ip_network, ("127.0.0.1", "10.0.0.0/8", "fc00::/7")))
PROXY = "10.0.0.1"
CLIENT = "203.0.113.7"


def client_block(peer: str, forwarded_for: str, trusted: frozenset[Network]) -> str:
    return block_of(client_address(peer, forwarded_for, trusted))


@pytest.mark.parametrize(
    ("peer", "block"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", UNKNOWN),
        ("unix:", UNKNOWN),
    ],
)
def test_a_client_is_an_ipv4_address_or_the_upper_half_of_an_ipv6_one(peer: str, block: str) -> None:
    assert client_block(peer, "", TRUSTED) == block


@pytest.mark.parametrize(
    "text", ["fe80::1%zz", "fe80::1%a\n\u202eb", "[fe80::1%zz]:5", "%", "203.0.113.7%zz"]
)
def test_an_address_of_a_link_is_none_that_anybody_may_name(text: str) -> None:
    assert read_address(text) is None
    assert client_block("10.0.0.1", text, TRUSTED) == "10.0.0.1"


@pytest.mark.parametrize("forwarded_for", ["1.2.3.4", "127.0.0.1", "10.0.0.1, 10.0.0.2", "", "unknown"])
@pytest.mark.parametrize("peer", [CLIENT, "::ffff:203.0.113.7"])
def test_a_peer_that_is_no_trusted_proxy_is_the_client_whatever_it_says(
    peer: str, forwarded_for: str
) -> None:
    assert client_block(peer, forwarded_for, TRUSTED) == CLIENT


@pytest.mark.parametrize("peer", [PROXY, "127.0.0.1", "::ffff:10.0.0.1", "fc00::1"])
@pytest.mark.parametrize(
    "forwarded_for",
    [
        "203.0.113.7",
        " 203.0.113.7 ",
        "203.0.113.7:4711",
        '"203.0.113.7:4711"',
        "::ffff:203.0.113.7",
        "[::ffff:203.0.113.7]:4711",
        "1.2.3.4, 203.0.113.7",
        "203.0.113.7, 10.9.9.9",
        "203.0.113.7, fc00::2, 127.0.0.1",
        "127.0.0.1, 203.0.113.7",
        "unknown, 203.0.113.7",
        "_hidden, 203.0.113.7",
        "203.0.113.7,,",
        ",,203.0.113.7",
        "x" * 4096 + ",203.0.113.7",
    ],
)
def test_behind_a_trusted_proxy_the_client_is_the_rightmost_hop_that_is_not_trusted(
    peer: str, forwarded_for: str
) -> None:
    assert client_block(peer, forwarded_for, TRUSTED) == CLIENT


@pytest.mark.parametrize(
    "forwarded_for",
    ["2001:db8::5", "[2001:db8::5]", "[2001:db8::5]:443", "[2001:db8::9", '"[2001:db8::5]:443"'],
)
def test_ipv6_hops_are_read_with_and_without_brackets_and_ports(forwarded_for: str) -> None:
    assert client_block(PROXY, forwarded_for, TRUSTED) == "2001:db8::/64"


@pytest.mark.parametrize(
    ("forwarded_for", "block"),
    [
        ("", PROXY),
        (" , ,", PROXY),
        ("unknown", PROXY),
        ("_hidden", PROXY),
        ("1.2.3.4, _hidden", PROXY),
        ("1.2.3.4, unknown, 10.0.0.9", "10.0.0.9"),
        ("256.1.1.1", PROXY),
        ("[", PROXY),
        (":", PROXY),
        ("\N{FULLWIDTH DIGIT ONE}.2.3.4", PROXY),
        ("x" * 4096, PROXY),
        ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
    ],
)
def test_the_last_hop_that_is_known_stands_for_clients_that_a_proxy_does_not_name(
    forwarded_for: str, block: str
) -> None:
    assert client_block(PROXY, forwarded_for, TRUSTED) == block


@given(
    st.text(max_size=64),
    st.one_of(st.text(), st.text('0123456789abcdef.:,[]% "_', max_size=4096)),
)
def test_no_header_makes_it_fail_and_no_stranger_is_believed(peer: str, forwarded_for: str) -> None:
    assert client_block(peer, forwarded_for, TRUSTED)
    assert client_block(PROXY, forwarded_for, TRUSTED)
    assert client_block(CLIENT, forwarded_for, TRUSTED) == CLIENT
    assert client_block(PROXY, f"{forwarded_for},{CLIENT}", TRUSTED) == CLIENT


class TestKey:
    def test_it_is_a_hash_in_which_no_address_can_be_read(
        self, request_of: Callable[..., HttpRequest]
    ) -> None:
        key = client_key(request_of(CLIENT))
        assert len(key) == 64
        assert int(key, 16)
        assert key == client_key(request_of(CLIENT))
        assert key != client_key(request_of("203.0.113.8"))

    def test_another_secret_makes_another_key(
        self, request_of: Callable[..., HttpRequest], settings: Settings
    ) -> None:
        before = client_key(request_of(CLIENT))
        settings.SECRET_KEY = "another " * 10
        assert client_key(request_of(CLIENT)) != before

    def test_proxies_are_believed_only_when_the_settings_name_them(
        self, request_of: Callable[..., HttpRequest], settings: Settings
    ) -> None:
        direct = client_key(request_of(CLIENT))
        assert client_key(request_of(PROXY, forwarded_for=CLIENT)) != direct
        settings.TRUSTED_PROXIES = TRUSTED
        assert client_key(request_of(PROXY, forwarded_for=CLIENT)) == direct

    @pytest.mark.parametrize("padding", ["", "x" * 400 + ","], ids=["short", "long"])
    def test_it_is_found_once_for_a_request(
        self, request_of: Callable[..., HttpRequest], settings: Settings, padding: str
    ) -> None:
        settings.TRUSTED_PROXIES = TRUSTED
        request = request_of(PROXY, forwarded_for=padding + CLIENT)
        found = client_of(request)
        request.META["HTTP_X_FORWARDED_FOR"] = "198.51.100.1"
        assert client_of(request) is found
        assert client_key(request) == found.key == client_key(request_of(CLIENT))
        assert str(found.address) == CLIENT

    def test_the_address_is_whole_and_a_peer_without_one_has_none(
        self, request_of: Callable[..., HttpRequest]
    ) -> None:
        assert str(client_of(request_of("2001:db8:1:2:3:4:5:6")).address) == "2001:db8:1:2:3:4:5:6"
        assert client_of(request_of("")).address is None

    def test_what_clients_say_fills_no_memory(
        self, request_of: Callable[..., HttpRequest], settings: Settings
    ) -> None:
        settings.TRUSTED_PROXIES = TRUSTED
        kept = client._client.cache_info().currsize
        client_key(request_of(PROXY, forwarded_for="x" * (client.KEPT_CHARACTERS + 1)))
        assert client._client.cache_info().currsize == kept
        assert client._client.cache_info().maxsize == client.KEPT_CLIENTS
