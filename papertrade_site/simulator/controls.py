"""The embedded exchange's own paths under ``/_simulator/``, which make it misbehave and count requests.

::

    GET    /_simulator/faults     the faults in force and the ones there are
    POST   /_simulator/faults     {"path": "/state/trading", "fault": "delay", "argument": 2}
    DELETE /_simulator/faults     none is in force any more
    GET    /_simulator/requests   requests for each path
    DELETE /_simulator/requests   count from 0 again
"""

from __future__ import annotations

import json
from http import HTTPStatus

from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.faults import FAULTS, UnknownFaultError
from papertrade_site.simulator.protocol import Answer, Request
from papertrade_site.simulator.wire import Json, json_answer

PREFIX = "/_simulator/"


class Controls:
    """Answers the simulator's own paths from a fault board."""

    def __init__(self, board: FaultBoard) -> None:
        self._board = board
        self._routes = {
            ("GET", "faults"): self._list_faults,
            ("POST", "faults"): self._put_fault,
            ("DELETE", "faults"): self._clear_faults,
            ("GET", "requests"): self._list_requests,
            ("DELETE", "requests"): self._reset_requests,
        }

    def answer(self, request: Request) -> Answer:
        """Answer a request whose path begins with ``PREFIX``."""
        route = self._routes.get((request.method, request.path.removeprefix(PREFIX)))
        return (
            route(request)
            if route
            else json_answer({"error": "no such control"}, status=HTTPStatus.NOT_FOUND)
        )

    def _list_faults(self, _: Request) -> Answer:
        in_force: list[Json] = [
            {
                "path": active.prefix,
                "fault": active.fault.name,
                "argument": active.argument,
                "met": active.met,
            }
            for active in self._board.active()
        ]
        known = {name: fault.summary for name, fault in FAULTS.items()}
        return json_answer({"inForce": in_force, "known": known})

    def _put_fault(self, request: Request) -> Answer:
        try:
            self._board.put(*_wanted_fault(request.body))
        except UnknownFaultError as error:
            return _refused(str(error))
        return self._list_faults(request)

    def _clear_faults(self, request: Request) -> Answer:
        self._board.clear()
        return self._list_faults(request)

    def _list_requests(self, _: Request) -> Answer:
        return json_answer({"requests": self._board.counts()})

    def _reset_requests(self, request: Request) -> Answer:
        self._board.reset_counts()
        return self._list_requests(request)


def _wanted_fault(body: bytes) -> tuple[str, str, float | None]:
    try:
        wanted = json.loads(body)
    except (ValueError, RecursionError):
        wanted = None
    match wanted:
        case {"path": str(path), "fault": str(name), **rest}:
            argument = rest.get("argument")
            if argument is None or (isinstance(argument, int | float) and not isinstance(argument, bool)):
                return path, name, argument
    raise UnknownFaultError("send an object with path, fault and, if it takes one, a number as argument")


def _refused(message: str) -> Answer:
    return json_answer({"error": message}, status=HTTPStatus.BAD_REQUEST)
