"""The site as it is, but that nobody's requests are counted."""

from __future__ import annotations

from django.conf import settings

from papertrade_site.wsgi import application

settings.RATELIMIT_ENABLE = False

__all__ = ["application"]
