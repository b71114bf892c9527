"""The project's addresses, and one whose view finds its request malformed."""

from __future__ import annotations

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.urls import path

from papertrade_site import urls as project

handler400, handler404, handler500 = project.handler400, project.handler404, project.handler500


def malformed(_: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("secret")


urlpatterns = [path("malformed", malformed)]
