"""Ranks all accounts by any of the venue's eight figures, over any of its four windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from papertrade_site.market.settlement import settle_position
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.simulator.accounts import Account
from papertrade_site.simulator.markets import WIN_FEE_RATE
from papertrade_site.simulator.windows import NO_FLOW, Flow
from papertrade_site.simulator.world import World


class Leaderboard:
    """The accounts of a world at one revision; made anew when the world has moved on."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.revision = world.revision
        self._rankings: dict[tuple[Window, SortKey], list[Account]] = {}

    def ranking(self, window: Window, key: SortKey) -> list[Account]:
        """All accounts, best first; those that tie stand in the order of joining."""
        wanted = (window, key)
        if wanted not in self._rankings:
            accounts = self._world.exchange.ledger.accounts.values()
            self._rankings[wanted] = sorted(accounts, key=self._readers(window)[key], reverse=True)
        return self._rankings[wanted]

    def figures(self, account: Account, window: Window) -> dict[SortKey, int]:
        """All figures of an account's row: dollars and PAPER at 10^18, and a count.

        Realised result and volume are the window's; the total adds the present unrealised result.
        """
        read = self._readers(window)
        return {key: read[key](account) for key in SortKey}

    def _readers(self, window: Window) -> dict[SortKey, Callable[[Account], int]]:
        realized, volume = self._flow_readers(window)
        unrealized = self._unrealized_by_address
        return {
            SortKey.TOTAL_PNL: lambda account: realized(account) + unrealized.get(account.address, 0),
            SortKey.REALIZED_PNL: realized,
            SortKey.UNREALIZED_PNL: lambda account: unrealized.get(account.address, 0),
            SortKey.BALANCE: lambda account: account.balance,
            SortKey.OPEN_NOTIONAL: lambda account: account.open_notional,
            SortKey.VOLUME: volume,
            SortKey.PAPER: lambda account: account.paper,
            SortKey.OPEN_POSITIONS: lambda account: len(account.positions),
        }

    def _flow_readers(self, window: Window) -> tuple[Callable[[Account], int], Callable[[Account], int]]:
        if window is Window.ALL:
            return lambda account: account.realized, lambda account: account.volume
        flows: Mapping[str, Flow] = self._world.exchange.flows.of(window)
        return (
            lambda account: flows.get(account.address, NO_FLOW).realized,
            lambda account: flows.get(account.address, NO_FLOW).volume,
        )

    @cached_property
    def _unrealized_by_address(self) -> dict[str, int]:
        """What closing everything at the mid would pay each wallet, in dollars at 10^18."""
        sums: dict[str, int] = {}
        for positions, mid in zip(self._world.exchange.open_positions, self._world.prices.mids, strict=True):
            for position in positions.by_id.values():
                settlement = settle_position(
                    positions.traits.instrument, position, mark=mid, win_fee_rate=WIN_FEE_RATE
                )
                sums[position.wallet] = sums.get(position.wallet, 0) + settlement.net
        return sums
