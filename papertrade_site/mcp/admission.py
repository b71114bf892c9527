"""What an endpoint asks of the limits of its server, and what it tells of each request that it answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from django.http import HttpRequest

OTHER_METHOD: Final = "other"
"""Stands for every method that the server does not have, so that no caller's text gets into a count."""

NOTIFICATION: Final = "notification"
"""Stands for every message that wants no answer."""

CLIENT_TEXT_CHARACTERS: Final = 100
"""The most of a client's own name or version that is handed on."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a request may go on.

    Attributes:
        headers: tell what is left of the client's allowances.
        retry_after_s: whole seconds, at least 1, to wait when the request may not go on; else None.
        reason: why it may not, in a sentence.
    """

    headers: Mapping[str, str]
    retry_after_s: int | None = None
    reason: str = ""


class Terms(Protocol):
    """What one request is held to."""

    @property
    def body_bytes(self) -> int:
        """Most bytes of its body."""
        ...

    @property
    def batch_messages(self) -> int:
        """Most messages of a batch; so many can always go through, if the client waits."""
        ...

    @property
    def blocked(self) -> str | None:
        """Why the client may send nothing at all, in sentences for it; None when it may."""
        ...

    def admit(self, *, cost: int) -> Admission:
        """Count a request of so many messages; one that does not fit is refused whole and costs 1."""
        ...

    def admit_reader(self) -> Admission:
        """Count a plain GET, which has an allowance of its own."""
        ...


class Gate(Protocol):
    """The limits of one server, as they are in force now."""

    def terms(self, request: HttpRequest) -> Terms:
        """What this request is held to."""
        ...

    def closed(self, tool: str) -> str | None:
        """Why a tool cannot be called now, in sentences that say how to go on; None when it can."""
        ...


class Outcome(StrEnum):
    """What became of a message, or of a whole request.

    Attributes:
        OK: it was answered, or taken without an answer.
        FAILED: the answer is a result with ``isError`` or a JSON-RPC error.
        REFUSED: it was no message that this server reads, or stood in such a request.
        LIMITED: the client had used up an allowance.
        BLOCKED: the operator lets nothing through: the client's network is blocked, or the tool or the whole
            server is switched off.
    """

    OK = "ok"
    FAILED = "failed"
    REFUSED = "refused"
    LIMITED = "limited"
    BLOCKED = "blocked"


class Handled(NamedTuple):
    """One message, and what became of it.

    Attributes:
        method: one that the server has, ``NOTIFICATION`` or ``OTHER_METHOD``.
        tool: the tool that it calls; None when it calls none that the server has.
        outcome: what became of it; that of the request when it was turned away with it.
        seconds: how long the answer took; 0 when it was turned away.
        reused: whether the answer is an earlier one that still holds.
    """

    method: str
    tool: str | None
    outcome: Outcome
    seconds: float
    reused: bool


class Exchange(NamedTuple):
    """One POST, and what became of it.

    Attributes:
        handled: its messages in their order; none when the body could not be read, or was not for a block.
        outcome: that of the request as a whole: of all its messages; ``FAILED`` when theirs differ.
        client_name: what a client that connects calls itself, cut but otherwise as it came: never trust it.
        client_version: likewise.
    """

    handled: tuple[Handled, ...]
    outcome: Outcome
    client_name: str | None = None
    client_version: str | None = None


Record = Callable[[HttpRequest, Exchange], None]
"""Is told of every POST once its answer is known, on the thread that is about to send it."""
