"""What is counted of messages and clients, how it is added up, and the lists of numbers it travels as."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple, Self, TypeGuard

from papertrade_site.mcp.admission import Outcome
from papertrade_site.strict_json import Json
from papertrade_site.upstream.tally import SOURCE_NUMBERS, SourceCounts
from papertrade_site.usage.durations import BUCKETS, bucket_of
from papertrade_site.usage.families import Family

MOST: Final = 2**53 - 1
"""The largest number that is read back: what JSON and every database can hold."""

MESSAGE_NUMBERS: Final = ("ok", "failed", "refused", "limited", "blocked", "reused", "micros")
"""The counts of ``MessageCounts``, in the order of their list."""


class Subject(NamedTuple):
    """What a message was about: the start of its minute, the server, the method, and the tool or ''.

    The method is '' for a body that could not be read.
    """

    minute_ms: int
    server: str
    method: str
    tool: str


@dataclass(slots=True)
class MessageCounts:
    """What became of messages, by the values of ``Outcome``.

    Attributes:
        reused: how many answers were earlier ones that still held.
        micros: microseconds that the answers (``ok`` and ``failed``) took together.
        durations: how long those took; see ``durations.py``.
    """

    ok: int = 0
    failed: int = 0
    refused: int = 0
    limited: int = 0
    blocked: int = 0
    reused: int = 0
    micros: int = 0
    durations: dict[int, int] = field(default_factory=dict)

    @property
    def answered(self) -> int:
        """How many were answered, well or not."""
        return self.ok + self.failed

    @property
    def messages(self) -> int:
        """How many there were."""
        return self.answered + self.refused + self.limited + self.blocked

    def count(self, outcome: Outcome, *, seconds: float, reused: bool) -> None:
        """Count one message."""
        match outcome:
            case Outcome.OK:
                self.ok += 1
            case Outcome.FAILED:
                self.failed += 1
            case Outcome.REFUSED:
                self.refused += 1
                return
            case Outcome.LIMITED:
                self.limited += 1
                return
            case Outcome.BLOCKED:
                self.blocked += 1
                return
        self.reused += reused
        self.micros += round(seconds * 1_000_000)
        bucket = bucket_of(seconds)
        self.durations[bucket] = self.durations.get(bucket, 0) + 1

    def add(self, more: MessageCounts) -> None:
        """Add other counts."""
        for name in MESSAGE_NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(more, name))
        for bucket, count in more.durations.items():
            self.durations[bucket] = self.durations.get(bucket, 0) + count

    def numbers(self) -> list[int]:
        """All counts as one list: ``MESSAGE_NUMBERS``, then each bucket and its count."""
        return [*(getattr(self, name) for name in MESSAGE_NUMBERS), *self.duration_numbers()]

    def duration_numbers(self) -> list[int]:
        """Each bucket, and its count after it."""
        return list(chain.from_iterable(sorted(self.durations.items())))

    @classmethod
    def of_numbers(cls, numbers: Json) -> Self | None:
        """Read back ``numbers()``; None when it is nothing that this version writes."""
        if not are_counts(numbers) or len(numbers) < len(MESSAGE_NUMBERS):
            return None
        durations = numbers[len(MESSAGE_NUMBERS) :]
        if len(durations) % 2 or max(durations[::2], default=0) > BUCKETS:
            return None
        counts = dict(zip(MESSAGE_NUMBERS, numbers, strict=False))
        return cls(**counts, durations=durations_of(durations))


@dataclass(slots=True)
class ClientCounts:
    """What one client sent within an hour.

    Attributes:
        is_named: whether the family comes from the client's own name, which tells more than its User-Agent.
        last_limited_ms: when it was last limited, or 0.
    """

    family: Family
    is_named: bool
    messages: int = 0
    limited: int = 0
    last_limited_ms: int = 0

    def add(self, more: ClientCounts) -> None:
        """Add what the same client sent besides; the family that is known better, or later, stays."""
        if more.is_named or not self.is_named:
            self.family, self.is_named = more.family, more.is_named
        self.messages += more.messages
        self.limited += more.limited
        self.last_limited_ms = max(self.last_limited_ms, more.last_limited_ms)


def durations_of(numbers: list[int]) -> dict[int, int]:
    """Read back ``MessageCounts.duration_numbers``."""
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def source_numbers(counts: SourceCounts) -> list[int]:
    """All counts of a source as one list."""
    return [getattr(counts, name) for name in SOURCE_NUMBERS]


def source_of_numbers(numbers: Json) -> SourceCounts | None:
    """Read back ``source_numbers``; None when it is nothing that this version writes."""
    if not are_counts(numbers) or len(numbers) != len(SOURCE_NUMBERS):
        return None
    return SourceCounts(*numbers)


def are_counts(numbers: Json) -> TypeGuard[list[int]]:
    """Whether it is a list of whole numbers that a count may have."""
    return isinstance(numbers, list) and all(
        type(number) is int and 0 <= number <= MOST for number in numbers
    )
