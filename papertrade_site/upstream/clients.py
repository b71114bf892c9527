"""The clients of the configured source, one for each host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from papertrade_site.clock import Clock
from papertrade_site.env import Source
from papertrade_site.upstream.http import Answer, HttpClient
from papertrade_site.upstream.resource import Host, Resource, Value
from papertrade_site.upstream.tally import process_tally
from papertrade_site.upstream.want import Want


@dataclass(frozen=True, slots=True)
class Clients:
    """One client for each host; they share nothing, so one that fails does not hold up the others."""

    source: Source
    by_host: Mapping[Host, HttpClient]

    def want(self, resource: Resource[Value]) -> Want[Value]:
        """A resource, to be asked of its host; this asks nobody anything."""
        client = self.by_host[resource.host]
        return Want(resource, client, f"{self.source} {client.base_url}")

    def close(self) -> None:
        """Close all their connections."""
        for client in self.by_host.values():
            client.close()


def open_clients(clock: Clock, *, on_answer: Callable[[Answer], None] | None = None) -> Clients:
    """The clients that the settings name.

    Args:
        clock: theirs.
        on_answer: is told what each request came to, with the whole size of what came, in place of the
            process's tally.
    """
    source = Source(settings.PAPERTRADE_SOURCE)
    addresses = {
        Host.EXCHANGE: settings.EXCHANGE_URL,
        Host.HYPERLIQUID: settings.HYPERLIQUID_URL,
        Host.HYPEREVM: settings.HYPEREVM_URL,
    }
    by_host = {
        host: HttpClient(
            base_url=address,
            clock=clock,
            expect_simulated=source is Source.SIMULATED,
            on_answer=on_answer or partial(_count, host),
            takes_in_refused=on_answer is not None,
        )
        for host, address in addresses.items()
    }
    return Clients(source, by_host)


def _count(host: Host, answer: Answer) -> None:
    process_tally.asked(host, answer.source, answer.error)
