"""The fixtures as gunicorn serves them: behind the project's own handler and refusal of foreign hosts."""

from __future__ import annotations

from django.conf import settings

from papertrade_site.wsgi import application

__all__ = ["application"]

settings.ROOT_URLCONF = "tests.conformance.urls"
