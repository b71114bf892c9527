"""gunicorn's log without lines about requests, which are ``request_log.py``'s."""

from __future__ import annotations

from gunicorn.glogging import Logger


class ServerLog(Logger):
    """Writes of starts, stops and faults alone.

    gunicorn's own puts a line together for each request once its log is configured by a table, wherever that
    sends it: an eighth of the time that an answer takes.
    """

    @property
    def access_log_enabled(self) -> bool:
        """No request is told of."""
        return False
