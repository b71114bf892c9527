"""What gunicorn serves; refuses to start while a setting is wrong."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from papertrade_site.checks import refuse_to_serve_when_wrong

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
refuse_to_serve_when_wrong()
application = get_wsgi_application()
