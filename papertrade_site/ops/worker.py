"""gunicorn's worker of threads, made to answer those who have connected before it stops."""

from __future__ import annotations

import socket
from contextlib import suppress

from gunicorn.workers.gthread import ThreadWorker


class PatientWorker(ThreadWorker):
    """Takes all who wait at its listeners when it is asked to stop, and leaves the listeners at once.

    gunicorn's own keeps them until its last request is answered. The system goes on taking connections for it
    meanwhile, and resets them, with the requests that were sent on them, when the process ends. Here only a
    connection is reset that comes between the last look at a listener and its close, a moment later.
    """

    def set_accept_enabled(self, enabled: bool) -> None:
        """Begin or cease to take connections, the latter for good where the process is to stop."""
        super().set_accept_enabled(enabled)
        if not enabled and not self.alive:
            while self.sockets:
                listener = self.sockets.pop()
                with suppress(OSError):  # such as too many open files: who stays outside is lost, nobody else
                    self._take_all(listener)
                listener.close()

    def _take_all(self, listener: socket.socket) -> None:
        taken = -1
        while taken < self.nr_conns < self.worker_connections:
            taken = self.nr_conns
            self.accept(listener)
