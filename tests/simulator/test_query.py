"""Reading query parameters."""

from __future__ import annotations

import pytest

from papertrade_site.market.vocabulary import Interval
from papertrade_site.simulator import query
from papertrade_site.simulator.protocol import Request
from papertrade_site.simulator.refusal import RefusedRequestError


def request(*pairs: tuple[str, str]) -> Request:
    """A request with a query."""
    return Request(method="GET", path="/", query=pairs)


def test_a_parameter_is_read_when_it_is_there_once() -> None:
    assert query.single(request(("a", "1"), ("b", "2")), "b") == "2"


@pytest.mark.parametrize("pairs", [(), (("a", "1"), ("a", "1"))])
def test_a_missing_or_doubled_parameter_is_refused(pairs: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(RefusedRequestError, match="send a exactly once"):
        query.single(request(*pairs), "a")


def test_a_choice_names_what_there_is() -> None:
    assert query.choice("1h", Interval, name="interval") is Interval.HOUR
    with pytest.raises(RefusedRequestError, match="interval is one of 1m, 1h, 1d"):
        query.choice("1w", Interval, name="interval")


@pytest.mark.parametrize("text", ["0", "201", "-1", "1.0", "", " 5", "٣", "9" * 30])
def test_a_number_outside_its_bounds_is_refused(text: str) -> None:
    with pytest.raises(RefusedRequestError, match="size is a whole number from 1 to 200"):
        query.number(text, name="size", least=1, most=200)


def test_bounds_are_included() -> None:
    assert [query.number(text, name="size", least=1, most=200) for text in ("1", "200")] == [1, 200]


def test_sorted_parameters_are_read() -> None:
    assert query.sorted_once(request(("a", "1"), ("b", "2")), ("a", "b", "c")) == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    "pairs", [(("b", "1"), ("a", "2")), (("a", "1"), ("a", "2")), (("a", "1"), ("d", "2"))]
)
def test_unsorted_doubled_and_unknown_parameters_are_refused(pairs: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(RefusedRequestError):
        query.sorted_once(request(*pairs), ("a", "b", "c"))
