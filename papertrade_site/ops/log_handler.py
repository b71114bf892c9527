"""The handlers of all that is logged, which keep no thread waiting for whoever reads standard error."""

from __future__ import annotations

import logging
import os
import select
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakSet

from papertrade_site.ops.request_lines import CHUNK_BYTES, Line, RequestLines, standard_error


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
        _handlers.add(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Take what was logged; waits for nothing."""
        self._lines.put(Told(self, record))

    def drain_lost(self) -> int:
        """How many lines were lost since somebody last asked."""
        return self._lines.drain().lost

    def close(self) -> None:
        """Write what is left, unless that takes too long."""
        self._lines.stop()
        super().close()


_handlers: WeakSet[PatientHandler] = WeakSet()
"""Those of this process."""


def drain_lost_lines() -> int:
    """How many lines of this process's log were lost since somebody last asked."""
    return sum(handler.drain_lost() for handler in list(_handlers))


class ImpatientHandler(logging.Handler):
    """Writes at once what standard error takes at once, and nothing else: for a process that forks others.

    Such a one had better have no thread, and must not stop looking after its children either.

    Args:
        descriptor: where to write; standard error unless told otherwise.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        super().__init__()
        self._descriptor = standard_error() if descriptor is None else descriptor

    def emit(self, record: logging.LogRecord) -> None:
        """Write what was logged, as far as nobody has to be waited for."""
        if self._descriptor is None:
            return
        data = f"{self.format(record)}\n".encode("ascii", "backslashreplace")
        with suppress(OSError):  # the disk is full, or nobody is there to read
            while data and _takes_a_piece(self._descriptor):
                data = data[os.write(self._descriptor, data[:CHUNK_BYTES]) :]


def _takes_a_piece(descriptor: int) -> bool:
    """Whether ``CHUNK_BYTES`` can be written without waiting."""
    return bool(select.select([], [descriptor], [], 0)[1])
