"""What gunicorn serves; refuses to start while a setting is wrong."""

from __future__ import annotations

import os

import django
from django.utils.module_loading import import_string

from papertrade_site.checks import refuse_to_serve_when_wrong

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
refuse_to_serve_when_wrong()
django.setup(set_prefix=False)
application = import_string("papertrade_site.messages.Application")()  # it needs what Django has set up
