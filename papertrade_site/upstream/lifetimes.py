"""How long a copy of each resource lasts: one table, so that every number can be compared.

Somebody above may set other numbers while the process runs. They are of a resource and not of a server,
since both servers share the copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from papertrade_site.present import Present
from papertrade_site.upstream.resource import Lifetime

_HALF_A_MINUTE: Final = Lifetime(fresh_s=30.0, stale_s=600.0)
_MINUTE: Final = Lifetime(fresh_s=60.0, stale_s=600.0)

DEFAULT_LIFETIMES: Final[Mapping[str, Lifetime]] = MappingProxyType(
    {
        # The mark comes from the book; at 1000x an older one is worthless.
        "hyperliquid.book": Lifetime(fresh_s=2.0, stale_s=15.0),
        "exchange.trading": _HALF_A_MINUTE,
        "exchange.summary": _HALF_A_MINUTE,
        "exchange.queue": _HALF_A_MINUTE,
        "exchange.recent_trades": _HALF_A_MINUTE,
        "exchange.relayer": _HALF_A_MINUTE,
        "exchange.wallets": _HALF_A_MINUTE,
        "exchange.leaderboard": _HALF_A_MINUTE,
        "exchange.liquidation_map": _HALF_A_MINUTE,
        "exchange.history": _MINUTE,
        "exchange.house_history": _MINUTE,
        "exchange.market_stats": _MINUTE,
        "exchange.best_positions": _MINUTE,
        "hyperliquid.candles": _MINUTE,
        "hyperevm.paper": _MINUTE,
    }
)
"""By the names that resources have in freshness reports; they hold until ``apply`` says otherwise."""


_present = Present(DEFAULT_LIFETIMES)


def lifetime_of(name: str) -> Lifetime:
    """How long copies of a resource last now.

    Raises:
        KeyError: when there is no such resource.
    """
    return _present.value[name]


def lifetimes() -> Mapping[str, Lifetime]:
    """How long copies of every resource last now, by its name."""
    return _present.value


def apply(overrides: Mapping[str, Lifetime]) -> None:
    """Let copies of the named resources last so long from now on, and all others as long as by default.

    A name that no resource has is passed over: another version of this program may have known it.
    """
    _present.value = MappingProxyType(
        {name: overrides.get(name, default) for name, default in DEFAULT_LIFETIMES.items()}
    )
