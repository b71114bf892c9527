"""Every address of the project."""

from __future__ import annotations

from django.urls import path

from papertrade_site.ops import health

urlpatterns = [
    path("", health.landing, name="landing"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
