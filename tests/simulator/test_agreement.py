"""What the embedded exchange sends is what the project's own clients accept, whatever the seed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from papertrade_site.market.settlement import settle_position
from papertrade_site.market.vocabulary import Interval, SortKey, Window
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.simulator.world import World
from papertrade_site.upstream import exchange, hyperevm, hyperliquid
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.resource import Resource, Value
from tests.clocks import ManualClock
from tests.simulated_clients import SimulatedTransport, simulated_clients

SEEDS = range(12)


class Reader:
    """Reads resources from a venue through the real client, without a socket."""

    def __init__(self, venue: SimulatedVenue, clock: ManualClock) -> None:
        self._clock = clock
        self._clients = simulated_clients(SimulatedTransport(venue), clock)

    def read(self, resource: Resource[Value]) -> Value:
        """Fetch and parse a resource."""
        raw = resource.fetch(self._clients.by_host[resource.host], CallBudget(self._clock))
        return resource.parse(raw, self._clock.now_ms())

    def close(self) -> None:
        """Close the clients."""
        self._clients.close()


@pytest.fixture
def reader(venue: SimulatedVenue, clock: ManualClock) -> Iterator[Reader]:
    """A reader of the small world."""
    reader = Reader(venue, clock)
    yield reader
    reader.close()


def read_everything(reader: Reader) -> None:
    """Read all that the clients know how to read."""
    state = reader.read(exchange.trading())
    reader.read(exchange.summary())
    reader.read(exchange.market_stats())
    reader.read(exchange.queue())
    reader.read(exchange.recent_trades())
    reader.read(exchange.relayer_health())
    reader.read(hyperevm.paper())
    for interval in Interval:
        reader.read(exchange.history(interval))
        reader.read(exchange.house_history(interval))
    for window in Window:
        reader.read(exchange.best_positions(window, "/state/leaderboard/positions"))
        board = reader.read(exchange.leaderboard(window, SortKey.OPEN_NOTIONAL, page=0, page_size=200))
        for row in board.accounts[:5]:
            reader.read(exchange.wallet(row.address))
    for market in state.instruments:
        reader.read(exchange.liquidation_map(market, "/state/liquidation-map?instrumentId={id}"))
        reader.read(hyperliquid.book(market.symbol))
        for interval in Interval:
            reader.read(hyperliquid.candles(market.symbol, interval=interval, count=50))


@pytest.mark.parametrize("seed", SEEDS)
def test_clients_accept_everything_whatever_the_seed_and_the_time(seed: int, clock: ManualClock) -> None:
    clock.advance(seed * 12_345.678)
    world = World.create(seed=seed, now_ms=clock.ms, traders=40)
    reader = Reader(SimulatedVenue(world, clock=clock), clock)
    read_everything(reader)
    clock.advance(600)
    read_everything(reader)
    reader.close()


def test_the_mark_that_clients_compute_is_the_markets_mid(
    world: World, clock: ManualClock, reader: Reader
) -> None:
    for _ in range(30):
        clock.advance(1)
        for market in reader.read(exchange.trading()).instruments:
            mark = reader.read(hyperliquid.book(market.symbol)).mark(market)
            assert mark == world.prices.mids[market.id]


def test_positions_that_clients_read_give_their_rows_unrealised_result(reader: Reader) -> None:
    markets = reader.read(exchange.trading()).instruments
    marks = [reader.read(hyperliquid.book(market.symbol)).mark(market) for market in markets]
    fee = reader.read(hyperevm.paper()).win_fee_rate
    assert fee is not None
    board = reader.read(exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=25))
    for row in board.accounts:
        positions = reader.read(exchange.wallet(row.address)).positions
        results = [
            settle_position(
                markets[position.instrument_id],
                position,
                mark=marks[position.instrument_id],
                win_fee_rate=fee,
            ).net
            for position in positions
        ]
        assert sum(results) == row.current_unrealized_pnl


def test_chain_and_summary_tell_the_same_paper(reader: Reader) -> None:
    chain, summary = reader.read(hyperevm.paper()), reader.read(exchange.summary())
    assert (chain.supply, chain.staked) == (summary.paper.supply, summary.paper.staked)
    assert reader.read(exchange.trading()).accumulator == summary.paper.accumulator
