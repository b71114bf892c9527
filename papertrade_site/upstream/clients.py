"""The clients of the configured source, one for each host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from papertrade_site.clock import Clock
from papertrade_site.upstream.http import Answer, HttpClient


@dataclass(frozen=True, slots=True)
class Clients:
    """One client for each host; they share nothing, so one that fails does not hold up the others."""

    exchange: HttpClient
    hyperliquid: HttpClient
    hyperevm: HttpClient

    def close(self) -> None:
        """Close all their connections."""
        self.exchange.close()
        self.hyperliquid.close()
        self.hyperevm.close()


def open_clients(clock: Clock, *, on_answer: Callable[[Answer], None] | None = None) -> Clients:
    """The clients that the settings name; ``on_answer`` is told what each request came to."""

    def client(base_url: str) -> HttpClient:
        return HttpClient(
            base_url=base_url,
            clock=clock,
            expect_simulated=settings.PAPERTRADE_SOURCE == "simulated",
            on_answer=on_answer,
        )

    return Clients(
        exchange=client(settings.EXCHANGE_URL),
        hyperliquid=client(settings.HYPERLIQUID_URL),
        hyperevm=client(settings.HYPEREVM_URL),
    )
