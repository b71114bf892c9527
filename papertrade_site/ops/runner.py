"""Starting, watching and stopping the parts of the service on one machine."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event

from papertrade_site.env import BASE_DIR, OWN_FOLDERS, Environment
from papertrade_site.ops.children import Child
from papertrade_site.ops.folders import FolderError, make_private_folder, remove_abandoned
from papertrade_site.ops.valkey import answers_ping, log_path, valkey_command

MANAGE = (sys.executable, str(BASE_DIR / "manage.py"))
START_SECONDS = 60
WATCH_SECONDS = 0.25
MAX_RESTARTS = 5
RESTART_WINDOW_SECONDS = 60
ABANDONED = re.compile(f"{OWN_FOLDERS}[0-9a-f]{{8}}")
"""Folders of embedded Valkeys; one whose service was killed is empty."""


class StartError(Exception):
    """A part of the service cannot start, or keeps ending; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """A child process, the question whether it is up, and where it says what is wrong with it."""

    child: Child
    is_up: Callable[[], bool]
    log: str = "the lines above"


def parts_of(environment: Environment, environ: Mapping[str, str]) -> list[Part]:
    """The processes that this configuration needs on this machine, in the order they start."""
    refuse_used_ports(environment)
    parts = []
    if environment.redis_url is None:
        path = environment.embedded_valkey_socket
        try:
            make_private_folder(path.parent)
        except FolderError as error:
            raise StartError(f"{error}, or set REDIS_URL.") from error
        remove_abandoned(path.parent.parent, ABANDONED)
        cache = Child("cache", valkey_command(path), environ)
        parts.append(Part(cache, lambda: answers_ping(path), log=str(log_path(path))))
    if environment.runs_exchange:
        port = environment.embedded_exchange_port
        command = [*MANAGE, "simulate_exchange", "--port", str(port)]
        parts.append(Part(Child("exchange", command, environ), lambda: answers_ok(port, "/relayer/health")))
    command = [sys.executable, "-m", "gunicorn", "--config", str(BASE_DIR / "gunicorn.conf.py")]
    parts.append(Part(Child("site", command, environ), lambda: site_answers(environment, "/healthz")))
    return parts


def background_parts(environ: Mapping[str, str]) -> list[Part]:
    """The processes that work beside the service once its parts are up, since they stand on all of them."""
    commands = {"tracker": "track_wallets", "recorder": "record_history", "rollup": "roll_up_usage"}
    children = [Child(name, [*MANAGE, command], environ) for name, command in commands.items()]
    return [Part(child, is_up=lambda: True) for child in children]


def start(parts: list[Part], stop: Event) -> None:
    """Start all parts, which can wait for each other, and return once each is up.

    Raises:
        StartError: when a part ends, or is not up within a minute.
    """
    for part in parts:
        part.child.start()
    deadline = time.monotonic() + START_SECONDS
    for part in parts:
        while not stop.is_set() and not part.is_up():
            if part.child.has_died:
                raise StartError(f"The {part.child.name} ended while starting; see {part.log}.")
            if time.monotonic() > deadline:
                raise StartError(f"The {part.child.name} was not up within {START_SECONDS} seconds.")
            stop.wait(0.05)


def watch(parts: list[Part], stop: Event, say: Callable[[str], object]) -> None:
    """Restart a part that ends by itself, until asked to stop.

    Raises:
        StartError: when parts end more than ``MAX_RESTARTS`` times within a minute.
    """
    restarts: list[float] = []
    while not stop.wait(WATCH_SECONDS):
        for part in [part for part in parts if part.child.has_died]:
            now = time.monotonic()
            restarts = [at for at in restarts if now - at < RESTART_WINDOW_SECONDS] + [now]
            if len(restarts) > MAX_RESTARTS:
                raise StartError(f"The {part.child.name} keeps ending; see {part.log}.")
            say(f"The {part.child.name} ended; starting it again.")
            part.child.start()


def stop_all(parts: list[Part]) -> None:
    """Stop the parts, last started first, so that none loses what it stands on."""
    for part in reversed(parts):
        part.child.stop()


def clear_up(environment: Environment) -> None:
    """Remove what the parts kept outside the project's folder."""
    if environment.redis_url is None:
        shutil.rmtree(environment.embedded_valkey_socket.parent, ignore_errors=True)
    shutil.rmtree(environment.metrics_folder, ignore_errors=True)


def refuse_used_ports(environment: Environment) -> None:
    """Check that the ports that the parts will listen on are free.

    Raises:
        StartError: naming every one that is not, and what to do.
    """
    ports = [environment.port, *([environment.embedded_exchange_port] if environment.runs_exchange else [])]
    used = [str(port) for port in ports if not _is_free(port)]
    if used:
        raise StartError(
            f"Port {' and port '.join(used)} cannot be used. Is the service running already? "
            "Else choose others: make run PORT=…"
        )


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def site_answers(environment: Environment, path: str, *, seconds: float = 2) -> bool:
    """Whether the site answers a GET with 200, asked by a host name that it takes."""
    host = environment.allowed_hosts[0].removeprefix(".")
    return answers_ok(environment.port, path, host=host, seconds=seconds)


def answers_ok(port: int, path: str, *, host: str = "localhost", seconds: float = 2) -> bool:
    """Whether a server of this machine answers a GET with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", path, headers={"Host": host})
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
