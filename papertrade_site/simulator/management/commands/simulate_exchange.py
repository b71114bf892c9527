"""``manage.py simulate_exchange``: the embedded exchange as a process of its own."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from papertrade_site.clock import SystemClock
from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.faults import FAULTS, UnknownFaultError
from papertrade_site.simulator.protocol import Venue
from papertrade_site.simulator.server import ExchangeServer
from papertrade_site.simulator.venue import SimulatedVenue
from papertrade_site.stopping import stop_on_signals

FASTEST = 3600.0


class Command(BaseCommand):
    """Serve a seeded little market with the venue's paths and wire format, until SIGTERM or Ctrl-C."""

    help = "Serves simulated Papertrade, Hyperliquid and HyperEVM data on this machine alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare port, seed, speed and faults."""
        parser.add_argument("--port", type=int, default=settings.SIMULATOR_PORT, help="0 for any free one")
        parser.add_argument(
            "--seed", type=int, default=settings.SIMULATOR_SEED, help="same seed, same market"
        )
        parser.add_argument(
            "--speed",
            type=market_speed,
            default=1.0,
            help="market seconds a second, up to 3600; readers need a clock as fast",
        )
        parser.add_argument(
            "--fault",
            action="append",
            default=[],
            metavar="PATH=NAME[:ARGUMENT]",
            help=f"let paths that begin with PATH misbehave, again and again; NAME: {', '.join(FAULTS)}",
        )

    def handle(self, *, port: int, seed: int, speed: float, fault: list[str], **_: object) -> None:
        """Serve until told to stop; print the address once connections are accepted."""
        board = _board(fault)
        venue = SimulatedVenue.create(seed=seed, clock=SystemClock(), speed=speed)
        server = _server(venue, port=port, board=board)
        stop = stop_on_signals()
        venue.start_ticking()
        server.start()
        self.stdout.write(f"The embedded exchange answers at {server.address}")
        self.stdout.flush()
        stop.wait()
        server.stop()
        venue.stop_ticking()


def _board(faults: list[str]) -> FaultBoard:
    board = FaultBoard()
    try:
        for text in faults:
            board.put_text(text)
    except UnknownFaultError as error:
        raise CommandError(str(error)) from error
    return board


def _server(venue: Venue, *, port: int, board: FaultBoard) -> ExchangeServer:
    try:
        return ExchangeServer(venue, port=port, board=board)
    except OSError as error:
        raise CommandError(f"Port {port} cannot be used: {error.strerror}.") from error


def market_speed(text: str) -> float:
    """Read a speed above 0 and at most ``FASTEST``.

    Raises:
        ArgumentTypeError: when it is not one.
    """
    with suppress(ValueError):
        speed = float(text)
        if 0 < speed <= FASTEST:
            return speed
    raise ArgumentTypeError(f"a market's speed is above 0 and at most {FASTEST:.0f}")
