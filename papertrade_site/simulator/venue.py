"""The embedded exchange behind one address: the venue's paths, Hyperliquid's and HyperEVM's.

Every answer is taken from one moment of the world, which has first been moved up to the clock.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from threading import Event, Lock, Thread

from papertrade_site.clock import Clock
from papertrade_site.simulator import query, state_bodies
from papertrade_site.simulator.leaderboard import Leaderboard
from papertrade_site.simulator.protocol import HEARTBEAT_SECONDS, Answer, EventStream, Request
from papertrade_site.simulator.refusal import RefusedRequestError
from papertrade_site.simulator.routes import GET_ROUTES, POST_ROUTES, View
from papertrade_site.simulator.wire import encode, event_frame, json_answer
from papertrade_site.simulator.world import World

TICK_SECONDS = 1.0

STREAM_PATH = "/state/user/live"
LIVENESS = event_frame("liveness", encode({"heartbeatIntervalMs": int(HEARTBEAT_SECONDS * 1000)}))
HEARTBEAT = event_frame("heartbeat", encode(None))


class SimulatedVenue:
    """Answers requests from a world that lives on with a clock; safe to call from many threads."""

    def __init__(self, world: World, *, clock: Clock, speed: float = 1.0) -> None:
        """Start from a world as it stands; its time then runs ``speed`` times as fast as the clock.

        At a speed above 1 the answers' times run ahead of the clock, so a reader that refuses times
        in the future has to be given a clock as fast.
        """
        self._world = world
        self._clock = clock
        self._speed = speed
        self._clock_start_ms = clock.now_ms()
        self._world_start_ms = world.now_ms
        self._leaderboard = Leaderboard(world)
        self._lock = Lock()
        self._stopping = Event()

    @classmethod
    def create(cls, *, seed: int, clock: Clock, speed: float = 1.0) -> SimulatedVenue:
        """A full-size venue as of the clock's present time; the same seed gives the same market."""
        return cls(World.create(seed=seed, now_ms=clock.now_ms()), clock=clock, speed=speed)

    def answer(self, request: Request) -> Answer | EventStream:
        """Answer any request; a wrong one with an error status and a sentence in JSON."""
        try:
            if request.path == STREAM_PATH:
                return self._stream(request)
            if request.path in POST_ROUTES:
                return self._post(request)
            return self._get(request)
        except RefusedRequestError as error:
            return json_answer({"ok": False, "error": str(error)}, status=error.status)

    def tick(self) -> None:
        """Move the world up to the clock without a request, so that it never has much to catch up."""
        with self._lock:
            self._view()

    def start_ticking(self) -> None:
        """Tick every second in a thread of its own until ``stop_ticking``."""
        self._stopping.clear()
        Thread(target=self._tick_on, name="simulated-exchange", daemon=True).start()

    def stop_ticking(self) -> None:
        """End the ticking; at most one more tick happens."""
        self._stopping.set()

    def _tick_on(self) -> None:
        while not self._stopping.wait(TICK_SECONDS):
            self.tick()

    def _get(self, request: Request) -> Answer:
        route = GET_ROUTES.get(request.path)
        if route is None:
            raise RefusedRequestError("not found", status=HTTPStatus.NOT_FOUND)
        _require_method(request, "GET")
        with self._lock:
            document = route(self._view(), request)
        return json_answer(document)

    def _post(self, request: Request) -> Answer:
        _require_method(request, "POST")
        try:
            body = json.loads(request.body)
        except (ValueError, RecursionError) as error:
            raise RefusedRequestError("the body is not JSON") from error
        with self._lock:
            document = POST_ROUTES[request.path](self._view().world, body)
        return json_answer(document)

    def _stream(self, request: Request) -> EventStream:
        _require_method(request, "GET")
        wallet = query.address(query.single(request, "wallet"))
        with self._lock:
            snapshot = state_bodies.wallet(self._view().world, wallet)
        opening = LIVENESS + event_frame("wallet", encode(snapshot))
        return EventStream(opening=opening, heartbeat=lambda: HEARTBEAT)

    def _view(self) -> View:
        """The world at the clock's time; call it with the lock held."""
        passed_ms = (self._clock.now_ms() - self._clock_start_ms) * self._speed
        self._world.advance_to(self._world_start_ms + int(passed_ms))
        if self._leaderboard.revision != self._world.revision:
            self._leaderboard = Leaderboard(self._world)
        return View(self._world, self._leaderboard)


def _require_method(request: Request, method: str) -> None:
    if request.method != method:
        raise RefusedRequestError(f"use {method}", status=HTTPStatus.METHOD_NOT_ALLOWED)
