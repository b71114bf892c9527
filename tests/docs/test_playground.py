"""What the playground's script makes of answers: records, tables, spreadsheets, refusals and limits."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests.docs.script import playground

WRITTEN: Final = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-1": "'-1",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t'=1",
    " =1": "' =1",
    "\uff1d1": "'\uff1d1",
    "\uff0b1": "'\uff0b1",
    "\uff0d1": "'\uff0d1",
    "\uff20A": "'\uff20A",
    "Bob;=1+1": "Bob;'=1+1",
    "Bob; \uff20A": "Bob;' \uff20A",
    'Bob;"=1"': 'Bob;\'"=1"',
    "Bob\t-1": "Bob\t'-1",
    "Bob|+1|+2": "Bob|'+1|'+2",
    "Bob,=1": "Bob,'=1",
    "Bob\n=1": "Bob\n'=1",
    'a"b': 'a"b',
    "a,b": "a,b",
    "a\nb": "a\nb",
    "a;b-c=d": "a;b-c=d",
    "plain": "plain",
}
"""Texts, and what spreadsheets are given in their place: an apostrophe before all that could be a formula."""


def _blocks(value: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = playground("script.blocks(given)", value)
    return found


def test_plain_values_make_a_record_and_long_texts_stand_alone() -> None:
    note = "words " * 20
    assert _blocks({"market": "BTC", "markPriceUsd": 84_000.5, "cascade": None, "note": note}) == [
        {"title": "", "record": [["market", "BTC"], ["markPriceUsd", 84_000.5], ["cascade", None]]},
        {"title": "note", "text": note},
    ]


def test_a_list_of_rows_makes_a_table_with_every_column_of_any_row() -> None:
    rows = [{"side": "long", "usd": 1}, {"side": "short", "usd": 2, "partial": True}]
    assert _blocks({"buckets": rows}) == [
        {
            "title": "buckets",
            "columns": ["side", "usd", "partial"],
            "rows": [["long", 1, None], ["short", 2, True]],
        }
    ]


def test_parts_of_one_shape_make_a_table_by_their_names() -> None:
    assert _blocks({"down": {"usd": 1, "positions": 2}, "up": {"usd": 3, "positions": 4}}) == [
        {"title": "", "columns": ["name", "usd", "positions"], "rows": [["down", 1, 2], ["up", 3, 4]]}
    ]


def test_what_belongs_together_stands_before_the_words_about_it() -> None:
    note = "Words " * 20
    cascade = {"percent": 1, "down": {"usd": 1}, "up": {"usd": 3}, "note": note}
    assert _blocks({"cascade": cascade}) == [
        {"title": "cascade", "record": [["percent", 1]]},
        {"title": "cascade", "columns": ["name", "usd"], "rows": [["down", 1], ["up", 3]]},
        {"title": "cascade · note", "text": note},
    ]


def test_lists_of_one_length_are_the_columns_of_a_table() -> None:
    history = [{"market": "BTC", "times": ["a", "b"], "longUsd": [1, 2]}]
    assert _blocks({"history": history}) == [
        {"title": "history · BTC", "columns": ["times", "longUsd"], "rows": [["a", 1], ["b", 2]]}
    ]


def test_rows_with_parts_of_their_own_are_shown_one_by_one_under_the_name_of_their_market() -> None:
    markets = [{"market": "BTC", "usd": 1, "caps": {"longUsd": 2}}, {"market": "ETH", "usd": 3, "below": []}]
    assert _blocks({"markets": markets}) == [
        {"title": "markets · BTC", "record": [["usd", 1]]},
        {"title": "markets · BTC · caps", "record": [["longUsd", 2]]},
        {"title": "markets · ETH", "record": [["usd", 3]]},
        {"title": "markets · ETH · below", "text": "none"},
    ]


def test_a_spreadsheet_holds_each_cell_and_runs_none_of_them() -> None:
    table = {"columns": ["name", "usd", "none"], "rows": [[text, -1.5, None] for text in WRITTEN]}
    written = playground("script.csv(given)", table)
    head, *rows = csv.reader(StringIO(written, newline=""))
    assert head == table["columns"]
    assert [row[1:] for row in rows] == [["-1.5", ""]] * len(WRITTEN)
    assert [row[0] for row in rows] == list(WRITTEN.values())


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_no_cell_is_a_formula_wherever_a_spreadsheet_cuts(separator: str) -> None:
    table = {"columns": ["name"], "rows": [[text] for text in WRITTEN]}
    written = playground("script.csv(given)", table)
    for line in written.splitlines():
        for cell in line.split(separator):
            assert not cell.strip().strip('"').strip().startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20")), cell


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1_234_567.25, "1,234,567.25"),
        (-30_339.303754, "-30,339.303754"),
        (0.031161275440326982, "0.031161275440326982"),
        (1e-7, "0.0000001"),
        (None, "none"),
        (True, "true"),
        ("0012", "0012"),
    ],
)
def test_a_value_is_shown_whole(value: object, text: str) -> None:
    assert playground("script.shown(given)", value) == text


def _post(client: Client, server: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    answer: dict[str, Any] = client.post(f"/{server}/mcp", body, content_type="application/json").json()
    return answer


def _faults(answer: dict[str, Any], names: list[str]) -> dict[str, str]:
    return dict(playground("script.faults(given[0], given[1])", [answer, names]))


def test_refused_arguments_of_a_json_rpc_error_are_told_apart(client: Client) -> None:
    answer = _post(client, "liquidations", "get_bust_map", {"wallets": 99})
    assert _faults(answer, ["market", "wallets"]) == {
        "market": "It is missing; it must be one of BTC, ETH.",
        "wallets": "It must be a whole number from 1 to 44.",
    }


def test_refused_arguments_of_a_result_are_told_apart(client: Client) -> None:
    sent = {"symbol": "side is wrong. leverage is 1", "side": "long", "marginUsd": 0.5, "priceMovePct": 1}
    answer = _post(client, "analytics", "quote_position_outcome", sent)
    found = _faults(answer, ["symbol", "side", "marginUsd", "leverage", "priceMovePct"])
    assert found["marginUsd"] == "marginUsd is 0.5: it must be a number from 1 to 1000000."
    assert found["leverage"] == "leverage is missing; it must be a whole number from 1 to 1000."
    assert set(found) == {"symbol", "marginUsd", "leverage"}


def test_a_failure_of_the_tool_refuses_no_argument() -> None:
    failed = {"result": {"content": [{"type": "text", "text": "Busy. market is slow."}], "isError": True}}
    assert _faults(failed, ["market"]) == {}


def test_the_limit_is_read_from_its_header(client: Client) -> None:
    response = client.post("/analytics/mcp", "{", content_type="application/json")
    found = playground("script.limit(given)", response.headers["RateLimit"])
    assert found["left"] == "59"
    assert 1 <= int(found["seconds"]) <= 60
    assert playground("script.limit(given)", None) is None


def test_the_script_is_small_and_sets_no_html() -> None:
    path = finders.find("docs/playground.js")
    assert isinstance(path, str)
    script = Path(path).read_text("utf-8")
    assert len(script.encode()) <= 14 * 1024
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert unsafe not in script


@pytest.mark.parametrize(
    ("distances", "sides", "place"),
    [
        ([2, 1, 0.5, 3], ["long", "long", "short", "short"], 2),
        ([2, 0.07, 0.3, 3], ["long", "long", "short", "short"], 2),
        ([2, 0.07, 0.05, 3], ["long", "long", "short", "short"], 2),
        ([0.1, 2], ["long", "long"], 0),
        ([3, 1, 0, 2], [None] * 4, 2),
        ([2, 1, -1], [None] * 3, 1),
        ([None, 5], [None] * 2, 1),
        ([None, None], ["long", "short"], -1),
        ([], [], -1),
    ],
)
def test_a_map_begins_at_the_row_that_is_nearest_to_the_mark_or_behind_it_where_that_is_a_long(
    distances: list[object], sides: list[str | None], place: int
) -> None:
    assert playground("script.nearest(given[0], given[1])", [distances, sides]) == place
