"""How gunicorn serves the site: threads in a few processes, bounded requests, a patient stop."""

from __future__ import annotations

import os

from papertrade_site.env import load

environment, _problems = load()

wsgi_app = "papertrade_site.wsgi:application"
bind = f"127.0.0.1:{environment.port}"
worker_class = "gthread"
workers = environment.workers or max(2, os.cpu_count() or 1)
threads = environment.threads
timeout = 30
graceful_timeout = 30
keepalive = 75
limit_request_line = 4094
limit_request_fields = 100
limit_request_field_size = 8190
loglevel = environment.log_level.lower()
control_socket_disable = True
