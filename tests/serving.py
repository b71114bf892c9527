"""An application on a real gunicorn."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from papertrade_site.env import BASE_DIR
from papertrade_site.ops.children import stop_with_parent

GONE_S = 40
"""Above the time that the project's own configuration leaves to requests under way."""


@dataclass(frozen=True, slots=True)
class Served:
    """A gunicorn: its port on 127.0.0.1, and its first process, whose session its workers are in too."""

    port: int
    pid: int


@contextmanager
def serving(
    application: str,
    *options: str,
    port: int = 0,
    environ: Mapping[str, str] | None = None,
    log: Path | None = None,
    through: Sequence[str] = (),
) -> Iterator[Served]:
    """Serve an application for the block, by the project's own configuration of gunicorn.

    The port is listened on from the start, so a connection waits until a worker is ready, and is refused
    when gunicorn ends instead.

    Args:
        application: ``module:name``.
        options: of gunicorn's command line, which count for more than the configuration.
        port: where it listens; 0 for any free one.
        environ: what is added to this process's own environment.
        through: a command that runs the one after it, such as ``nice``.
        log: file for what it has to say; without one it goes where this process's goes.
    """
    with ExitStack() as stack:
        output = None if log is None else stack.enter_context(log.open("wb"))
        with socket.create_server(("127.0.0.1", port), backlog=64) as listener:
            port = int(listener.getsockname()[1])
            command = [*through, sys.executable, "-m", "gunicorn", "--bind", f"fd://{listener.fileno()}"]
            process = subprocess.Popen(
                [*command, *options, application],
                cwd=BASE_DIR,
                env={**os.environ, **_settings(port), **(environ or {})},
                pass_fds=[listener.fileno()],
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=stop_with_parent,
            )
        try:
            yield Served(port, process.pid)
        finally:
            process.terminate()
            process.wait(GONE_S)


def _settings(port: int) -> dict[str, str]:
    """What every application of the project needs, and nothing of this machine's ``.env`` and database."""
    return {
        "PAPERTRADE_ENV_FILE": "",
        "PAPERTRADE_SECRET_KEY": "only-for-tests-" * 4,
        "PORT": str(port),
        "DATABASE_URL": "sqlite://:memory:",
    }
