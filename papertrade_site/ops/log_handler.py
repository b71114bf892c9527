"""The handler of all that is logged, which keeps no thread waiting for whoever reads standard error."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from papertrade_site.ops.request_lines import Line, RequestLines


@dataclass(frozen=True, slots=True)
class Told:
    """What was logged, made a line of by the thread that writes it."""

    handler: logging.Handler
    record: logging.LogRecord

    def line(self) -> Line:
        """The line about it, or several where it has a traceback."""
        return self.counted()._replace(text=f"{self.handler.format(self.record)}\n")

    def counted(self) -> Line:
        """The same without its text: nothing of a log is counted."""
        return Line("", server="", status=0)


class PatientHandler(logging.Handler):
    """Writes as ``RequestLines`` does: soon, and without those lines that standard error does not take.

    Args:
        descriptor: where to write; standard error unless told otherwise.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        super().__init__()
        self._lines = RequestLines(descriptor=descriptor)

    def emit(self, record: logging.LogRecord) -> None:
        """Take what was logged; waits for nothing."""
        self._lines.put(Told(self, record))

    def close(self) -> None:
        """Write what is left, unless that takes too long."""
        self._lines.stop()
        super().close()
