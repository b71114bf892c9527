"""What the status page of a server is made with; ``service.py`` judges, this only writes."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.template import Context
from django.utils.safestring import SafeString

from papertrade_site.docs import words
from papertrade_site.docs.service import Service, State, service_now
from papertrade_site.ops.incidents import text_html
from papertrade_site.ops.jobs import Condition

register = template.Library()

register.filter("duration", words.duration)
register.filter("ago", words.ago)

STATES = {
    State.WORKING: "Working",
    State.DEGRADED: "Working in part",
    State.OUTAGE: "Not working",
    State.OFF: "Switched off",
}
CONDITIONS = {
    Condition.OK: "in time",
    Condition.FAILING: "failing",
    Condition.LATE: "late",
    Condition.UNKNOWN: "not known",
}


@register.simple_tag(takes_context=True)
def service(context: Context) -> Service:
    """How the page's server is now."""
    return service_now(context["server"])


@register.filter
def in_words(state: State | Condition) -> str:
    """A state of a server or of a job as people read it."""
    return STATES[state] if isinstance(state, State) else CONDITIONS[state]


@register.filter
def counted(count: int) -> str:
    """A count with its thousands apart."""
    return f"{count:,}"


@register.filter
def instant(at: datetime) -> str:
    """An instant such as ``30 Nov 2026, 12:00 UTC``."""
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


@register.filter
def incident_html(text: str) -> SafeString:
    """An incident's text, in which nothing is HTML but what limited Markdown makes of it."""
    return SafeString(text_html(text))
