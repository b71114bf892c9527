"""The status page of a server: its state in a word, its last day, its jobs and its incidents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from papertrade_site.docs import service
from papertrade_site.docs.service import State
from papertrade_site.docs.words import duration
from papertrade_site.ops import health
from papertrade_site.ops.models import Incident
from papertrade_site.upstream.readiness import Condition, SourceState
from papertrade_site.usage import report
from papertrade_site.usage.models import UsageHour
from papertrade_site.usage.periods import Period
from tests.clocks import ManualClock
from tests.docs.markup import elements_of, plain_words
from tests.policies import InForce

GOOD = [
    SourceState("exchange.trading", Condition.FRESH, 1.0, None),
    SourceState("hyperevm.paper", Condition.STALE, 90.0, None),
]
BAD = SourceState("exchange.summary", Condition.FAILED, None, "It did not answer.")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PATHS = ["/liquidations/status", "/liquidations/status.md"]
HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(1)>| a | b | <!--component 0--> ```` # x"

pytestmark = pytest.mark.usefixtures("venue")


@pytest.fixture(autouse=True)
def states(monkeypatch: pytest.MonkeyPatch) -> list[SourceState]:
    states = [*GOOD]
    monkeypatch.setattr(health, "current_sources", lambda: states)
    return states


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    clock = ManualClock(round(NOW.timestamp() * 1000))
    monkeypatch.setattr(report, "clock", clock)
    monkeypatch.setattr(service, "clock", clock)
    return clock


def words(client: Client, path: str = PATHS[0]) -> str:
    """What a reader sees, on one line, without the signs of Markdown."""
    answer = client.get(path)
    assert answer.status_code == 200
    text = answer.content.decode()
    shown = text.replace("\\", "").replace("*", "") if path.endswith(".md") else plain_words(text)
    return " ".join(shown.split())


def incident(title: str = "Slow", severity: str = "degraded", **fields: object) -> Incident:
    return Incident.objects.create(
        **{"title": title, "severity": severity, "started_at": NOW - HOUR, **fields}
    )


@pytest.mark.parametrize("path", PATHS)
def test_a_server_that_is_well_says_so(client: Client, path: str) -> None:
    assert "very source can be read and every tool is on" in words(client, path)


@pytest.mark.parametrize(
    ("severity", "ill", "tool", "state"),
    [
        (None, 0, None, State.WORKING),
        ("notice", 0, None, State.WORKING),
        ("degraded", 0, None, State.DEGRADED),
        ("outage", 0, None, State.OUTAGE),
        (None, 1, None, State.DEGRADED),
        (None, 3, None, State.OUTAGE),
        (None, 0, "get_bust_map", State.DEGRADED),
    ],
)
def test_the_state_is_the_worst_of_incidents_sources_and_switches(
    client: Client,
    states: list[SourceState],
    in_force: InForce,
    severity: str | None,
    ill: int,
    tool: str | None,
    state: State,
) -> None:
    if severity:
        incident(severity=severity)
    states[: max(ill - 1, 0)] = [BAD] * max(ill - 1, 0)
    states += [BAD] * min(ill, 1)
    if tool:
        in_force.set(switched_off={("liquidations", tool): "It is being mended."})
    verdict = next(
        each
        for each in elements_of(client.get(PATHS[0]).content.decode())
        if "verdict" in each["class"].split()
    )
    assert verdict["class"] == f"verdict {state}"


@pytest.mark.parametrize("path", PATHS)
def test_a_server_that_is_off_says_why(client: Client, in_force: InForce, path: str) -> None:
    in_force.server("liquidations", is_on=False, off_message="Back at noon.")
    assert "Switched off" in words(client, path)
    assert "Back at noon." in words(client, path)
    assert "Switched off" not in words(client, "/analytics/status")


@pytest.mark.parametrize("path", PATHS)
def test_the_last_day_is_the_one_that_is_reported(client: Client, path: str) -> None:
    start_ms = round((NOW - 3 * HOUR).timestamp() * 1000)
    UsageHour.objects.create(
        start_ms=start_ms, server="liquidations", method="tools/call", tool="get_bust_map",
        ok=12_000, failed=345, refused=0, limited=678, blocked=0, reused=0, micros=0, durations=[20, 12_345],
    )  # fmt: skip
    day = report.server_usage("liquidations", Period.DAY)
    assert (day.calls, day.errors, day.limited) == (12_345, 345, 678)
    shown = words(client, path).replace("|", "").replace("  ", " ")
    for sentence in (
        "Calls of tools 12,345",
        "Calls answered with an error 345",
        "Messages limited 678",
        f"Half of calls took at most {duration(day.p50_ms)}",
        f"95 of 100 calls took at most {duration(day.p95_ms)}",
    ):
        assert sentence in shown


@pytest.mark.parametrize("path", PATHS)
def test_incidents_are_told_while_they_are_planned_open_and_for_a_season_after(
    client: Client, path: str
) -> None:
    incident("Prices stand still", text="We *look* into it.")
    incident("New release", "notice", started_at=NOW + HOUR)
    incident("It was slow", server="liquidations", started_at=NOW - 99 * HOUR, ended_at=NOW - 98 * HOUR)
    incident("Of the other server", server="analytics")
    shown = words(client, path)
    for told in (
        "Prices stand still",
        "from 30 Nov 2026, 11:00 UTC, both servers",
        "New release",
        "It was slow",
    ):
        assert told in shown
    assert "Of the other server" not in shown


def test_what_is_over_stands_apart(client: Client) -> None:
    incident("Prices stand still")
    incident("It was slow", started_at=NOW - 99 * HOUR, ended_at=NOW - 98 * HOUR)
    twin = client.get(PATHS[1]).content.decode()
    order = [
        "## Now and planned",
        "### Prices stand still",
        "## Incidents of the last 90 days",
        "### It was slow",
    ]
    assert sorted(order, key=twin.index) == order


@pytest.mark.parametrize("field", ["title", "text"])
def test_hostile_incidents_are_inert(client: Client, field: str) -> None:
    before = [each.tag for each in elements_of(client.get(PATHS[0]).content.decode())]
    incident(**{"title": "x", field: HOSTILE})
    html = client.get(PATHS[0]).content.decode()
    after = [each.tag for each in elements_of(html)]
    assert (after.count("script"), after.count("img")) == (before.count("script"), before.count("img"))
    assert "<script>alert" not in html
    twin = client.get(PATHS[1]).content.decode()
    at = twin.index("alert(1)")
    line = twin[twin.rfind("\n", 0, at) + 1 : at]
    if field == "title":
        assert line.startswith("### ")
        assert line.count("\\<") == line.count("<")
    else:
        fence = "`" * 5
        assert twin[:at].count(f"\n{fence}") % 2 == 1
        assert f"\n{fence}\n" in twin[at:]


@pytest.mark.parametrize("path", PATHS)
def test_without_redis_and_without_a_database_the_page_answers_and_says_so(
    client: Client, settings: Settings, short_tmp_path: object, path: str
) -> None:
    away = {**settings.CACHES["default"], "LOCATION": f"unix://{short_tmp_path}/nobody.sock"}
    settings.CACHES = {**settings.CACHES, "default": away}

    def fail(*_: object) -> object:
        raise OperationalError("disk I/O error")

    with connection.execute_wrapper(fail):
        shown = words(client, path)
    assert "Some figures are missing." in shown
    assert "Redis cannot be reached: the newest minutes are missing." in shown
    assert "The database cannot be read" in shown
    assert "incidents are missing" in shown
    assert "not known" in shown
