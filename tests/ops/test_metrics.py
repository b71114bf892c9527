"""``/metrics`` over the counts of several processes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from papertrade_site.mcp.admission import Outcome
from papertrade_site.ops import metrics
from papertrade_site.ops.folders import FolderError
from papertrade_site.ops.jobs import JOBS, Condition, JobState, JobStates
from papertrade_site.ops.request_lines import Written
from papertrade_site.ops.totals import Totals, totals_of_all
from papertrade_site.upstream.tally import SourceCounts
from papertrade_site.usage.buffer import Batch
from papertrade_site.usage.counts import MessageCounts, Subject
from papertrade_site.usage.durations import BOUNDS_S

TOOL = "get_market_stats"
CALLS_S = (0.00005, 0.0001, 0.0003, 0.04, 100.0)
NO_REQUESTS = Written(Counter(), 0)

Samples = dict[tuple[str, ...], float]


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.METRICS_FOLDER = tmp_path / "metrics"
    return tmp_path / "metrics"


def _calls(*outcomes: Outcome, seconds: float = 0.001, reused: bool = False) -> MessageCounts:
    counts = MessageCounts()
    for outcome in outcomes:
        counts.count(outcome, seconds=seconds, reused=reused)
    return counts


def _batch(messages: dict[Subject, MessageCounts], **more: object) -> Batch:
    rows = {"clients": {}, "sources": {}, "redis_failures": 0, "lost": 0, **more}
    return Batch(messages=messages, **rows)  # type: ignore[arg-type]


def _told(folder: Path, *batches: Batch, requests: Written = NO_REQUESTS, lost_lines: int = 0) -> None:
    """Have a process of its own tell of each batch."""
    for batch in batches:
        totals = Totals()
        totals.add(batch, requests, lost_lines=lost_lines)
        totals.write(folder)


def _samples(client: Client) -> dict[str, Samples]:
    answer = client.get("/metrics")
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found: dict[str, Samples] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_messages_of_all_processes_are_summed_by_server_method_tool_and_outcome(
    client: Client, folder: Path
) -> None:
    first = {
        Subject(60_000, "analytics", "tools/call", TOOL): _calls(Outcome.OK, Outcome.OK, Outcome.LIMITED)
    }
    second = {
        Subject(120_000, "analytics", "tools/call", TOOL): _calls(Outcome.OK, reused=True),
        Subject(120_000, "liquidations", "ping", ""): _calls(Outcome.BLOCKED, Outcome.REFUSED),
    }
    _told(folder, _batch(first), _batch(second))
    samples = _samples(client)
    assert samples["papertrade_messages_total"] == {
        ("tools/call", "ok", "analytics", TOOL): 3,
        ("tools/call", "limited", "analytics", TOOL): 1,
        ("ping", "blocked", "liquidations", ""): 1,
        ("ping", "refused", "liquidations", ""): 1,
    }
    assert samples["papertrade_reused_answers_total"] == {("analytics", TOOL): 1}


def test_durations_are_a_histogram_whose_bounds_hold_what_they_say(client: Client, folder: Path) -> None:
    rows = [_calls(Outcome.OK, seconds=seconds) for seconds in CALLS_S]
    _told(folder, *(_batch({Subject(0, "analytics", "tools/call", TOOL): row}) for row in rows))
    samples = _samples(client)
    buckets = {
        float(bound): count for (bound, *_), count in samples["papertrade_call_seconds_bucket"].items()
    }
    assert buckets == {
        bound: sum(seconds <= bound for seconds in CALLS_S) for bound in [*BOUNDS_S[::3], float("inf")]
    }
    assert samples["papertrade_call_seconds_count"] == {("analytics", TOOL): len(CALLS_S)}
    assert samples["papertrade_call_seconds_sum"] == {
        ("analytics", TOOL): pytest.approx(sum(CALLS_S), abs=1e-5)
    }


def test_totals_grow_with_each_batch_and_are_told_whole_each_time(client: Client, folder: Path) -> None:
    totals = Totals()
    for number in range(1, 4):
        totals.add(
            _batch({Subject(0, "analytics", "ping", ""): _calls(Outcome.OK)}), NO_REQUESTS, lost_lines=0
        )
        totals.write(folder)
        samples = _samples(client)
        assert samples["papertrade_messages_total"] == {("ping", "ok", "analytics", ""): number}
    assert len(list(folder.iterdir())) == 1


def test_sources_requests_and_troubles_are_told(client: Client, folder: Path) -> None:
    reads = SourceCounts(fresh=5, stale=1, fetched=2, failed=3, answered=4, limited=6, unusable=7)
    batch = _batch({}, sources={(0, "exchange.trading"): reads}, redis_failures=8, lost=9)
    requests = Written(Counter({("analytics", 200): 3, ("", 404): 2}), 4)
    _told(folder, batch, requests=requests, lost_lines=10)
    samples = _samples(client)
    assert samples["papertrade_source_reads_total"] == {
        ("fresh", "exchange.trading"): 5,
        ("stale", "exchange.trading"): 1,
        ("fetched", "exchange.trading"): 2,
        ("failed", "exchange.trading"): 3,
    }
    assert samples["papertrade_source_requests_total"] == {
        ("answered", "exchange.trading"): 4,
        ("limited", "exchange.trading"): 6,
        ("unusable", "exchange.trading"): 7,
    }
    assert samples["papertrade_http_requests_total"] == {("analytics", "200"): 3, ("", "404"): 2}
    assert samples["papertrade_redis_failures_total"] == {(): 8}
    assert samples["papertrade_uncounted_messages_total"] == {(): 9}
    assert samples["papertrade_unlogged_requests_total"] == {(): 4}
    assert samples["papertrade_lost_log_lines_total"] == {(): 10}


def test_background_jobs_and_redis_are_told_as_they_are(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker, recorder, _ = JOBS
    rows = (
        JobState(tracker, Condition.FAILING, 1_500, 2_500, "TimeoutError"),
        JobState(recorder, Condition.UNKNOWN, None, None, None),
    )
    monkeypatch.setattr(metrics, "job_states", lambda: JobStates(rows, ()))
    samples = _samples(client)
    assert samples["papertrade_job_last_success_timestamp_seconds"] == {(tracker.name,): 1.5}
    assert samples["papertrade_job_last_failure_timestamp_seconds"] == {(tracker.name,): 2.5}
    assert samples["papertrade_redis_up"] == {(): 1}
    assert not folder.exists()


def test_without_redis_and_counts_there_is_an_answer_that_says_so(client: Client, folder: Path) -> None:
    samples = _samples(client)
    assert samples["papertrade_redis_up"] == {(): 0}
    assert "papertrade_messages_total" not in samples


def test_a_file_that_is_broken_spoils_no_other(client: Client, folder: Path) -> None:
    _told(folder, _batch({Subject(0, "analytics", "ping", ""): _calls(Outcome.OK)}))
    for number, text in enumerate(
        ['[["messages', "[1]", '{"a": 1}', '[["messages", "x", null]]', "\xff", ""]
    ):
        (folder / f"{number}-x.json").write_text(text, encoding="latin-1")
    (folder / "9-new.new").write_text(json.dumps([["messages", "analytics", "ping", "", "ok", 5]]))
    assert _samples(client)["papertrade_messages_total"] == {("ping", "ok", "analytics", ""): 1}


def test_where_the_folder_is_open_to_others_nothing_is_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with pytest.raises(FolderError):
        Totals().write(tmp_path)
    assert totals_of_all(tmp_path) == {}


def test_there_is_no_limit_of_pages_for_it(client: Client, folder: Path) -> None:
    assert {client.get("/metrics").status_code for _ in range(20)} == {200}
    assert client.head("/metrics").content == b""
