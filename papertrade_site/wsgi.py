"""What gunicorn serves; refuses to start while a setting is wrong."""

from __future__ import annotations

import os

import django

from papertrade_site.checks import refuse_to_serve_when_wrong
from papertrade_site.handler import Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
refuse_to_serve_when_wrong()
django.setup(set_prefix=False)
application = Handler()
