"""Every number that an operator may set: one table for forms, constraints, errors, pages and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS, CALL_REQUESTS
from papertrade_site.upstream.quota import DEFAULT_PER_MINUTE

SLUGS: Final = ("liquidations", "analytics")
"""The servers that there are limits for."""

WINDOW_S: Final = 60
"""Seconds of a window; it is fixed, so a client has its whole allowance again at its end."""

BURST_S: Final = 10
"""Seconds of the shorter window that an operator may add."""

KIB: Final = 1024

DEFAULT_PAGES: Final = 600
"""Pages of one reader in a minute, until an operator says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What a number may be, and what it is until somebody sets it.

    Attributes:
        name: what fields, errors and the audit log call it.
        default: what holds while nothing is set; None for no such limit, or where something else tells.
        least: the smallest value.
        most: the largest value.
        unit: what it counts, for a person.
        label: its name for a person.
        help: what it does, in a sentence or two.
        by_server: defaults that differ, by the server's short name.
    """

    name: str
    default: int | None
    least: int
    most: int
    unit: str
    label: str
    help: str
    by_server: Mapping[str, int] = field(default_factory=dict)

    @property
    def range_text(self) -> str:
        """The range in words, such as ``1 to 6,000``."""
        return f"{self.least:,} to {self.most:,}"

    @property
    def problem(self) -> str:
        """What a value out of the range is told, with the range."""
        return f"{self.name} must be {self.range_text}"

    def default_for(self, slug: str | None) -> int | None:
        """The default on a server, or on the whole site for None."""
        return self.default if slug is None else self.by_server.get(slug, self.default)


REQUESTS_PER_MINUTE: Final = Bound(
    name="requests_per_minute",
    default=None,
    by_server={"liquidations": 30, "analytics": 60},
    least=1,
    most=6_000,
    unit="messages in a minute",
    label="Messages of one client in a minute",
    help="A batch costs as many as it holds. A change holds within 5 seconds, "
    "for what was counted before too.",
)
BURST_REQUESTS: Final = Bound(
    name="burst_requests",
    default=None,
    least=1,
    most=1_000,
    unit=f"messages in {BURST_S} s",
    label=f"Messages of one client in {BURST_S} seconds",
    help="Keeps a client from using its whole minute at once. Empty: no such limit.",
)
ALL_CLIENTS_PER_MINUTE: Final = Bound(
    name="all_clients_per_minute",
    default=None,
    least=10,
    most=600_000,
    unit="messages in a minute",
    label="Messages of all clients together in a minute",
    help="Past it every client is told to come back, whoever used it up. Empty: no such limit.",
)
BODY_BYTES: Final = Bound(
    name="body_bytes",
    default=64 * KIB,
    least=KIB,
    most=256 * KIB,
    unit="bytes",
    label="Largest body of a request",
    help="A larger one is refused before it is read. The proxy in front has to let as much through.",
)
BATCH_MESSAGES: Final = Bound(
    name="batch_messages",
    default=None,
    by_server={"liquidations": 5, "analytics": 10},
    least=1,
    most=100,
    unit="messages",
    label="Most messages of a batch",
    help="Never more than a client's window holds: a lower limit of messages lowers this too.",
)
CALL: Final = Bound(
    name="call_requests",
    default=CALL_REQUESTS,
    least=1,
    most=50,
    unit="requests",
    label="Upstream requests of an ordinary call",
    help="What one call of a tool may ask the sources, retries included. Too few, and tools answer in part.",
)
BOOK_CALL: Final = Bound(
    name="book_call_requests",
    default=BOOK_CALL_REQUESTS,
    least=8,
    most=60,
    unit="requests",
    label="Upstream requests of a call that reads tracked wallets",
    help="Each wallet costs one, what is read beside them six; get_closest_to_bust may make one more. "
    "Wallets past it are left out and counted.",
)
WALLETS_DEFAULT: Final = Bound(
    name="wallets_default",
    default=44,
    least=1,
    most=44,
    unit="wallets",
    label="Wallets that are read when a call names no number",
    help="More cover more of the market. A call may still ask for any number up to the most.",
)
PAGES_PER_MINUTE: Final = Bound(
    name="pages_per_minute",
    default=DEFAULT_PAGES,
    least=30,
    most=60_000,
    unit="pages in a minute",
    label="Pages of one reader in a minute",
    help="Pages, pictures and documents of both servers, counted apart from messages.",
)
NAMED_WALLETS_PER_MINUTE: Final = Bound(
    name="named_wallets_per_minute",
    default=DEFAULT_PER_MINUTE,
    least=10,
    most=6_000,
    unit="requests in a minute",
    label="Upstream requests in a minute for wallets that callers name",
    help="Of all callers and machines together, as anybody can name ever new wallets. Past it they are told "
    "to come back. Tracked wallets are read besides.",
)
NETWORK_REQUESTS_PER_MINUTE: Final = Bound(
    name="requests_per_minute",
    default=None,
    least=1,
    most=60_000,
    unit="messages in a minute",
    label="Messages of one client in a minute",
    help="What each client of this network may send, in place of the server's limit. Empty: the server's.",
)
FRESH_S: Final = Bound(
    name="fresh_s",
    default=None,
    least=1,
    most=3_600,
    unit="seconds",
    label="Fresh for",
    help="Until then a copy is served without asking the source again.",
)
STALE_S: Final = Bound(
    name="stale_s",
    default=None,
    least=1,
    most=86_400,
    unit="seconds",
    label="Shown for at most",
    help="While the source fails, the last copy is shown until then, marked degraded. Not below the other.",
)

SERVER_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        bound.name: bound
        for bound in (
            REQUESTS_PER_MINUTE,
            BURST_REQUESTS,
            ALL_CLIENTS_PER_MINUTE,
            BODY_BYTES,
            BATCH_MESSAGES,
            CALL,
            BOOK_CALL,
            WALLETS_DEFAULT,
        )
    }
)
"""What is set for each server by itself, by name."""

SITE_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {bound.name: bound for bound in (PAGES_PER_MINUTE, NAMED_WALLETS_PER_MINUTE)}
)
"""What is set for the site as a whole, by name."""

NETWORK_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {NETWORK_REQUESTS_PER_MINUTE.name: NETWORK_REQUESTS_PER_MINUTE}
)
"""What is set for a client network, by name."""

LIFETIME_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {bound.name: bound for bound in (FRESH_S, STALE_S)}
)
"""What is set for a resource's copies, by name."""
