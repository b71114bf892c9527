"""The newest trades and the best results."""

from __future__ import annotations

from papertrade_site.market.instrument import Side
from papertrade_site.market.position import Position
from papertrade_site.market.vocabulary import DAY_MS, TradeKind
from papertrade_site.simulator.dice import Dice
from papertrade_site.simulator.tape import BEST_KEPT, BestResults, Result, Tape

NOON_MS = 1_796_040_000_000
POSITION = Position(
    id="1",
    wallet="0x" + "1" * 40,
    instrument_id=0,
    side=Side.LONG,
    margin=1,
    leverage=1,
    entry=1,
    bust=0,
    opened_at_ms=0,
)


def result(net: int, closed_at_ms: int) -> Result:
    """A result that is told by its figures."""
    return Result(net, closed_at_ms, f"{net}-{closed_at_ms}", 1, POSITION)


def test_the_newest_fifty_trades_are_kept_in_rising_sequence() -> None:
    tape = Tape()
    for second in range(40):
        for _ in range(2):
            tape.record(TradeKind.OPEN, POSITION, price=1, net=None, block=100 + second, at_ms=second)
    sequences = [trade.sequence for trade in tape.trades]
    assert len(sequences) == 50
    assert sequences == sorted(set(sequences))
    assert sequences[-2:] == [139_000_000, 139_000_001]


def test_the_best_of_a_window_are_those_closed_in_it_highest_first() -> None:
    best = BestResults()
    results = [result(net, NOON_MS - net * DAY_MS) for net in range(10)]
    for each in results:
        best.add(each)
    assert best.best(since_ms=NOON_MS - 3 * DAY_MS) == results[3::-1]
    assert best.best(since_ms=None) == results[::-1]


def test_a_window_of_whole_hours_is_exact_whatever_the_order() -> None:
    dice = Dice(1)
    results = [result(dice.randrange(10**9), NOON_MS - dice.randrange(DAY_MS)) for _ in range(3_000)]
    best = BestResults()
    for each in results:
        best.add(each)
    for since in (NOON_MS - DAY_MS, NOON_MS - DAY_MS // 4, NOON_MS - DAY_MS // 24):
        inside = sorted((each for each in results if each.closed_at_ms >= since), reverse=True)
        assert best.best(since_ms=since) == inside[:BEST_KEPT]
    assert best.best(since_ms=None) == sorted(results, reverse=True)[:BEST_KEPT]


def test_a_month_of_hours_is_kept_and_the_best_ever_for_good() -> None:
    best = BestResults()
    first = result(10**9, NOON_MS)
    best.add(first)
    for hour in range(1, 800):
        best.add(result(hour, NOON_MS + hour * 3_600_000))
    now = NOON_MS + 799 * 3_600_000
    month = best.best(since_ms=now - 30 * DAY_MS)
    assert [each.net for each in month] == list(range(799, 749, -1))
    assert first not in best.best(since_ms=0)
    assert best.best(since_ms=None)[0] == first
