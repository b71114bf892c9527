"""The fixtures as gunicorn serves them: behind the project's own handler and refusal of foreign hosts."""

from __future__ import annotations

import os

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
django.setup(set_prefix=False)
settings.ROOT_URLCONF = "tests.conformance.urls"

from papertrade_site.wsgi import application  # noqa: E402

__all__ = ["application"]
