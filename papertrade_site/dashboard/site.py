"""The admin's site: its start page is the dashboard, and its door is guarded against guessing."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.admin import AdminSite
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect

from papertrade_site.dashboard.attempts import wait_before_attempt
from papertrade_site.dashboard.effective import VIEW_PERMISSION, effective_limits
from papertrade_site.dashboard.index import dashboard, period_called
from papertrade_site.dashboard.recorded import password_recorded
from papertrade_site.dashboard.refusals import too_many_attempts

NAME: Final = "Papertrade MCP"

APPS: Final = ("limits", "ops", "auth")
EFFECTIVE: Final = "EffectiveLimits"
ORDER: Final = (
    "ServerRules",
    "ToolSwitch",
    "ClientNetwork",
    "ResourceLifetime",
    "SiteRules",
    EFFECTIVE,
    "Change",
)
"""The pages of limits, as often as they are needed."""


class DashboardSite(AdminSite):
    """What staff sees below ``/admin/``."""

    site_title = NAME
    site_header = NAME
    index_title = "Dashboard"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The start page, of the period that the address names."""
        found = dashboard(period_called(request.GET.get("period")))
        return super().index(request, {"dashboard": found, **(extra_context or {})})

    @method_decorator(csrf_protect)  # before an attempt is counted: no strange page can use them up
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Ask for name and password, a few times a minute."""
        if request.method == "POST":
            wait_s = wait_before_attempt(request, request.POST.get("username", ""))
            if wait_s is not None:
                return too_many_attempts(wait_s)
        return super().login(request, extra_context)

    def own_password(self, request: HttpRequest) -> HttpResponse:
        """Change one's own password, which asks for the old one: it is tried as seldom as in signing in."""
        if request.method == "POST":
            wait_s = wait_before_attempt(request, request.user.get_username())
            if wait_s is not None:
                return too_many_attempts(wait_s)
        who = request.user.get_username()
        with password_recorded(User.objects.get_by_natural_key(who), who):
            return self.password_change(request)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The admin's addresses and our own."""
        effective = path("limits/effective/", self.admin_view(self.effective_limits), name="effective_limits")
        password = path("password_change/", self.admin_view(self.own_password), name="password_change")
        return [effective, password, *super().get_urls()]

    def effective_limits(self, request: HttpRequest) -> HttpResponseBase:
        """Effective limits for an address, and why."""
        return effective_limits(request, self.each_context(request))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """What the user may see: limits first, with our own page among them."""
        apps = super().get_app_list(request, app_label)
        for app in apps:
            if app["app_label"] == "limits":
                app["models"] = sorted([*app["models"], *_own_pages(request)], key=_place)
        return sorted(apps, key=lambda app: APPS.index(app["app_label"]))


def _own_pages(request: HttpRequest) -> list[dict[str, Any]]:
    """Our page among the limits, as Django describes a model's, for whoever may see it."""
    if not request.user.has_perm(VIEW_PERMISSION):
        return []
    return [
        {
            "name": "Effective limits for an address",
            "object_name": EFFECTIVE,
            "perms": {"view": True},
            "admin_url": reverse("admin:effective_limits"),
            "add_url": None,
            "view_only": True,
        }
    ]


def _place(page: dict[str, Any]) -> int:
    return ORDER.index(page["object_name"])
