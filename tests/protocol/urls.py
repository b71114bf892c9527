"""Where the weather service answers in tests: under each policy, and behind a closed gate."""

from __future__ import annotations

from django.urls import path

from tests.protocol.sample import OpenGate, endpoint

OPEN_GATE = OpenGate()
SHUT_GATE = OpenGate(refuses=True)
RESULTS = endpoint(results=True, gate=OPEN_GATE)
ERRORS = endpoint(results=False)
SHUT = endpoint(gate=SHUT_GATE)

urlpatterns = [
    path(f"{prefix}mcp{slash}", view)
    for prefix, view in (("results/", RESULTS), ("errors/", ERRORS), ("shut/", SHUT))
    for slash in ("", "/")
]
