"""Health and readiness, over sources in each condition."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings

from papertrade_site.ops import health, jobs
from papertrade_site.ops.jobs import JOBS, JobState, JobStates
from papertrade_site.upstream.readiness import Condition, SourceState

FRESH = SourceState("exchange.trading", Condition.FRESH, 1.25, None)
STALE = SourceState("exchange.summary", Condition.STALE, 90.0, "The source did not answer.")
FAILED = SourceState("hyperevm.paper", Condition.FAILED, None, "The source could not be reached.")

TRACKER, RECORDER, ROLLUP = JOBS
JOBS_NOW = JobStates(
    (
        JobState(TRACKER, jobs.Condition.OK, 1_796_040_000_000, None, None),
        JobState(RECORDER, jobs.Condition.UNKNOWN, None, None, None),
        JobState(ROLLUP, jobs.Condition.UNKNOWN, None, None, None),
    ),
    missing=("Redis cannot be reached.",),
)


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> list[SourceState]:
    states: list[SourceState] = []
    monkeypatch.setattr(health, "current_sources", lambda: states)
    monkeypatch.setattr(health, "job_states", lambda: JOBS_NOW)
    return states


def test_health_answers_without_looking_at_any_source(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@override_settings(PAPERTRADE_SOURCE="simulated")
def test_readiness_shows_each_source_with_its_age_and_what_is_wrong(
    client: Client, states: list[SourceState]
) -> None:
    states += [FRESH, STALE]
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ready",
        "dataSource": "simulated",
        "sources": [
            {"name": "exchange.trading", "state": "fresh", "ageSeconds": 1.25},
            {
                "name": "exchange.summary",
                "state": "stale",
                "ageSeconds": 90.0,
                "note": "The source did not answer.",
            },
        ],
        "jobs": [
            {"name": "track_wallets", "state": "ok", "lastSuccess": "2026-11-30T12:00:00Z"},
            {"name": "record_history", "state": "unknown", "lastSuccess": None},
            {"name": "roll_up_usage", "state": "unknown", "lastSuccess": None},
        ],
        "notes": ["Redis cannot be reached."],
    }


@pytest.mark.parametrize("address", ["203.0.113.7", "2001:db8::1", ""])
def test_readiness_tells_others_the_status_alone(
    client: Client, states: list[SourceState], address: str
) -> None:
    states += [STALE, FAILED]
    answer = client.get("/readyz", REMOTE_ADDR=address)
    assert (answer.status_code, answer.json()) == (200, {"status": "degraded"})


def test_health_tells_everybody_nothing_but_that_the_process_is_alive(client: Client) -> None:
    answer = client.get("/healthz", REMOTE_ADDR="203.0.113.7")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("sources", "status", "code"),
    [([FRESH], "ready", 200), ([FRESH, FAILED], "degraded", 200), ([FAILED, FAILED], "unavailable", 503)],
)
def test_readiness_fails_only_when_every_source_does(
    client: Client, states: list[SourceState], sources: list[SourceState], status: str, code: int
) -> None:
    states += sources
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (code, status)


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_nothing_about_the_moment_is_cached_and_only_reading_is_allowed(
    client: Client, states: list[SourceState], address: str
) -> None:
    states.append(FRESH)
    assert client.get(address)["Cache-Control"] == "no-store"
    assert client.head(address).status_code == 200
    refused = client.post(address)
    assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert refused["Content-Type"] == "application/json"


def test_pages_elsewhere_may_read_that_the_process_is_alive_and_no_more(
    client: Client, states: list[SourceState]
) -> None:
    states.append(FRESH)
    assert client.get("/healthz")["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in client.get("/readyz", headers={"origin": "https://a.example"})


def test_an_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/healthz", headers={"host": "elsewhere.example"}).status_code == 400
