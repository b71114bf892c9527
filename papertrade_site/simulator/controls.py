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

from papertrade_site.simulator.fault_board import FaultBoard
from papertrade_site.simulator.faults import FAULTS, UnknownFaultError
from papertrade_site.simulator.protocol import Answer, Request

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
        return route(request) if route else _json({"error": "no such control"}, status=404)

    def _list_faults(self, _: Request) -> Answer:
        in_force = [
            {
                "path": trouble.prefix,
                "fault": trouble.fault.name,
                "argument": trouble.argument,
                "met": trouble.met,
            }
            for trouble in self._board.troubles()
        ]
        known = {name: fault.summary for name, fault in FAULTS.items()}
        return _json({"inForce": in_force, "known": known})

    def _put_fault(self, request: Request) -> Answer:
        try:
            wish = json.loads(request.body)
            self._board.put(str(wish["path"]), str(wish["fault"]), wish.get("argument"))
        except UnknownFaultError as error:
            return _json({"error": str(error)}, status=400)
        except (ValueError, LookupError, TypeError, AttributeError):
            return _json(
                {"error": "send an object with path, fault and, if it takes one, argument"}, status=400
            )
        return self._list_faults(request)

    def _clear_faults(self, request: Request) -> Answer:
        self._board.clear()
        return self._list_faults(request)

    def _list_requests(self, _: Request) -> Answer:
        return _json({"requests": self._board.counts()})

    def _reset_requests(self, request: Request) -> Answer:
        self._board.reset_counts()
        return self._list_requests(request)


def _json(document: object, *, status: int = 200) -> Answer:
    return Answer(status=status, body=json.dumps(document).encode())
