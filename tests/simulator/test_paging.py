"""Pages of a ranking."""

from __future__ import annotations

import pytest

from papertrade_site.simulator.paging import page_of


@pytest.mark.parametrize(
    ("count", "size", "pages"),
    [(0, 5, [[]]), (4, 5, [[0, 1, 2, 3]]), (5, 5, [[0, 1, 2, 3, 4]]), (6, 5, [[0, 1, 2, 3, 4], [5]])],
)
def test_every_row_stands_on_one_page_in_its_order(count: int, size: int, pages: list[list[int]]) -> None:
    rows = range(count)
    found = [page_of(rows, number=number, size=size) for number in range(len(pages))]
    assert [list(page.rows) for page in found] == pages
    assert {page.total for page in found} == {len(pages)}


def test_a_page_past_the_end_is_empty_and_keeps_its_number() -> None:
    page = page_of("abc", number=10_000, size=2)
    assert (page.rows, page.number, page.size, page.total) == ("", 10_000, 2, 2)
