"""How gunicorn serves the site: threads in a few processes, bounded requests, a patient stop.

Its threads wait for clients that stall, so it must not face the internet alone: ``deploy/nginx.conf`` goes in
front.
"""

from __future__ import annotations

import gc
import logging
import os
from typing import TYPE_CHECKING

from papertrade_site.env import load
from papertrade_site.ops.folders import remove_files_of_ended, remove_if_empty
from papertrade_site.request_id import LINE

if TYPE_CHECKING:
    from papertrade_site.ops.pulse import Pulse

environment, _problems = load()

wsgi_app = "papertrade_site.wsgi:application"
bind = f"127.0.0.1:{environment.port}"
worker_class = "papertrade_site.ops.worker.PatientWorker"
workers = environment.workers or max(2, os.cpu_count() or 1)
threads = environment.threads
keepalive = 75  # longer than the proxy in front keeps a connection, so that it never meets a closed one
loglevel = "warning"
logger_class = "papertrade_site.ops.server_log.ServerLog"
logconfig_dict = {  # of the first process, and of a worker until its own log is set up
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "papertrade_site.request_id.RequestIdFilter"}},
    "formatters": {"line": {"format": LINE, "style": "{"}},
    "handlers": {
        "stderr": {
            "class": "papertrade_site.ops.log_handler.ImpatientHandler",
            "formatter": "line",
            "filters": ["request"],
        },
    },
    "loggers": {"gunicorn.error": {"handlers": ["stderr"], "propagate": False}},
    "root": {"handlers": []},  # else gunicorn's default, whose handler is not one of these
}
forwarder_headers = ""  # a header named SCRIPT_NAME is a stranger's word, and would move every address
secure_scheme_headers: dict[str, str] = {}  # the public scheme is a setting, never what a header says
forwarded_allow_ips = ""  # so no neighbour's headers are believed; limits/client.py asks who is one itself
control_socket_disable = True  # nobody administers this process through a socket in the home folder


_pulses: list[Pulse] = []
"""That of this worker, in its own process."""


def on_starting(_: object) -> None:
    """Let metrics begin anew, before there are workers that count."""
    remove_files_of_ended(environment.metrics_folder)


def post_worker_init(_: object) -> None:
    """Start the worker's pulse, and keep the collector off what the loaded program is made of.

    Each round of the collector stops a request. A worker's warnings quote malformed requests, which anybody
    may send, and name the address that sent them; the first process's tell how workers ended.
    """
    from django.apps import apps  # only now is Django set up

    error_log = logging.getLogger("gunicorn.error")
    error_log.setLevel(logging.ERROR)
    if apps.is_installed("papertrade_site.ops"):  # what tests and benchmarks serve besides has no pulse
        error_log.handlers.clear()  # they would have a request wait until standard error takes the line
        error_log.propagate = True
        from papertrade_site.ops.pulse import process_pulse

        pulse = process_pulse()
        _pulses.append(pulse)
        pulse.start()
    gc.collect()
    gc.freeze()


def worker_exit(_: object, __: object) -> None:
    """Have the worker tell what it counted last, once its last request is answered."""
    for pulse in _pulses:
        pulse.stop()


def on_exit(_: object) -> None:
    """Leave no counts behind once nobody counts."""
    remove_files_of_ended(environment.metrics_folder)
    remove_if_empty(environment.metrics_folder)
