"""The addresses that tell how the service is: alive, and ready with every source's age."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from papertrade_site.clock import iso
from papertrade_site.limits.pages import count_page, too_many_pages
from papertrade_site.ops.insiders import is_insider
from papertrade_site.ops.jobs import JobState, job_states
from papertrade_site.refusals import NO_STORE, read_only
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.readiness import Condition, SourceState, source_report

READY_SECONDS = 3.0
"""The longest that a readiness answer waits for a source, well within a probe's usual patience."""


@read_only
def healthz(_: HttpRequest) -> JsonResponse:
    """Answer that this process is alive, whatever the sources and the cache do."""
    return JsonResponse({"status": "ok"}, headers=NO_STORE)


@read_only
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer whether sources can be shown, and to insiders also how each source and background job is.

    503 only when no source can be shown at all: an upstream that fails alone fails for every machine
    alike, and taking them all out of service would help nobody. An insider may ask as often as it likes,
    everybody else as often as read pages, and counted apart: a reader behind the same address as a load
    balancer never makes the site look ill to it.
    """
    is_inside = is_insider(request)
    too_many = None if is_inside else count_page(request, allowance="readiness")
    if too_many is not None:
        return too_many_pages(request, too_many)
    states = current_sources()
    failed = [state for state in states if state.state is Condition.FAILED]
    status = "ready" if not failed else "degraded" if len(failed) < len(states) else "unavailable"
    body: dict[str, Any] = {"status": status}
    if is_inside:
        body |= _details(states)
    code = HTTPStatus.SERVICE_UNAVAILABLE if status == "unavailable" else HTTPStatus.OK
    return JsonResponse(body, status=code, headers=NO_STORE)


def current_sources() -> list[SourceState]:
    """How each source is now, read anew where its copy has aged."""
    return source_report(process_sources.for_call(seconds=READY_SECONDS))


def _details(states: Sequence[SourceState]) -> dict[str, Any]:
    jobs = job_states()
    return {
        "dataSource": settings.PAPERTRADE_SOURCE,
        "sources": [_source_json(state) for state in states],
        "jobs": [_job_json(row) for row in jobs.rows],
        **({"notes": list(jobs.missing)} if jobs.missing else {}),
    }


def _source_json(state: SourceState) -> dict[str, Any]:
    row: dict[str, Any] = {"name": state.name, "state": state.state.value, "ageSeconds": state.age_s}
    return row if state.note is None else {**row, "note": state.note}


def _job_json(row: JobState) -> dict[str, Any]:
    return {
        "name": row.job.name,
        "state": row.condition.value,
        "lastSuccess": None if row.last_success_ms is None else iso(row.last_success_ms),
    }
