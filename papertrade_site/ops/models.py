"""What operators tell the public of trouble and of planned work."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from papertrade_site.limits.models import BOTH, SERVERS, one_line

TITLE_LENGTH: Final = 120
TEXT_LENGTH: Final = 4_000


class Stage(StrEnum):
    """Where an incident stands at a time."""

    PLANNED = "planned"
    OPEN = "open"
    OVER = "over"


class Severity(models.TextChoices):
    """How much an incident takes from users, least first."""

    NOTICE = "notice", "Notice: everything works"
    DEGRADED = "degraded", "Degraded: some answers fail, are slow, or are old"
    OUTAGE = "outage", "Outage: most answers fail"


class Incident(models.Model):
    """Trouble, or planned work, as the status pages tell of it."""

    title = models.CharField(
        max_length=TITLE_LENGTH, validators=[one_line], help_text="What users notice, in a few words."
    )
    text = models.TextField(
        max_length=TEXT_LENGTH,
        blank=True,
        help_text=(
            "What happened, what users should do, and when you will write again. "
            "Paragraphs, lists, *emphasis*, `code` and [links](https://example.com) are shown as such; "
            "anything else, HTML too, as you type it."
        ),
    )
    server = models.CharField(max_length=20, choices=[(BOTH, "Both"), *SERVERS], blank=True, default=BOTH)
    severity = models.CharField(max_length=20, choices=Severity, default=Severity.DEGRADED)
    started_at = models.DateTimeField(
        "Started", default=timezone.now, help_text="In UTC. In the future: it is shown as planned."
    )
    ended_at = models.DateTimeField("Ended", null=True, blank=True, help_text="In UTC. Empty: it goes on.")

    class Meta:
        """The newest first, none of which ends before it has begun."""

        ordering: ClassVar[list[str]] = ["-started_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(severity__in=["notice", "degraded", "outage"]), name="incident_severity_exists"
            ),
            models.CheckConstraint(
                condition=Q(server__in=[BOTH, *dict(SERVERS)]), name="incident_server_exists"
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("started_at")),
                name="incident_ends_after_its_start",
                violation_error_message="An incident cannot end before it started.",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def stage(self, now: datetime) -> Stage:
        """Where it stands."""
        if self.started_at > now:
            return Stage.PLANNED
        return Stage.OPEN if self.ended_at is None or self.ended_at > now else Stage.OVER
