"""Django settings, made from the typed environment in ``env.py``."""

from __future__ import annotations

SECRET_KEY = "placeholder-while-the-foundation-is-laid"
INSTALLED_APPS = [
    "papertrade_site.upstream",
    "papertrade_site.simulator",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
USE_TZ = True
