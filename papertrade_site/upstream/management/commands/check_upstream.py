"""``manage.py check_upstream``: ask every address of the configured source and say what came back."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from papertrade_site.clock import SystemClock
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.upstream import exchange, hyperevm
from papertrade_site.upstream.clients import Clients, open_clients
from papertrade_site.upstream.http import HttpClient
from papertrade_site.upstream.probe import Finding, Prober, documented, guessed, of_market
from papertrade_site.upstream.resource import Resource, Value

NO_WALLET = "0x" + "0" * 40
"""Asked for when the leaderboard names nobody: any wallet has a stream."""


class Command(BaseCommand):
    """Print one line for each address; fail when a documented one does not answer as it should."""

    help = "Asks every address of the configured source; the two guessed paths are marked and may fail."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        """Ask, print, and count the failures.

        Raises:
            CommandError: when a documented address failed.
        """
        clock = SystemClock()
        self._prober = Prober(clock)
        self._failed = 0
        with closing(open_clients(clock, on_answer=self._prober.note)) as clients:
            self._ask_all(clients)
        if self._failed:
            raise CommandError(f"Documented addresses that failed: {self._failed}.")

    def _ask_all(self, clients: Clients) -> None:
        trading = self._ask(clients.exchange, exchange.trading())
        for resource in documented():
            self._ask(clients.exchange, resource)
        ranking = exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=44)
        leaders = self._ask(clients.exchange, ranking)
        wallet = leaders.accounts[0].address if leaders is not None and leaders.accounts else NO_WALLET
        self._ask(clients.exchange, exchange.wallet(wallet))
        markets = () if trading is None else trading.instruments
        for market in markets:
            for of_one in of_market(market.symbol):
                self._ask(clients.hyperliquid, of_one)
        self._ask(clients.hyperevm, hyperevm.paper())
        for guess in guessed(
            markets,
            liquidation_map_path=settings.LIQUIDATION_MAP_PATH,
            best_positions_path=settings.BEST_POSITIONS_PATH,
        ):
            self._ask(clients.exchange, guess, guessed=True)

    def _ask(self, client: HttpClient, resource: Resource[Value], *, guessed: bool = False) -> Value | None:
        finding = self._prober.ask(client, resource)
        if finding.problem is not None and not guessed:
            self._failed += 1
        self.stdout.write(_line(finding, guessed=guessed))
        return finding.value


def _line(finding: Finding[Any], *, guessed: bool) -> str:
    answer = finding.answer
    verdict = "FAILED" if finding.problem else "ok"
    mark = "guessed path, " if guessed else ""
    outcome = "not asked"
    if answer is not None:
        status = "no status" if answer.status is None else f"status {answer.status}"
        spent = f"{answer.seconds * 1000:.0f} ms, {answer.size} bytes"
        outcome = f"{answer.method} {answer.url}, {status}, {spent}"
    return f"{verdict:<6} {finding.key} ({mark}{outcome}): {finding.problem or 'shape recognised'}"
