"""The bridge between kernel and sources: names, exact numbers, provenance, texts and errors."""

from __future__ import annotations

from decimal import Decimal
from unittest.mock import call, patch

import pytest
from pydantic import Field, ValidationError
from pytest_django import Settings

from papertrade_site.figures.text import amount, change, dollars, money, number, share_text, signed
from papertrade_site.figures.tool import (
    Found,
    book_requests,
    call_requests,
    failure_text,
    reading_tool,
    refuse,
)
from papertrade_site.figures.wire import ExactNumber, WireModel, wire_name
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.schema import input_schema
from papertrade_site.mcp.tool import BadArgumentsError
from papertrade_site.upstream.budget import BOOK_CALL_REQUESTS, CALL_REQUESTS
from papertrade_site.upstream.errors import (
    BudgetSpentError,
    BusyError,
    MissingError,
    RefusedError,
    SlowError,
    UnexpectedError,
    UnreachableError,
    UpstreamError,
)
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.sources import Sources
from tests.filled_venue import FilledVenue
from tests.policies import InForce
from tests.simulated_calls import simulated_calls


class _Amounts(WireModel):
    """Two numbers."""

    first_usd: ExactNumber = Field(description="One.", json_schema_extra={"minimum": 1})
    second_usd: ExactNumber | None = Field(default=None, description="Two.", json_schema_extra={"maximum": 9})


class _Sum(WireModel):
    """Their sum."""

    sum_usd: float


def _find(arguments: _Amounts, sources: Sources) -> Found:
    sources.trading()
    return Found(_Sum(sum_usd=float(arguments.first_usd)), "The sum is known.")


TOOL = reading_tool(
    _find, server="analytics", name="add", title="Add", description="Adds.", arguments=_Amounts, figures=_Sum
)


@pytest.fixture
def venue() -> FilledVenue:
    return FilledVenue()


class TestWire:
    @pytest.mark.parametrize(
        ("name", "wire"),
        [
            ("market", "market"),
            ("mark_price_usd", "markPriceUsd"),
            ("change_24h_percent", "change24hPercent"),
            ("tail_to_rate25_usd", "tailToRate25Usd"),
        ],
    )
    def test_names_on_the_wire(self, name: str, wire: str) -> None:
        assert wire_name(name) == wire

    def test_a_number_is_the_decimal_that_was_written(self) -> None:
        assert _Amounts.model_validate({"firstUsd": 0.1}).first_usd == Decimal("0.1")
        assert _Amounts.model_validate({"firstUsd": 10**400}).first_usd == 10**400
        assert _Amounts.model_validate({"firstUsd": 1e-300}).first_usd == Decimal("1e-300")

    @pytest.mark.parametrize("zero", [0, -0.0, 0.0, "-0.00", "0e5"])
    def test_a_zero_has_no_sign_and_one_form(self, zero: object) -> None:
        assert str(_Amounts.model_validate({"firstUsd": zero}).first_usd) == "0"

    def test_a_number_is_published_with_its_bounds(self) -> None:
        assert input_schema(_Amounts)["properties"] == {
            "firstUsd": {"type": "number", "description": "One.", "minimum": 1},
            "secondUsd": {"type": "number", "description": "Two.", "maximum": 9},
        }


