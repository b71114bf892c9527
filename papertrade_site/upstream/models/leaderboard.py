"""The leaderboard: accounts ranked by one of their figures over a window of time."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from papertrade_site.strict_json import Json
from papertrade_site.upstream.wire import Address, Answered, Count, FlexibleWad, Wire

MAX_NAME = 256
"""Characters of a trader's name that are kept; whoever shows one cleans and cuts it further."""


def _name(value: Json) -> str | None:
    return value[:MAX_NAME] if isinstance(value, str) else None


Figure = Annotated[FlexibleWad | None, Field(default=None)]


class Account(Wire):
    """One account: dollars and PAPER at 10^18, None where the venue leaves a figure out.

    ``name`` was chosen by the trader: untrusted text.
    """

    address: Address
    name: Annotated[str | None, BeforeValidator(_name)] = Field(
        default=None, validation_alias="leaderboardName"
    )
    total_windowed_pnl: Figure
    realized_pnl: Figure
    current_unrealized_pnl: Figure
    current_balance: Figure
    current_open_notional: Figure
    total_volume: Figure
    paper_total: Figure
    current_open_position_count: Count | None = None


class Tracked(Wire):
    """How many accounts the venue ranks, and what they hold together in dollars at 10^18."""

    unique_accounts: Count
    tracked_balance: FlexibleWad


class PageInfo(Wire):
    """How many pages there are at the page size that was granted."""

    total_pages: Count


class Leaderboard(Answered):
    """One page of the leaderboard, best first."""

    summary: Tracked
    accounts: Annotated[tuple[Account, ...], Field(max_length=1000)]
    page_info: PageInfo
