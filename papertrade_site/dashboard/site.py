"""The admin's site: its start page is the dashboard, and its door is guarded against guessing."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse

from papertrade_site.dashboard.attempts import wait_before_attempt
from papertrade_site.dashboard.effective import VIEW_PERMISSION, effective_limits
from papertrade_site.dashboard.refusals import too_many_attempts

NAME: Final = "Papertrade MCP"


class DashboardSite(AdminSite):
    """What staff sees below ``/admin/``."""

    site_title = NAME
    site_header = NAME
    index_title = "Dashboard"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The start page."""
        return super().index(request, extra_context)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Ask for name and password, a few times a minute."""
        if request.method == "POST":
            wait_s = wait_before_attempt(request)
            if wait_s is not None:
                return too_many_attempts(wait_s)
        return super().login(request, extra_context)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The admin's addresses and our own."""
        effective = path("limits/effective/", self.admin_view(self.effective_limits), name="effective_limits")
        return [effective, *super().get_urls()]

    def effective_limits(self, request: HttpRequest) -> HttpResponseBase:
        """What applies to an address, and why."""
        return effective_limits(request, self.each_context(request))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """What the user may see, with our own page among the limits."""
        apps = super().get_app_list(request, app_label)
        for app in apps:
            if app["app_label"] == "limits" and request.user.has_perm(VIEW_PERMISSION):
                app["models"].append(
                    {
                        "name": "What applies to an address",
                        "object_name": "EffectiveLimits",
                        "perms": {"view": True},
                        "admin_url": reverse("admin:effective_limits"),
                        "add_url": None,
                        "view_only": True,
                    }
                )
        return apps
