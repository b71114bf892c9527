"""The site as it is, but that nobody's requests are counted, neither for limits nor to show use."""

from __future__ import annotations

from django.conf import settings

from tests.load.uncounted_wsgi import application

settings.RATELIMIT_ENABLE = False

__all__ = ["application"]
