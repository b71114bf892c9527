"""The form in which operators tell the public of incidents."""

from __future__ import annotations

from django.contrib import admin
from django.utils import timezone

from papertrade_site.clock import utc_text
from papertrade_site.limits.audited import AuditedAdmin
from papertrade_site.ops.models import Incident


@admin.register(Incident)
class IncidentAdmin(AuditedAdmin):
    """Incidents, as the status pages tell of them; every change of one is recorded, as of limits."""

    list_display = ("title", "for_server", "severity", "stage_now", "started", "ended")
    list_filter = ("server", "severity")
    search_fields = ("title", "text")
    fields = ("title", "text", "server", "severity", "started_at", "ended_at")

    @admin.display(description="Server", ordering="server")
    def for_server(self, row: Incident) -> str:
        """Which it is about."""
        return str(row.get_server_display())

    @admin.display(description="Now")
    def stage_now(self, row: Incident) -> str:
        """Where it stands."""
        return row.stage(timezone.now()).capitalize()

    @admin.display(description="Started (UTC)", ordering="started_at")
    def started(self, row: Incident) -> str:
        """To the second."""
        return utc_text(row.started_at)

    @admin.display(description="Ended (UTC)", ordering="ended_at")
    def ended(self, row: Incident) -> str:
        """To the second."""
        return "" if row.ended_at is None else utc_text(row.ended_at)
