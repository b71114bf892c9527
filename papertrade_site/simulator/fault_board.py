"""Which paths misbehave now, and how often each path has been asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock

from papertrade_site.simulator.faults import Fault, UnknownFaultError, find_fault

MAX_COUNTED_PATHS = 1_000


@dataclass(slots=True, kw_only=True)
class ActiveFault:
    """A fault in force on every path that begins with ``prefix``; ``met`` counts the calls it has spoiled."""

    prefix: str
    fault: Fault
    argument: float
    met: int = 0


class FaultBoard:
    """The faults in force and the counts of requests; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._active: dict[str, ActiveFault] = {}
        self._counts: Counter[str] = Counter()

    def put(self, prefix: str, name: str, argument: float | None = None) -> None:
        """Let paths with this prefix misbehave, in place of whatever was in force on the same prefix.

        Raises:
            UnknownFaultError: when there is no such fault, or its argument or the prefix does not fit.
        """
        if not prefix.startswith("/"):
            raise UnknownFaultError("A fault needs the beginning of a path, such as /state/trading.")
        fault, argument = find_fault(name, argument)
        with self._lock:
            self._active[prefix] = ActiveFault(prefix=prefix, fault=fault, argument=argument)

    def put_text(self, text: str) -> None:
        """Put a fault written as ``PATH=NAME`` or ``PATH=NAME:ARGUMENT``.

        Raises:
            UnknownFaultError: when the text or the fault is not of this form.
        """
        prefix, _, rest = text.partition("=")
        name, colon, argument = rest.partition(":")
        try:
            number = float(argument) if colon else None
        except ValueError as error:
            raise UnknownFaultError(f"The argument of {name} must be a number.") from error
        self.put(prefix, name, number)

    def clear(self) -> None:
        """Let every path behave again."""
        with self._lock:
            self._active.clear()

    def active(self) -> tuple[ActiveFault, ...]:
        """The faults in force."""
        with self._lock:
            return tuple(self._active.values())

    def meet(self, path: str) -> tuple[ActiveFault, int] | None:
        """Count a request, and return the fault with the longest matching prefix and how often it was met."""
        with self._lock:
            if path in self._counts or len(self._counts) < MAX_COUNTED_PATHS:
                self._counts[path] += 1
            matching = [fault for fault in self._active.values() if path.startswith(fault.prefix)]
            if not matching:
                return None
            longest = max(matching, key=lambda fault: len(fault.prefix))
            longest.met += 1
            return longest, longest.met

    def counts(self) -> dict[str, int]:
        """Requests for each path since the start or the last reset, for the first 1,000 paths."""
        with self._lock:
            return dict(self._counts)

    def reset_counts(self) -> None:
        """Count from 0 again."""
        with self._lock:
            self._counts.clear()
