"""How templates of the dashboard write figures; see ``docs.words``."""

from __future__ import annotations

from django import template

from papertrade_site.dashboard.summary import incident_level
from papertrade_site.docs import words

register = template.Library()

register.filter("incident_level", lambda severity: incident_level(severity).style)
register.filter("counted", words.counted)
register.filter("duration", words.duration)
register.filter("percent", words.percent)
register.filter("ago", words.ago)
register.filter("clock_time", words.clock_time)
register.filter("day_and_time", words.day_and_time)


@register.filter
def thousands(count: int) -> str:
    """A count with its thousands apart."""
    return f"{count:,}"


@register.filter
def share_of(part: int, whole: int) -> float | None:
    """A part as a share of a whole; None of nothing."""
    return part / whole if whole else None
