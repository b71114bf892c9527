"""What must hold for any close."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hypothesis import given, strategies as st

from papertrade_site.market.instrument import Instrument, Side
from papertrade_site.market.scale import WAD
from papertrade_site.market.settlement import keep_share, value
from tests.market.closes import close

ENTRY_PRICES = st.integers(50_000, 10**9)
LEVERAGES = st.integers(1, 1000)
MARGINS = st.integers(10 * WAD, 10_000_000 * WAD)
MOVES = st.integers(-99_999, 1_000_000)


@given(
    market=st.sampled_from(["BTC", "ETH"]),
    side=st.sampled_from(Side),
    entry=ENTRY_PRICES,
    margin=MARGINS,
    leverage=LEVERAGES,
    millionths=MOVES,
)
def test_no_close_pays_more_than_882_permille_of_the_move_or_takes_more_than_the_margin(
    markets: Mapping[str, Instrument],
    market: str,
    side: Side,
    entry: int,
    margin: int,
    leverage: int,
    millionths: int,
) -> None:
    exit_at = entry + entry * millionths // 100_000
    closed = close(markets[market], exit_at, side=side, entry=entry, margin=margin, leverage=leverage)
    favourable = exit_at - entry if side is Side.LONG else entry - exit_at
    gross = Fraction(margin * leverage * favourable, entry)
    assert -margin <= closed.net <= max(gross * Fraction("0.882"), Fraction(0))
    assert closed.adjusted >= -margin
    assert 0 <= closed.win_fee <= max(closed.adjusted, 0)


@given(entry=ENTRY_PRICES, margin=MARGINS, leverage=LEVERAGES, share=st.integers(-100_000, 100_000))
def test_a_short_is_valued_like_a_long_with_the_exit_mirrored_at_the_entry(
    btc: Instrument, entry: int, margin: int, leverage: int, share: int
) -> None:
    move = entry * share // 100_000
    long = value(btc, side=Side.LONG, margin=margin, leverage=leverage, entry=entry, exit_price=entry + move)
    short = value(
        btc, side=Side.SHORT, margin=margin, leverage=leverage, entry=entry, exit_price=entry - move
    )
    assert long == short


@given(
    market=st.sampled_from(["BTC", "ETH"]),
    entry=ENTRY_PRICES,
    moves=st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)),
)
def test_a_larger_move_never_keeps_a_smaller_share(
    markets: Mapping[str, Instrument], market: str, entry: int, moves: tuple[int, int]
) -> None:
    smaller, larger = sorted(moves)
    instrument = markets[market]
    small_share = keep_share(smaller, entry=entry, instrument=instrument)
    large_share = keep_share(larger, entry=entry, instrument=instrument)
    assert 0 <= small_share <= large_share <= WAD - instrument.base_rate


@given(entry=ENTRY_PRICES, margin=MARGINS, exits=st.tuples(ENTRY_PRICES, ENTRY_PRICES))
def test_a_better_exit_never_pays_a_long_less(
    btc: Instrument, entry: int, margin: int, exits: tuple[int, int]
) -> None:
    worse, better = (close(btc, at, entry=entry, margin=margin).net for at in sorted(exits))
    assert worse <= better
