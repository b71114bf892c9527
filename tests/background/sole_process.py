"""A process that works while it is the only one, and the handle of whoever starts it.

It says a word a line: ``won``, ``refused`` or ``failed`` when it has asked for the lease, ``begun`` when a
round begins, which then lasts as long as it may, and ``ended``. SIGTERM stops it.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Timer
from typing import Final
from unittest.mock import patch

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from papertrade_site.background import lease, sole
from papertrade_site.clock import SystemClock
from papertrade_site.stopping import stop_on_signals

PROJECT: Final = Path(__file__).parents[2]
GIVE_UP_S: Final = 60


class SoleProcess:
    """Starts a process of this file, listens to it, and ends it."""

    def __init__(self, redis_url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, redis_url],
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(PROJECT), "DJANGO_SETTINGS_MODULE": "papertrade_site.settings"},
        )
        self._watchdog = Timer(GIVE_UP_S, self.process.kill)
        self._watchdog.start()

    def hear(self) -> str:
        """Its next word; empty once it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def hear_until(self, word: str) -> list[str]:
        """Its next words up to this one."""
        words = [self.hear()]
        while words[-1] not in {word, ""}:
            words.append(self.hear())
        assert words[-1] == word, words
        return words

    def send(self, signal_number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(signal_number)

    def kill(self) -> None:
        """End it at once; what it said can still be heard."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End it if it has not ended, and listen no more."""
        self._watchdog.cancel()
        self.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()


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
