"""A site of one address that only the limiter guards, for gunicorn to serve in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from redis import Redis

from papertrade_site.limits.gate import ClientGate

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
django.setup()

MEETING_S = 20
BATCH = 5

gate = ClientGate("liquidations")


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    """Answer the process's number, with the limiter's headers.

    ``/meet`` waits for another process there, and ``/batch`` costs as much as a batch of five.
    """
    request = WSGIRequest(environ)
    if request.path == "/meet":
        _meet()
    admission = gate.terms(request).admit(cost=BATCH if request.path == "/batch" else 1)
    status = "200 OK" if admission.retry_after_s is None else "429 Too Many Requests"
    start_response(status, [*admission.headers.items(), ("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]


def _meet() -> None:
    """Hold this process, which does one thing at a time, until a second one has come here too."""
    redis = Redis.from_url(settings.ENVIRONMENT.redis)
    if redis.incr("meeting:arrivals") == 1:
        redis.blpop(["meeting:second"], timeout=MEETING_S)
    else:
        redis.rpush("meeting:second", "here")
