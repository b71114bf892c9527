"""The addresses that tell how the service is: alive, and ready with every source's age."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse

from papertrade_site.refusals import read_only
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.readiness import Condition, SourceState, source_report

READY_SECONDS = 3.0
"""The longest that a readiness answer waits for a source, well within a probe's usual patience."""

NO_STORE = {"Cache-Control": "no-store"}


@read_only
def healthz(_: HttpRequest) -> JsonResponse:
    """Answer that this process is alive, whatever the sources and the cache do."""
    return JsonResponse({"status": "ok"}, headers=NO_STORE)


@read_only
def readyz(_: HttpRequest) -> JsonResponse:
    """Answer how each source is and how old its copy is.

    503 only when no source can be shown at all: an upstream that fails alone fails for every machine
    alike, and taking them all out of service would help nobody.
    """
    states = current_sources()
    failed = [state for state in states if state.state is Condition.FAILED]
    status = "ready" if not failed else "degraded" if len(failed) < len(states) else "unavailable"
    body = {
        "status": status,
        "dataSource": settings.PAPERTRADE_SOURCE,
        "sources": [_source_json(state) for state in states],
    }
    code = HTTPStatus.SERVICE_UNAVAILABLE if status == "unavailable" else HTTPStatus.OK
    return JsonResponse(body, status=code, headers=NO_STORE)


def current_sources() -> list[SourceState]:
    """How each source is now, read anew where its copy has aged."""
    return source_report(process_sources.for_call(seconds=READY_SECONDS))


def _source_json(state: SourceState) -> dict[str, Any]:
    row: dict[str, Any] = {"name": state.name, "state": state.state.value, "ageSeconds": state.age_s}
    return row if state.note is None else {**row, "note": state.note}
