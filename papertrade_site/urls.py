"""Every address of the project."""

from __future__ import annotations

from django.urls import path

from papertrade_site.ops import health

urlpatterns = [
    path("", health.landing),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
]
