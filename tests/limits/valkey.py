"""The project's own Valkey as a child process, and what can go wrong with it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pytest_django import Settings
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from papertrade_site.ops.valkey import valkey_command

START_RETRIES = 500
RETRY_S = 0.02
BUSY_MACHINE_S: Final = 20.0
MONITORED = re.compile(r'\+[\d.]+ \[\d+ (?P<client>.+?)\] "(?P<command>\w+)"')


class OwnValkey:
    """A Valkey on a unix socket; ``redis`` is the test's own connection to it."""

    def __init__(self, socket_path: Path) -> None:
        self.url = f"unix://{socket_path}"
        self._socket_path = str(socket_path)
        self._command = valkey_command(socket_path)
        patience = Retry(
            ConstantBackoff(RETRY_S), START_RETRIES, supported_errors=(RedisConnectionError, OSError)
        )
        self.redis = Redis(unix_socket_path=str(socket_path), decode_responses=True, retry=patience)
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(self._command)
        self.redis.ping()

    def kill(self) -> None:
        """End it at once, with all that it holds."""
        self._process.kill()
        self._process.wait()
        self.redis.connection_pool.disconnect()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let it take connections but answer nothing within the block."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)
            self.redis.ping()

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Have it end before the block, and begin anew after it."""
        self.kill()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Make it a replica, of a server that is not there, within the block."""
        self.redis.replicaof("127.0.0.1", 1)
        try:
            yield
        finally:
            self.redis.replicaof("NO", "ONE")

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave it no room, and nothing that it may drop, within the block."""
        self.redis.config_set("maxmemory-policy", "noeviction")
        self.redis.config_set("maxmemory", 1)
        try:
            yield
        finally:
            self.redis.config_set("maxmemory", 0)

    @contextmanager
    def wrong_type(self) -> Iterator[None]:
        """Put a list in the place of every counter within the block."""
        for key in self.stored_keys():
            with self.redis.pipeline() as at_once:  # nobody can count there in between
                at_once.delete(key)
                at_once.rpush(key, "not a number")
                at_once.execute()
        try:
            yield
        finally:
            self.redis.flushall()

    def stored_keys(self) -> list[str]:
        """Every key that it holds."""
        return [str(key) for key in self.redis.scan_iter()]

    def counts(self) -> list[int]:
        """Every counter's count."""
        return [int(self.redis.get(key) or 0) for key in self.stored_keys()]

    def commands_of(self, action: Callable[[], object]) -> list[str]:
        """The commands that clients send while the action runs, without those of scripts on the server."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as watcher, watcher.makefile("rb") as lines:
            watcher.connect(self._socket_path)
            watcher.sendall(b"MONITOR\r\n")
            assert lines.readline() == b"+OK\r\n"
            action()
            self.redis.echo("over")
            seen = []
            while (match := MONITORED.match(lines.readline().decode())) and match["command"] != "ECHO":
                if match["client"] != "lua":
                    seen.append(match["command"])
            return seen


@contextmanager
def running_valkey(socket_path: Path) -> Iterator[OwnValkey]:
    """Run one for the block."""
    valkey = OwnValkey(socket_path)
    try:
        yield valkey
    finally:
        valkey.kill()


def cache_at(settings: Settings, name: str, url: str, *, patience_s: float | None = BUSY_MACHINE_S) -> None:
    """Have one of the service's caches at an address.

    Args:
        settings: which end with the test.
        name: ``default`` or ``limits``.
        url: of a unix socket.
        patience_s: seconds that an answer may take, by default more than a busy machine needs; None for
            the service's own, in which a Valkey that hangs is soon given up.
    """
    cache = settings.CACHES[name]
    patience = {} if patience_s is None else {"socket_timeout": patience_s}
    at = {**cache, "LOCATION": url, "OPTIONS": {**cache["OPTIONS"], **patience}}
    settings.CACHES = {**settings.CACHES, name: at}
