"""Who a client is: a block of addresses, known to the counters only by a keyed hash.

The address is the connection's own. Only where that belongs to a trusted proxy is the proxy's word taken
for the one before it, hop by hop from the right of ``X-Forwarded-For``: what stands further left was
written by the client and means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV6_PREFIX: Final = 64
"""Bits of an IPv6 address that tell clients apart; the rest is the client's own to change at will."""

UNKNOWN: Final = "unknown"
"""Stands for every peer without an address, such as one on a unix socket: they share one allowance."""

HASH_SALT: Final = "papertrade.limits.client"


def client_key(request: HttpRequest) -> str:
    """A name for the request's client that tells nobody its address: 64 hexadecimal digits.

    It depends on the secret key: another key makes other names, so that old ones cannot be matched.
    """
    block = client_block(
        request.META.get("REMOTE_ADDR", ""),
        request.META.get("HTTP_X_FORWARDED_FOR", ""),
        settings.TRUSTED_PROXIES,
    )
    return salted_hmac(HASH_SALT, block, algorithm="sha256").hexdigest()


def client_block(peer: str, forwarded_for: str, trusted: Sequence[Network]) -> str:
    """The block of addresses that counts as one client: an IPv4 address, or an IPv6 network of 64 bits.

    A hop that cannot be read ends the walk at the proxy that named it, so that a proxy which hides its
    clients has one allowance for all of them rather than one for every word it invents.

    Args:
        peer: address of the connection.
        forwarded_for: the ``X-Forwarded-For`` header, whatever was sent.
        trusted: networks whose proxies are believed.
    """
    client = _address(peer)
    for hop in reversed(forwarded_for.split(",")):
        if client is None or not any(client in network for network in trusted):
            break
        if hop.strip():
            named = _address(hop)
            if named is None:
                break
            client = named
    return UNKNOWN if client is None else _block(client)


def _address(text: str) -> Address | None:
    """Read ``1.2.3.4``, ``1.2.3.4:5``, ``::1``, ``[::1]`` or ``[::1]:5``, perhaps in quotes; else None."""
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


def _block(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), IPV6_PREFIX), strict=False))
