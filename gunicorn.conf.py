"""How gunicorn serves the site: threads in a few processes, bounded requests, a patient stop.

Its threads wait for clients that stall, so it must not face the internet alone: ``deploy/nginx.conf`` goes in
front.
"""

from __future__ import annotations

import gc
import logging
import os

from papertrade_site.env import load

environment, _problems = load()

wsgi_app = "papertrade_site.wsgi:application"
bind = f"127.0.0.1:{environment.port}"
worker_class = "gthread"
workers = environment.workers or max(2, os.cpu_count() or 1)
threads = environment.threads
keepalive = 75  # longer than the proxy in front keeps a connection, so that it never meets a closed one
loglevel = "warning"
forwarder_headers = ""  # a header named SCRIPT_NAME is a stranger's word, and would move every address
secure_scheme_headers: dict[str, str] = {}  # the public scheme is a setting, never what a header says
forwarded_allow_ips = ""  # so no neighbour's headers are believed; limits/client.py asks who is one itself
control_socket_disable = True  # nobody administers this process through a socket in the home folder


def post_worker_init(_: object) -> None:
    """Keep the collector off what the loaded program is made of: each of its rounds stops a request.

    A worker's warnings quote malformed requests, which anybody may send, and name the address that sent them;
    the first process's tell how workers ended.
    """
    logging.getLogger("gunicorn.error").setLevel(logging.ERROR)
    gc.collect()
    gc.freeze()
