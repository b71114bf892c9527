"""What the bench of the endpoints says of what it has measured."""

from __future__ import annotations

import json

import pytest

from tests.load.bench_report import as_json, as_markdown, lines
from tests.load.cell import BARE, OFF, ON, PYTHON, TYPESCRIPT, Cell, Row

MET = {BARE: 1000.0, OFF: 850.0, ON: 550.0, PYTHON: 275.0}


def _row(
    rates: dict[str, float],
    *,
    name: str = "get_it",
    connections: int = 64,
    p99_ms: float = 20,
    wrong: int = 0,
) -> Row:
    def cell(server: str, rate: float) -> Cell:
        return Cell(
            name,
            connections,
            server,
            answer_bytes=900,
            rate=rate,
            p50_ms=5,
            p99_ms=p99_ms if server == ON else 10,
            cpu_us=100,
            load_cpu=0.2,
            memory_mb=64,
            wrong=wrong,
        )

    return {server: cell(server, rate) for server, rate in rates.items()}


def _verdict(row: Row) -> list[str]:
    return [line.partition(": met ")[2] for line in as_markdown([row], 1).splitlines() if line[:2] == "- "]


def test_ratios_at_their_bounds_meet_every_aim() -> None:
    assert _verdict(_row(MET)) == ["by all 1."] * 4
    assert "**" not in as_markdown([_row(MET)], 1)


@pytest.mark.parametrize(
    ("row", "missed", "ratio"),
    [
        (_row({**MET, OFF: 840.0}), 0, "0.84"),
        (_row({**MET, ON: 540.0, PYTHON: 200.0}), 1, "0.54"),
        (_row({**MET, PYTHON: 280.0}), 2, "1.96"),
        (_row(MET, p99_ms=20.1), 3, "2.01"),
    ],
    ids=["without limits and counting", "as it is", "beside the Python SDK", "slowest answers"],
)
def test_a_missed_aim_is_told_with_its_ratio_in_bold(row: Row, missed: int, ratio: str) -> None:
    outcomes = ["by all 1."] * 4
    outcomes[missed] = f"by 0 of 1; `get_it` has {ratio}."
    assert _verdict(row) == outcomes
    assert as_markdown([row], 1).count(f"**{ratio}**") == 1


def test_the_farthest_of_those_that_miss_is_named() -> None:
    rows = [_row({**MET, OFF: rate}, name=f"get_{rate:.0f}") for rate in (900.0, 800.0, 700.0, 840.0)]
    assert "- off : bare ≥ 0.85: met by 1 of 4; `get_700` has 0.70." in as_markdown(rows, 1)


def test_a_connection_is_shown_and_not_judged() -> None:
    table = as_markdown([_row(MET), _row({**MET, OFF: 1.0}, name="initialize")], 1)
    assert "| `initialize` |" in table
    assert "**" not in table
    assert "- off : bare ≥ 0.85: met by all 1." in table


def test_the_table_is_of_64_connections_and_has_only_servers_that_were_there() -> None:
    with_node = {**MET, TYPESCRIPT: 200.0}
    table = as_markdown([_row(with_node), _row({**with_node, OFF: 1.0}, name="few", connections=16)], 1)
    assert "TypeScript SDK" in table
    assert "`few`" not in table
    assert "TypeScript SDK" not in as_markdown([_row(MET)], 1)


def test_every_line_of_the_table_has_as_many_columns() -> None:
    table = [line for line in as_markdown([_row(MET)], 1).splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {1 + 1 + len(MET) + 4}


def test_wrong_answers_are_seen_in_their_line() -> None:
    assert lines(_row(MET, wrong=3)).count("3 WRONG") == len(MET)
    assert "WRONG" not in lines(_row(MET))


def test_programs_are_told_everything() -> None:
    told = json.loads(as_json([_row({**MET, ON: 400.0}), _row(MET, connections=16)], 7))
    assert told["secondsACell"] == 7
    assert {(cell["connections"], cell["server"]) for cell in told["cells"]} == {
        (connections, server) for connections in (16, 64) for server in MET
    }
    assert [(aim["ratio"], aim["met"]) for aim in told["aims"]] == [
        (0.85, True),
        (0.4, False),
        (pytest.approx(1.45, abs=0.01), False),
        (2, True),
    ]
