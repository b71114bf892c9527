"""The admin's site: its start page is the dashboard."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse

NAME: Final = "Papertrade MCP"


class DashboardSite(AdminSite):
    """What staff sees below ``/admin/``."""

    site_title = NAME
    site_header = NAME
    index_title = "Dashboard"

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The start page."""
        return super().index(request, extra_context)
