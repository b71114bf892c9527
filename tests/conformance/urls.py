"""Where the fixtures answer; no address of the project leads here."""

from __future__ import annotations

from django.urls import path

from tests.conformance.fixtures import endpoint

urlpatterns = [path("mcp", endpoint)]
