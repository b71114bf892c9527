"""What an endpoint asks of the limits of its server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from django.http import HttpRequest


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a request may go on: the headers that say what is left, and how long to wait if it may not."""

    headers: Mapping[str, str]
    retry_after_s: int | None = None


class Gate(Protocol):
    """The limits of one server, as they are in force now."""

    @property
    def body_bytes(self) -> int:
        """Most bytes of a body."""
        ...

    @property
    def batch_messages(self) -> int:
        """Most messages of a batch."""
        ...

    def admit(self, request: HttpRequest, *, cost: int) -> Admission:
        """Count a request of so many messages; one that does not fit is refused whole and costs 1."""
        ...
