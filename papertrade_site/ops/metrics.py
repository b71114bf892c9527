"""``/metrics``: what the service has counted, for Prometheus, over all of its processes on this machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from papertrade_site.ops import totals
from papertrade_site.ops.insiders import insiders_only
from papertrade_site.ops.jobs import JobStates, job_states
from papertrade_site.ops.totals import Key, totals_of_all
from papertrade_site.refusals import NO_STORE, read_only
from papertrade_site.usage.durations import BOUNDS_S, STEPS_A_DOUBLING

READS: Final = ("fresh", "stale", "fetched", "failed")
REQUESTS: Final = ("answered", "limited", "unusable")

SHOWN_BUCKETS: Final = range(0, len(BOUNDS_S), STEPS_A_DOUBLING)
"""Every third bound is shown: each is twice the one before, from 0.1 ms to 13 s."""


@insiders_only
@read_only
def metrics(_: HttpRequest) -> HttpResponse:
    """Answer with all metrics, in Prometheus's text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Service(totals_of_all(settings.METRICS_FOLDER), job_states()))
    return HttpResponse(
        generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4, headers=dict(NO_STORE)
    )


class _Service(Collector):
    """The service at one moment."""

    def __init__(self, sums: Counter[Key], jobs: JobStates) -> None:
        self._sums = sums
        self._jobs = jobs

    def collect(self) -> Iterator[Metric]:
        """Every metric, with all of its labels."""
        sums = self._sums
        yield _counter(
            "papertrade_messages",
            "JSON-RPC messages by what became of them; tool is empty for all but calls of a known tool.",
            ("server", "method", "tool", "outcome"),
            _of(sums, totals.MESSAGES),
        )
        yield _counter(
            "papertrade_reused_answers",
            "Calls that an earlier answer served.",
            ("server", "tool"),
            _of(sums, totals.REUSED),
        )
        yield self._durations()
        sources = list(_of(sums, totals.SOURCES))
        yield _counter(
            "papertrade_source_reads",
            "Reads of a source by what the reader got.",
            ("source", "result"),
            [row for row in sources if row[0][1] in READS],
        )
        yield _counter(
            "papertrade_source_requests",
            "Requests to a source by how it answered.",
            ("source", "result"),
            [row for row in sources if row[0][1] in REQUESTS],
        )
        yield _counter(
            "papertrade_http_requests",
            "HTTP requests by status; server is empty for what belongs to none.",
            ("server", "status"),
            _of(sums, totals.REQUESTS),
        )
        yield from self._troubles()
        yield from self._of_jobs()

    def _durations(self) -> Metric:
        family = HistogramMetricFamily(
            "papertrade_call_seconds", "How long answers to tools/call took.", labels=("server", "tool")
        )
        counts: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
        for (server, tool, bucket), count in _of(self._sums, totals.DURATIONS):
            counts[server, tool][int(bucket)] += count
        for labels, buckets in sorted(counts.items()):
            micros = self._sums[totals.MICROS, *labels]
            family.add_metric(labels, buckets=list(_cumulated(buckets)), sum_value=micros / 1_000_000)
        return family

    def _troubles(self) -> Iterator[Metric]:
        texts = {
            totals.REDIS: ("papertrade_redis_failures", "How often Redis failed a process."),
            totals.UNCOUNTED: ("papertrade_uncounted_messages", "Messages not counted for want of room."),
            totals.UNLOGGED: ("papertrade_unlogged_requests", "Requests whose line could not be written."),
            totals.LOST_LINES: ("papertrade_lost_log_lines", "Other lines that could not be written."),
        }
        for key, (name, text) in texts.items():
            yield _counter(name, text, (), [((), self._sums[key,])])
        is_up = not self._jobs.missing
        yield GaugeMetricFamily("papertrade_redis_up", "Whether Redis answers just now.", value=int(is_up))

    def _of_jobs(self) -> Iterator[Metric]:
        succeeded = GaugeMetricFamily(
            "papertrade_job_last_success_timestamp_seconds",
            "End of the last round of a background job that went well.",
            labels=("job",),
        )
        failed = GaugeMetricFamily(
            "papertrade_job_last_failure_timestamp_seconds",
            "End of the last round of a background job that failed.",
            labels=("job",),
        )
        for row in self._jobs.rows:
            if row.last_success_ms is not None:
                succeeded.add_metric((row.job.name,), row.last_success_ms / 1000)
            if row.last_failure_ms is not None:
                failed.add_metric((row.job.name,), row.last_failure_ms / 1000)
        yield succeeded
        yield failed


Row = tuple[tuple[str, ...], int]


def _of(sums: Counter[Key], name: str) -> Iterator[Row]:
    """The numbers of a name, each with its labels."""
    for key, count in sorted((key, count) for key, count in sums.items() if key[:1] == (name,)):
        yield tuple(map(str, key[1:])), count


def _counter(name: str, text: str, labels: tuple[str, ...], rows: Iterable[Row]) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for values, count in rows:
        family.add_metric(values, count)
    return family


def _cumulated(buckets: Counter[int]) -> Iterator[tuple[str, float]]:
    for place in SHOWN_BUCKETS:
        yield str(BOUNDS_S[place]), sum(count for bucket, count in buckets.items() if bucket <= place)
    yield "+Inf", buckets.total()
