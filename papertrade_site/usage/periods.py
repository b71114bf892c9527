"""The spans of time that usage is told of, and the slots that they are made of."""

from __future__ import annotations

from enum import StrEnum

from papertrade_site.market.vocabulary import HOUR_MS, MINUTE_MS


class Period(StrEnum):
    """The last hour in minutes, or the last day or week in hours, and the slot that is still open besides."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"

    @property
    def slot_ms(self) -> int:
        """How long a slot is."""
        return MINUTE_MS if self is Period.HOUR else HOUR_MS

    @property
    def slots(self) -> int:
        """How many slots there are, the open one included: the whole named time is covered."""
        return {Period.HOUR: 61, Period.DAY: 25, Period.WEEK: 169}[self]

    def starts_ms(self, now_ms: int) -> range:
        """The starts of its slots at a time, oldest first."""
        newest_ms = now_ms - now_ms % self.slot_ms
        first_ms = newest_ms - (self.slots - 1) * self.slot_ms
        return range(first_ms, newest_ms + 1, self.slot_ms)
