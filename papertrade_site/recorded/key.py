"""What is recorded: whose past at which venue, in buckets of which size."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.conf import settings

from papertrade_site.market.vocabulary import Interval
from papertrade_site.upstream.models.history import HistoryColumns, HouseColumns

INTERVALS: Final = (Interval.HOUR, Interval.DAY)
"""Bucket sizes that are recorded; minutes are not."""


class Record(StrEnum):
    """Whose past it is."""

    PROTOCOL = "protocol"
    HOUSE = "house"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its figures."""
        model = HistoryColumns if self is Record.PROTOCOL else HouseColumns
        return tuple(model.model_fields)


@dataclass(frozen=True, slots=True)
class RecordKey:
    """Which record; ``origin`` says which source at which base address, so that none passes for another."""

    origin: str
    record: Record
    interval: Interval

    def __str__(self) -> str:
        return f"{self.record} {self.interval}"


def origin() -> str:
    """The source and the venue's base address that the settings name."""
    return f"{settings.PAPERTRADE_SOURCE} {settings.EXCHANGE_URL}"


def keys_of(origin: str) -> list[RecordKey]:
    """Everything that is recorded of a venue."""
    return [RecordKey(origin, record, interval) for record in Record for interval in INTERVALS]
