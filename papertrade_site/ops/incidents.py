"""The incidents that a status page and the dashboard show, and their text in limited Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from markdown_it import MarkdownIt

from papertrade_site import reading
from papertrade_site.limits.models import BOTH
from papertrade_site.ops.models import Incident, Stage

SHOWN_DAYS: Final = 90
"""Days after its end for which an incident is shown."""

MOST: Final = 100
UNREADABLE: Final = "The database cannot be read: incidents are missing."

_PARSER: Final = MarkdownIt("zero").enable(["list", "emphasis", "backticks", "link", "escape", "newline"])


@dataclass(frozen=True, slots=True)
class Incidents:
    """Incidents by where they stand, each kind newest first.

    Attributes:
        missing: sentences about what could not be read.
    """

    open: tuple[Incident, ...]
    planned: tuple[Incident, ...]
    over: tuple[Incident, ...]
    missing: tuple[str, ...]


def incidents(now: datetime, *, slug: str | None = None) -> Incidents:
    """The incidents of one server, those of both with them, or all; never raises for the database."""
    ended_late = Q(ended_at__isnull=True) | Q(ended_at__gte=now - timedelta(days=SHOWN_DAYS))
    of_server = Q() if slug is None else Q(server__in=[BOTH, slug])
    found = Incident.objects.filter(ended_late & of_server)[:MOST]
    rows = reading.process_database.attempt(lambda: list(found), otherwise=lambda: None)
    if rows is None:
        return Incidents((), (), (), (UNREADABLE,))
    by_stage = {stage: tuple(row for row in rows if row.stage(now) is stage) for stage in Stage}
    return Incidents(by_stage[Stage.OPEN], by_stage[Stage.PLANNED], by_stage[Stage.OVER], ())


def text_html(text: str) -> str:
    """An incident's text as HTML: paragraphs, lists, emphasis, code and links; all else is shown as typed."""
    html: str = _PARSER.render(text)
    return html
