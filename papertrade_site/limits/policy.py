"""What clients may do, as a whole: limits of servers, switches, rules for networks, lifetimes of copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Self

from papertrade_site.limits.bounds import DEFAULT_PAGES, SERVER_BOUNDS, SLUGS
from papertrade_site.limits.networks import Networks
from papertrade_site.upstream.quota import DEFAULT_PER_MINUTE
from papertrade_site.upstream.resource import Lifetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The limits of one server.

    Attributes:
        requests_per_minute: messages that one client may send within a window; a batch costs all of its own.
        burst_requests: the same within ``BURST_S``; None for no such limit.
        all_clients_per_minute: messages of all clients together within a window; None for no such limit.
        body_bytes: most bytes of one request's body.
        batch_messages: most messages of one batch; never more than any window holds, or a full batch would
            be told to come back in vain.
        call_requests: upstream requests of an ordinary call of a tool.
        book_call_requests: upstream requests of a call that reads tracked wallets.
        wallets_default: wallets that are read where a call names no number.
        is_on: whether tools are called.
        off_message: why not, as callers are told.
    """

    requests_per_minute: int
    burst_requests: int | None
    all_clients_per_minute: int | None
    body_bytes: int
    batch_messages: int
    call_requests: int
    book_call_requests: int
    wallets_default: int
    is_on: bool = True
    off_message: str = ""

    def __post_init__(self) -> None:
        """Lower the batch to what the narrowest window holds."""
        windows = (self.requests_per_minute, self.burst_requests, self.all_clients_per_minute)
        fitting = min(self.batch_messages, *(limit for limit in windows if limit is not None))
        object.__setattr__(self, "batch_messages", fitting)

    @classmethod
    def of(
        cls, slug: str, numbers: Mapping[str, int | None], *, is_on: bool = True, off_message: str = ""
    ) -> Self:
        """The limits of a server, with the default for each number that is not set.

        Args:
            slug: the server's short name.
            numbers: what is set, by the names of ``SERVER_BOUNDS``; None counts as not set.
            is_on: see the attributes.
            off_message: see the attributes.

        Raises:
            LookupError: when there is no such server.
        """

        def number(name: str) -> int:
            sent, default = numbers.get(name), SERVER_BOUNDS[name].default_for(slug)
            value = default if sent is None else sent
            if value is None:
                raise LookupError(f"{name} is not set and has no default on {slug}")
            return value

        return cls(
            requests_per_minute=number("requests_per_minute"),
            burst_requests=numbers.get("burst_requests"),
            all_clients_per_minute=numbers.get("all_clients_per_minute"),
            body_bytes=number("body_bytes"),
            batch_messages=number("batch_messages"),
            call_requests=number("call_requests"),
            book_call_requests=number("book_call_requests"),
            wallets_default=number("wallets_default"),
            is_on=is_on,
            off_message=off_message,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything that an operator may set, as it holds at one time; threads share it.

    Attributes:
        servers: the limits of each server, by its short name.
        switched_off: why a tool is off, by server and tool; one that is on is not in it.
        networks: rules for client networks.
        lifetimes: how long copies last, by resource, where that differs from the default.
        pages_per_minute: pages, pictures and documents that one client may read within a window.
        named_wallets_per_minute: upstream requests for wallets that callers name, of all of them together.
    """

    servers: Mapping[str, ServerLimits]
    switched_off: Mapping[tuple[str, str], str] = field(default_factory=dict)
    networks: Networks = field(default_factory=Networks)
    lifetimes: Mapping[str, Lifetime] = field(default_factory=dict)
    pages_per_minute: int = DEFAULT_PAGES
    named_wallets_per_minute: int = DEFAULT_PER_MINUTE


DEFAULTS: Final = Policy(
    servers=MappingProxyType({slug: ServerLimits.of(slug, {}) for slug in SLUGS}),
)
"""What holds while nothing is set."""
