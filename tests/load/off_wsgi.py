"""The site as it is, but that nobody's requests are limited or counted."""

from __future__ import annotations

from tests.load.uncounted_wsgi import application as application
from tests.load.unlimited_wsgi import application as application  # noqa: F811
