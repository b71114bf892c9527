"""The addresses that tell how the service is: alive, and ready with every source's age."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
def healthz(_: HttpRequest) -> JsonResponse:
    """Answer that this process is alive, whatever the sources and the cache do."""
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})
