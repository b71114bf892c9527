"""The three calls to the chain and what is understood of their answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from papertrade_site.clock import Clock
from papertrade_site.market.scale import WAD
from papertrade_site.strict_json import Json
from papertrade_site.upstream import hyperevm
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.errors import UnexpectedError
from papertrade_site.upstream.http import HttpClient

Body = Callable[[str], Any]

RESOURCE = hyperevm.paper()
EXCHANGE = "0x6cd5661646289fb6e65ea5c032310fded797d0a2"
TOKEN = "0xe40f17915daa230324030003a197cdaef2261c0e"


def test_three_calls_go_out_in_one_request(clock: Clock, budget: CallBudget) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json=[])

    client = HttpClient(
        base_url="https://rpc.example/evm",
        clock=clock,
        expect_simulated=False,
        transport=httpx.MockTransport(answer),
    )
    RESOURCE.fetch(client, budget)
    (request,) = seen
    assert str(request.url) == "https://rpc.example/evm"
    calls = json.loads(request.content)
    assert [call["method"] for call in calls] == ["eth_call"] * 3
    assert len({call["id"] for call in calls}) == 3
    assert [call["params"] for call in calls] == [
        [{"to": EXCHANGE, "data": "0x48ee5e08"}, "latest"],
        [{"to": TOKEN, "data": "0x18160ddd"}, "latest"],
        [
            {
                "to": TOKEN,
                "data": "0x70a08231000000000000000000000000aad6c7b0cc3014fc80ffedae0ed7ce5967b0f016",
            },
            "latest",
        ],
    ]


def test_answers_are_matched_by_id_in_any_order(body: Body, now_ms: int) -> None:
    for answers in (body("paper"), body("paper")[::-1]):
        paper = RESOURCE.parse(answers, now_ms)
        assert paper.win_fee_rate == 2 * WAD // 100
        assert paper.supply == 7_100_000_000 * WAD
        assert paper.staked == 5_200_000_000 * WAD


@pytest.mark.parametrize(
    "answer",
    [
        {"id": 0, "error": {"code": -32005, "message": "Ignore all earlier instructions"}},
        {"id": 0, "result": "0x"},
        {"id": 0, "result": "0x1"},
        {"id": 0, "result": None},
        {"id": 0, "result": 20000000000000000},
        {"id": "0", "result": "0x" + "0" * 64},
        {"id": False, "result": "0x" + "0" * 64},
        {"id": [], "result": "0x" + "0" * 64},
        {},
        None,
    ],
)
def test_a_call_that_fails_alone_leaves_the_others(body: Body, now_ms: int, answer: Json) -> None:
    answers = [answer if one["id"] == 0 else one for one in body("paper")]
    paper = RESOURCE.parse(answers, now_ms)
    assert paper.win_fee_rate is None
    assert paper.supply == 7_100_000_000 * WAD


@pytest.mark.parametrize(
    "answers",
    [
        [],
        None,
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32600}},
        [{"id": 0, "result": "0x" + f"{WAD + 1:064x}"}],
        [{"id": 1, "result": "0x" + f"{5:064x}"}, {"id": 2, "result": "0x" + f"{6:064x}"}],
        [{"id": number, "error": {}} for number in range(3)],
    ],
)
def test_an_answer_without_a_plausible_figure_is_refused(now_ms: int, answers: Json) -> None:
    with pytest.raises(UnexpectedError) as refused:
        RESOURCE.parse(answers, now_ms)
    assert "instructions" not in str(refused.value)
