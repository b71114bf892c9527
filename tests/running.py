"""Programs of the project as processes: heard line by line, asked to end, and ended where they hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import IO, Final

from papertrade_site.env import BASE_DIR

GIVE_UP_S: Final = 60


class Heard:
    """What a process says on one of its streams."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def line(self) -> str:
        """The next line; empty once no more comes."""
        return self._stream.readline().strip()

    def until(self, words: str) -> list[str]:
        """The next lines up to the first that has the words in it."""
        lines = []
        for line in self._stream:
            lines.append(line.strip())
            if words in line:
                return lines
        raise AssertionError(f"it never said {words!r} but {lines}")

    def rest(self) -> str:
        """All that comes until it and its children have ended."""
        return self._stream.read()


@dataclass(frozen=True, slots=True)
class Running:
    process: subprocess.Popen[str]
    out: Heard
    err: Heard

    def ask_to_end(self, request: signal.Signals = signal.SIGTERM, *, within_s: float = GIVE_UP_S) -> int:
        """Send it a signal, and give the status with which it ends."""
        self.process.send_signal(request)
        return self.process.wait(within_s)

    def kill(self) -> None:
        """End it at once; what it said can still be heard."""
        self.process.kill()
        self.process.wait()


@contextmanager
def running(
    command: Sequence[str], environ: Mapping[str, str], *, give_up_s: float = GIVE_UP_S
) -> Iterator[Running]:
    """Run a program for the block, and for so many seconds at most."""
    with subprocess.Popen(
        command, cwd=BASE_DIR, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        watchdog = Timer(give_up_s, process.kill)
        watchdog.start()
        try:
            yield Running(process, Heard(process.stdout), Heard(process.stderr))
        finally:
            watchdog.cancel()
            process.kill()


def manage(*words: str) -> list[str]:
    """The command line of one of the project's commands."""
    return [sys.executable, "manage.py", *words]


def newcomers_environ(**settings: str) -> dict[str, str]:
    """What a newcomer's shell has, and nothing of this machine's habits; with these settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PAPERTRADE_ENV_FILE": "", **settings}
