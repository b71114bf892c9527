"""A venue that tells whatever past a test gives it, and a recorder of it."""

from __future__ import annotations

from papertrade_site.market.vocabulary import DAY_MS, HOUR_MS, Interval
from papertrade_site.recorded.key import Record, RecordKey
from papertrade_site.recorded.models import HousePoint, ProtocolPoint
from papertrade_site.recorded.past import Past, house_past, protocol_past
from papertrade_site.recorded.published import Published
from papertrade_site.recorded.recorder import Recorder
from papertrade_site.upstream import exchange
from papertrade_site.upstream.process import process_sources
from tests.filled_venue import FilledVenue
from tests.histories import HOUSE_COLUMNS, PROTOCOL_COLUMNS, Column, history, house
from tests.venue_bodies import NOW_MS

LIVE = "live https://exchange.papertrade.xyz"
SIMULATED = "simulated http://127.0.0.1:8001"
"""What the settings of tests name."""

HOUR = NOW_MS
"""Start of the hour under way."""

DAY = NOW_MS // DAY_MS * DAY_MS
"""Start of the day under way."""


class RecordedVenue(FilledVenue):
    """At half past an hour; all columns of a history hold the same figures, the last in the open bucket."""

    def __init__(self) -> None:
        super().__init__()
        self.clock.advance(1800)
        self.tell([1.0, 2.0, 3.0])
        self.tell([10.0, 30.0], interval=Interval.DAY)

    def tell(self, figures: Column, *, interval: Interval = Interval.HOUR) -> None:
        """Let both histories of an interval be these figures, up to the clock's time."""
        now_ms = self.clock.ms
        protocol = history(interval, as_of_ms=now_ms, **dict.fromkeys(PROTOCOL_COLUMNS, figures))
        self.put(exchange.history(interval), protocol)
        carried = house(interval, as_of_ms=now_ms, **dict.fromkeys(HOUSE_COLUMNS, figures))
        self.put(exchange.house_history(interval), carried)

    def pass_hours(self, hours: int, figures: Column) -> None:
        """Let time pass, and the hourly histories be these figures then."""
        self.clock.advance(hours * HOUR_MS / 1000)
        self.tell(figures)

    def recorded_by(self, recorder: Recorder) -> float | None:
        """Let a recorder do one round, and give the pause that it wants; None when it did all of its work."""
        with self.read_by_tools():
            unfinished = recorder.round(lambda: True)
        return None if unfinished is None else unfinished.retry_s

    def protocol_past(self, interval: Interval = Interval.HOUR) -> Past:
        """The protocol's past as tools read it."""
        with self.read_by_tools():
            return protocol_past(process_sources.for_call(), interval)

    def house_past(self, interval: Interval = Interval.HOUR) -> Past:
        """The house's past as tools read it."""
        with self.read_by_tools():
            return house_past(process_sources.for_call(), interval)


def recorder_of(origin: str, published: Published) -> Recorder:
    """A recorder of the venue that the test lets tools read."""
    return Recorder(origin, lambda: process_sources.for_call(), published)


def hourly(origin: str = SIMULATED, record: Record = Record.PROTOCOL) -> RecordKey:
    """The key of a record of hours."""
    return RecordKey(origin, record, Interval.HOUR)


def recorded_tvl(origin: str = SIMULATED, interval: Interval = Interval.HOUR) -> dict[int, float | None]:
    """What is in the database of one column of the protocol, by the start of the bucket."""
    rows = ProtocolPoint.objects.filter(origin=origin, interval=interval).order_by("start_ms")
    return dict(rows.values_list("start_ms", "tvl"))


def recorded_lp(origin: str = SIMULATED, interval: Interval = Interval.HOUR) -> dict[int, float | None]:
    """What is in the database of one column of the house, by the start of the bucket."""
    rows = HousePoint.objects.filter(origin=origin, interval=interval).order_by("start_ms")
    return dict(rows.values_list("start_ms", "lp"))
