"""Pings of a site's clients, every one of which is counted, and clients who have asked for nothing before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from tests.faults.deployment import Reply, Site
from tests.windows import client_with_time

_clients = count(1)
_networks = count()


def new_client() -> str:
    """The address of a client that no other test of this process has."""
    number = next(_clients)
    return f"198.18.{number // 256}.{number % 256}"


@dataclass(slots=True)
class Pings:
    """Pings of clients at a site, and how many there were."""

    site: Site
    made: int = 0

    def ping(self, client: str) -> Reply:
        """What a client's ping gets."""
        self.made += 1
        return self.site.ping(client=client)

    def of_one_client(self, number: int) -> list[int]:
        """The statuses of so many pings of a new client, whose minute does not end meanwhile."""
        first_statuses = {}

        def first_window(client: str) -> str:
            reply = self.ping(client)
            first_statuses[client] = reply.status
            return reply.headers["RateLimit"]

        client = client_with_time(first_window, f"198.19.{next(_networks)}")
        return [first_statuses[client], *(self.ping(client).status for _ in range(number - 1))]
