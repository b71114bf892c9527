"""Who a client is: a block of addresses, known to the counters only by a keyed hash.

The address is the connection's own. Only where that belongs to a trusted proxy is the proxy's word taken
for the one before it, hop by hop from the right of ``X-Forwarded-For``: what stands further left was
written by the client and means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV6_PREFIX: Final = 64
"""Bits of an IPv6 address that tell clients apart; the rest is the client's own to change at will."""

UNKNOWN: Final = "unknown"
"""Stands for every peer without an address, such as one on a unix socket: they share one allowance."""

SCOPE: Final = "%"
"""Begins the name of a link in an IPv6 address: any text at all, which says nothing of who somebody is."""

HASH_SALT: Final = "papertrade.limits.client"

KEY_BYTES: Final = 32
"""Length of the keyed hash: BLAKE2b, which takes a tenth of the time of an HMAC for so few characters."""

REMEMBERED_AS: Final = "papertrade.client"
"""Where a request's environment holds its client; no header can be named so."""

SHOWN_DIGITS: Final = 12
"""Hexadecimal digits of a client's name that are shown and kept: enough to tell clients apart, no more."""

KEPT_CLIENTS: Final = 2048
"""Clients whose names a process keeps at hand, below 2 MB: making one takes as long as half of counting."""

KEPT_CHARACTERS: Final = 200
"""A longer ``X-Forwarded-For`` is read anew each time, so that no caller fills the process with them."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who sent a request.

    Attributes:
        address: its own, whole, for rules about networks; None for a peer that has none.
        key: a name for it that tells nobody its address: 64 hexadecimal digits. It hangs on the secret key:
            another key makes other names, so that old ones cannot be matched.
        digits: the first of them, which stand for the client wherever people see it.
    """

    address: Address | None
    key: str
    digits: str


def client_of(request: HttpRequest) -> Client:
    """The request's client; found once, and remembered with the request."""
    client: Client | None = request.META.get(REMEMBERED_AS)
    if client is None:
        peer, forwarded_for = (
            request.META.get("REMOTE_ADDR", ""),
            request.META.get("HTTP_X_FORWARDED_FOR", ""),
        )
        find = _client if len(forwarded_for) <= KEPT_CHARACTERS else _client.__wrapped__
        client = find(peer, forwarded_for, settings.TRUSTED_PROXIES, settings.SECRET_KEY)
        request.META[REMEMBERED_AS] = client
    return client


def client_key(request: HttpRequest) -> str:
    """The name of the request's client by which it is counted, see ``Client``."""
    return client_of(request).key


def client_address(peer: str, forwarded_for: str, trusted: frozenset[Network]) -> Address | None:
    """The address of whoever sent a request; None for a peer without one.

    A hop that cannot be read ends the walk at the proxy that named it, so that a proxy which hides its
    clients has one allowance for all of them rather than one for every word it invents.

    Args:
        peer: address of the connection.
        forwarded_for: the ``X-Forwarded-For`` header, whatever was sent.
        trusted: networks whose proxies are believed.
    """
    client, is_proxy = _peer(peer, trusted)
    for hop in reversed(forwarded_for.split(",")):
        if not is_proxy:
            break
        if hop.strip():
            named = read_address(hop)
            if named is None:
                break
            client, is_proxy = named, _is_proxy(named, trusted)
    return client


@lru_cache
def _peer(peer: str, trusted: frozenset[Network]) -> tuple[Address | None, bool]:
    """The address of a connection, and whether it is a trusted proxy's: most come from the same few."""
    address = read_address(peer.partition(SCOPE)[0])
    return address, address is not None and _is_proxy(address, trusted)


def _is_proxy(address: Address, trusted: frozenset[Network]) -> bool:
    return any(address in network for network in trusted)


def block_of(address: Address | None) -> str:
    """The addresses that count as one client: an IPv4 address, or an IPv6 network of 64 bits."""
    if address is None:
        return UNKNOWN
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), IPV6_PREFIX), strict=False))


@lru_cache(maxsize=KEPT_CLIENTS)
def _client(peer: str, forwarded_for: str, trusted: frozenset[Network], secret: str) -> Client:
    return _named(client_address(peer, forwarded_for, trusted), secret)


def client_at(address: Address | None) -> Client:
    """The client that an address is counted as."""
    return _named(address, settings.SECRET_KEY)


def _named(address: Address | None, secret: str) -> Client:
    key = blake2b(block_of(address).encode(), key=_hash_key(secret), digest_size=KEY_BYTES).hexdigest()
    return Client(address, key, key[:SHOWN_DIGITS])


@lru_cache
def _hash_key(secret: str) -> bytes:
    """What the secret key, of any length, and the purpose come to."""
    return sha256(f"{HASH_SALT}{secret}".encode()).digest()


def read_address(text: str) -> Address | None:
    """Read ``1.2.3.4``, ``1.2.3.4:5``, ``::1``, ``[::1]`` or ``[::1]:5``, perhaps in quotes; else None.

    One with a scope, such as ``fe80::1%eth0``, is none: only the machine that has the link knows it.
    """
    if SCOPE in text:
        return None
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
