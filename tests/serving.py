"""An application on a real gunicorn."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from papertrade_site.env import BASE_DIR

GONE_S = 40
"""Above the time that the project's own configuration leaves to requests under way."""


@contextmanager
def serving(application: str, *options: str, environ: Mapping[str, str]) -> Iterator[int]:
    """Serve an application for the block, and give its port on 127.0.0.1.

    The port is listened on from the start, so a connection waits until a worker is ready.

    Args:
        application: ``module:name``.
        options: of gunicorn's command line, such as its configuration.
        environ: what is added to this process's own environment.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        command = [sys.executable, "-m", "gunicorn", "--bind", f"fd://{listener.fileno()}"]
        process = subprocess.Popen(
            [*command, *options, application],
            cwd=BASE_DIR,
            env={**os.environ, "PAPERTRADE_SECRET_KEY": "only-for-tests-" * 4, **environ},
            pass_fds=[listener.fileno()],
        )
        try:
            yield int(listener.getsockname()[1])
        finally:
            process.terminate()
            process.wait(GONE_S)
