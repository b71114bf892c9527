"""Usage in the database: minutes as each process told them, and hours added up over all processes.

Minutes are kept until their hours can no longer change, hours for a season, clients for as long as they are
shown. ``rollup`` alone writes these tables.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from papertrade_site.upstream.tally import SOURCE_NUMBERS, SourceCounts
from papertrade_site.usage.counts import MESSAGE_NUMBERS, ClientCounts, MessageCounts, durations_of
from papertrade_site.usage.families import family_called


class MessageRow(models.Model):
    """What became of messages of one kind within the span that begins at ``start_ms``.

    ``durations`` is the list of ``MessageCounts.duration_numbers``; ``tool`` is '' where none was called.
    """

    start_ms = models.BigIntegerField()
    server = models.CharField(max_length=32)
    method = models.CharField(max_length=64)
    tool = models.CharField(max_length=64)
    ok = models.BigIntegerField()
    failed = models.BigIntegerField()
    refused = models.BigIntegerField()
    limited = models.BigIntegerField()
    blocked = models.BigIntegerField()
    reused = models.BigIntegerField()
    micros = models.BigIntegerField()
    durations = models.JSONField()

    class Meta:
        """Only the tables below are tables."""

        abstract = True

    def __str__(self) -> str:
        return f"{self.server} {self.tool or self.method} {self.start_ms}"

    @property
    def counts(self) -> MessageCounts:
        """The counts apart from what they were counted of."""
        numbers = {name: getattr(self, name) for name in MESSAGE_NUMBERS}
        return MessageCounts(**numbers, durations=durations_of(self.durations))


class UsageMinute(MessageRow):
    """One process's messages of a minute; ``writer`` stands for the process."""

    writer = models.CharField(max_length=32)

    class Meta:
        """One row for each kind of message."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["start_ms", "writer", "server", "method", "tool"], name="one_usage_minute"
            )
        ]


class UsageHour(MessageRow):
    """All processes' messages of an hour."""

    class Meta:
        """One row for each kind of message."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["start_ms", "server", "method", "tool"], name="one_usage_hour")
        ]


class SourceRow(models.Model):
    """The reads and requests of one source within the span that begins at ``start_ms``."""

    start_ms = models.BigIntegerField()
    name = models.CharField(max_length=64)
    fresh = models.BigIntegerField()
    stale = models.BigIntegerField()
    fetched = models.BigIntegerField()
    failed = models.BigIntegerField()
    answered = models.BigIntegerField()
    limited = models.BigIntegerField()
    unusable = models.BigIntegerField()

    class Meta:
        """Only the tables below are tables."""

        abstract = True

    def __str__(self) -> str:
        return f"{self.name} {self.start_ms}"

    @property
    def counts(self) -> SourceCounts:
        """The counts apart from what they were counted of."""
        return SourceCounts(**{name: getattr(self, name) for name in SOURCE_NUMBERS})


class SourceMinute(SourceRow):
    """One process's reads and requests of a minute; ``writer`` stands for the process."""

    writer = models.CharField(max_length=32)

    class Meta:
        """One row for each source."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["start_ms", "writer", "name"], name="one_source_minute")
        ]


class SourceHour(SourceRow):
    """All processes' reads and requests of an hour."""

    class Meta:
        """One row for each source."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["start_ms", "name"], name="one_source_hour")
        ]


class ClientHour(models.Model):
    """One of the busiest clients of a server within an hour, by the digits that stand for it."""

    start_ms = models.BigIntegerField()
    server = models.CharField(max_length=32)
    client = models.CharField(max_length=12)
    family = models.CharField(max_length=32)
    is_named = models.BooleanField()
    messages = models.BigIntegerField()
    limited = models.BigIntegerField()

    class Meta:
        """One row for each client."""

        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["start_ms", "server", "client"], name="one_client_hour")
        ]

    def __str__(self) -> str:
        return f"{self.client} {self.server} {self.start_ms}"

    @property
    def counts(self) -> ClientCounts:
        """The counts apart from whose they are."""
        return ClientCounts(family_called(self.family), self.is_named, self.messages, self.limited)
