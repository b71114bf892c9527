"""A process that works while it is the only one, and how to start it.

It says a word a line: ``won``, ``refused`` or ``failed`` when it has asked for the lease, ``begun`` when a
round begins, which then lasts as long as it may, and ``ended``. SIGTERM stops it.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from threading import Event
from unittest.mock import patch

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from papertrade_site.background import lease, sole
from papertrade_site.clock import SystemClock
from papertrade_site.env import BASE_DIR
from papertrade_site.stopping import stop_on_signals
from tests.running import Running, running


def sole_process(redis_url: str) -> AbstractContextManager[Running]:
    """Run a process of this file for a block."""
    environ = {"PYTHONPATH": str(BASE_DIR), "DJANGO_SETTINGS_MODULE": "papertrade_site.settings"}
    return running([sys.executable, __file__, redis_url], environ)


class TellingCache(RedisCache):
    """Says what became of asking for the lease."""

    def add(self, *args: object, **kwargs: object) -> bool:
        try:
            won = super().add(*args, **kwargs)  # type: ignore[arg-type]
        except RedisError:
            say("failed")
            raise
        say("won" if won else "refused")
        return won


def say(word: str) -> None:
    print(word, flush=True)


def work(may_go_on: sole.MayGoOn) -> None:
    say("begun")
    while may_go_on():
        Event().wait(0.02)
    say("ended")


def main() -> None:
    options = {
        "serializer": "papertrade_site.upstream.serializer.JsonSerializer",
        "socket_timeout": 0.25,
        "socket_connect_timeout": 0.25,
    }
    cache = TellingCache(sys.argv[1], {"OPTIONS": options})
    short_lease = patch.multiple(lease, LEASE_S=3, SURE_S=2.7, RENEW_S=0.5)
    with short_lease, patch.object(sole, "TRY_S", 0.25):
        sole.run_as_the_only_one(
            "work", every_s=0.05, work=work, stop=stop_on_signals(), cache=cache, clock=SystemClock()
        )


if __name__ == "__main__":
    main()
