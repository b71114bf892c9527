"""A site of one address that holds each request until it is told to go on, for gunicorn to serve."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import django
from django.conf import settings
from redis import Redis

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
django.setup()

HOLDING_S = 25


def application(_: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    """Say in Redis that this process holds a request, wait for a word, and answer the process's number."""
    redis = Redis.from_url(settings.ENVIRONMENT.redis, socket_timeout=2 * HOLDING_S)
    redis.rpush("held", os.getpid())
    redis.blpop([f"go:{os.getpid()}"], timeout=HOLDING_S)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
