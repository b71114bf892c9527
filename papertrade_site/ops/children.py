"""The processes that ``manage.py run`` starts, watches and stops."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

STOP_SECONDS = 35
"""How long a child may take to stop after SIGTERM before it is killed; gunicorn's grace is 30 s."""

STANDARD_ERROR = 2
"""Where the children's output goes, so that standard output carries the parent's words alone."""

PR_SET_PDEATHSIG = 1


@dataclass(slots=True)
class Child:
    """One process, in a session of its own so that the terminal's Ctrl-C reaches only its parent."""

    name: str
    command: Sequence[str]
    environ: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process; on Linux it is told to stop should its parent be killed."""
        self.process = subprocess.Popen(
            self.command,
            env=dict(self.environ),
            stdin=subprocess.DEVNULL,
            stdout=STANDARD_ERROR,
            start_new_session=True,
            preexec_fn=stop_with_parent,
        )

    @property
    def has_died(self) -> bool:
        """Whether the process was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        """Ask the process to end, wait for it, and kill its whole group if it does not."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def stop_with_parent() -> None:
    """Have this process told to stop should its parent be killed, where the system is Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
