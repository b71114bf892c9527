"""What gunicorn serves; refuses to start while a setting is wrong."""

from __future__ import annotations

import os

import django
from django.conf import settings
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import reset_queries

from papertrade_site.checks import refuse_to_serve_when_wrong
from papertrade_site.handler import Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
refuse_to_serve_when_wrong()
django.setup(set_prefix=False)
request_finished.disconnect(close_caches)  # none of ours has anything to close, and it takes its time
if not settings.DEBUG:
    request_started.disconnect(reset_queries)  # no queries are kept then
application = Handler()
