"""The first accounts of a leaderboard, page by page, of the size that the venue never refuses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.upstream import exchange
from papertrade_site.upstream.exchange import SMALL_PAGE
from papertrade_site.upstream.models.leaderboard import Account, Leaderboard
from papertrade_site.upstream.resource import Resource
from papertrade_site.upstream.sources import Sources


def ranking_pages(window: Window, sort: SortKey, *, count: int) -> tuple[Resource[Leaderboard], ...]:
    """The pages that list the first ``count`` accounts, for prefetching."""
    return tuple(_page(window, sort, number) for number in range(-(-count // SMALL_PAGE)))


def read_ranking(sources: Sources, window: Window, sort: SortKey, *, count: int) -> list[Leaderboard]:
    """Those pages, fewer when the venue ranks fewer accounts; all but the first may be missing, with a note.

    Raises:
        UpstreamError: when the first page cannot be read.
    """
    read = partial(sources.leaderboard, window, sort, page_size=SMALL_PAGE)
    pages = [read(page=0)]
    for number in range(1, min(-(-count // SMALL_PAGE), pages[0].page_info.total_pages)):
        missing = f"Accounts beyond the first {number * SMALL_PAGE} are left out."
        page = sources.optional(partial(read, page=number), missing=missing)
        if page is None:
            break
        pages.append(page)
    return pages


def accounts_of(pages: Iterable[Leaderboard]) -> tuple[Account, ...]:
    """The accounts of some pages in their order, each once.

    Pages are read at different moments, in which an account may have moved from one to the next.
    """
    once: dict[str, Account] = {}
    for page in pages:
        for account in page.accounts:
            once.setdefault(account.address, account)
    return tuple(once.values())


def _page(window: Window, sort: SortKey, number: int) -> Resource[Leaderboard]:
    return exchange.leaderboard(window, sort, page=number, page_size=SMALL_PAGE)
