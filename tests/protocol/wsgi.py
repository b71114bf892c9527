"""The weather service as gunicorn serves it in tests: the project's handler, and no other app."""

from __future__ import annotations

import django
from django.conf import settings

from papertrade_site.handler import Handler

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    APPEND_SLASH=False,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    PUBLIC_SCHEME=None,
    ROOT_URLCONF="tests.protocol.urls",
    SECRET_KEY="only-for-tests",
    USE_TZ=True,
)
django.setup(set_prefix=False)
application = Handler()