class TestReadingTool:
    def test_what_was_found_is_dated_and_named_by_its_source(self, venue: FilledVenue) -> None:
        venue.clock.advance(5)
        result, summary = venue.answer(TOOL, {"firstUsd": 2.5})
        assert result == {
            "generatedAt": "2026-11-30T12:00:05Z",
            "dataSource": "simulated",
            "freshness": {
                "asOf": "2026-11-30T12:00:05Z",
                "degraded": False,
                "sources": [
                    {"name": "exchange.trading", "fetchedAt": "2026-11-30T12:00:05Z", "state": "fresh"}
                ],
            },
            "sumUsd": 2.5,
        }
        assert summary == "The sum is known. Simulated data."

    def test_a_degraded_result_says_so_in_its_sentence(self, venue: FilledVenue) -> None:
        def find(arguments: _Amounts, sources: Sources) -> Found:
            sources.optional(sources.queue, missing="No queue.")
            return _find(arguments, sources)

        tool = reading_tool(
            find,
            server="analytics",
            name="add",
            title="Add",
            description="Adds.",
            arguments=_Amounts,
            figures=_Sum,
        )
        venue.fail("exchange.queue")
        assert venue.answer(tool, {"firstUsd": 2.5})[1] == (
            "The sum is known. Some inputs are old or missing; see freshness. Simulated data."
        )

    def test_live_figures_are_called_live(self, venue: FilledVenue, settings: Settings) -> None:
        settings.PAPERTRADE_SOURCE = "live"
        result, summary = venue.answer(TOOL, {"firstUsd": 2.5})
        assert result["dataSource"] == "live"
        assert summary == "The sum is known."

    @pytest.mark.requirement("limit:upstream-requests")
    def test_each_call_gets_sources_of_its_own_with_so_many_requests(self) -> None:
        def find(_: _Amounts, sources: Sources) -> Found:
            given.append(sources)
            raise ToolError("enough")

        given: list[Sources] = []
        usual, large = (
            reading_tool(
                find,
                server="analytics",
                name="add",
                title="Add",
                description="Adds.",
                arguments=_Amounts,
                figures=_Sum,
                requests=requests,
            )
            for requests in (call_requests, book_requests)
        )
        make = process_sources.for_call
        with patch.object(process_sources, "for_call", side_effect=make) as for_call:
            for tool in (usual, large):
                with pytest.raises(ToolError, match="enough"):
                    tool.answer(tool.checked({"firstUsd": 1}))
        assert given[0] is not given[1]
        assert for_call.call_args_list == [call(requests=CALL_REQUESTS), call(requests=BOOK_CALL_REQUESTS)]

    def test_a_call_may_make_as_many_requests_as_its_own_server_allows_at_that_time(
        self, in_force: InForce
    ) -> None:
        assert TOOL.requests() == CALL_REQUESTS
        in_force.server("liquidations", call_requests=2)
        in_force.server("analytics", call_requests=3)
        assert TOOL.requests() == 3
        with (
            patch.object(process_sources, "for_call", side_effect=ToolError("enough")) as for_call,
            pytest.raises(ToolError, match="enough"),
        ):
            TOOL.answer(TOOL.checked({"firstUsd": 1}))
        assert for_call.call_args_list == [call(requests=3)]

    def test_a_result_is_kept_for_others_only_until_a_limit_changes(self, in_force: InForce) -> None:
        with simulated_calls(traders=8) as calls, calls.read_by_tools():
            answer = TOOL.answer(TOOL.checked({"firstUsd": 1}))
        assert answer.is_current()
        in_force.server("analytics", call_requests=3)
        assert not answer.is_current()

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
    def test_no_figure_can_be_one_that_json_does_not_have(self, value: float) -> None:
        with pytest.raises(ValidationError, match="finite"):
            _Sum(sum_usd=value)

    def test_a_failed_source_is_told_without_its_inner_error(self, venue: FilledVenue) -> None:
        venue.fail("exchange.trading")
        with pytest.raises(
            ToolError, match=r"^exchange\.trading cannot be reached now\. Try again in 7 s\.$"
        ):
            venue.call(TOOL, {"firstUsd": 1})


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            UnreachableError("x.y cannot be reached now.", source="x.y"),
            "x.y cannot be reached now. Try again in 3 s.",
        ),
        (
            SlowError("x.y did not answer in time.", source="x.y"),
            "x.y did not answer in time. Try again in 3 s.",
        ),
        (
            BusyError("x.y is being asked too often.", source="x.y", retry_after_s=40),
            "x.y is being asked too often. Try again in 40 s.",
        ),
        (
            MissingError("There is nothing at the address of x.y.", source="x.y"),
            "There is nothing at the address of x.y. Try again in 60 s.",
        ),
        (
            UnexpectedError("The answer of x.y is odd, so it is not used.", source="x.y"),
            "The answer of x.y is odd, so it is not used. Try again in 60 s.",
        ),
        (
            RefusedError("x.y refuses this request.", source="x.y", advice="Ask for something else."),
            "x.y refuses this request. Ask for something else.",
        ),
        (
            BudgetSpentError("No more requests.", source="x.y", advice="Ask for less at a time."),
            "No more requests. Ask for less at a time.",
        ),
    ],
)
def test_an_outage_says_what_happened_and_what_to_do_next(error: UpstreamError, text: str) -> None:
    assert failure_text(error) == text


def test_a_rule_beyond_the_schema_refuses_like_the_schema() -> None:
    with pytest.raises(BadArgumentsError) as caught:
        refuse("leverage", 500, "must be at most 200")
    (fault,) = caught.value.faults
    assert fault.json() == {"argument": "leverage", "value": "500", "problem": "must be at most 200"}


class TestText:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0.0, "0"),
            (1000.0, "1,000"),
            (83065.5, "83,065.5"),
            (0.000001, "0.000001"),
            (217785554681.2, "217,785,554,681.2"),
            (1e22, "10,000,000,000,000,000,000,000"),
            (1e-18, "0.000000000000000001"),
            (9.5e-19, "9.5e-19"),
            (5e-324, "5e-324"),
        ],
    )
    def test_a_number_has_the_digits_of_the_result(self, value: float, text: str) -> None:
        assert number(value) == text

    def test_dollars_and_signs(self) -> None:
        assert (dollars(-5.25), dollars(5.25)) == ("-$5.25", "$5.25")
        assert (signed(-5.25), signed(5.25), signed(0.0)) == ("-5.25", "+5.25", "+0")

    @pytest.mark.parametrize(
        ("value", "told", "in_dollars"),
        [
            (4_993_279.455351, "4,993,279", "$4,993,279"),
            (-4_993_279.5, "-4,993,280", "-$4,993,280"),
            (10_000.4, "10,000", "$10,000"),
            (9_999.994, "9,999.99", "$9,999.99"),
            (9_999.995, "10,000", "$10,000"),
            (1_234.5, "1,234.5", "$1,234.50"),
            (-1.005, "-1.01", "-$1.01"),
            (20.0, "20", "$20"),
            (0.1, "0.1", "$0.10"),
            (0.017456, "0.0175", "$0.0175"),
            (0.000001, "0.000001", "$0.000001"),
            (-1.23456e-19, "-1.23e-19", "-$1.23e-19"),
            (5e-324, "5e-324", "$5e-324"),
            (0.0, "0", "$0"),
            (1e300, f"1{',000' * 100}", f"$1{',000' * 100}"),
        ],
    )
    def test_a_sentence_has_as_many_digits_as_a_reader_takes_in(
        self, value: float, told: str, in_dollars: str
    ) -> None:
        assert amount(value) == told
        assert money(value) == in_dollars

    def test_shares_and_changes_are_percentages(self) -> None:
        assert (share_text(0.446052), share_text(0.000006), share_text(1)) == ("44.61 %", "0.0006 %", "100 %")
        assert (change(1.334073), change(-5.743919), change(0)) == ("+1.33 %", "-5.74 %", "+0 %")
