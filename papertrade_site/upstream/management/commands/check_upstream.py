"""``manage.py check_upstream``: ask every address of the configured source and say what came back."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from papertrade_site.clock import SystemClock
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.upstream import exchange, hyperevm
from papertrade_site.upstream.probe import Finding, Prober, documented, guessed, of_market
from papertrade_site.upstream.resource import Resource, Value

NO_WALLET = "0x" + "0" * 40
"""Asked for when the leaderboard names nobody: any wallet has a stream."""

COLUMNS = "{:<6}  {:<5}  {:>6}  {:>5}  {:>7}  {:<72}  {}"
"""Widths for a wide terminal; the few addresses with a long query push their own verdict to the right."""


class Command(BaseCommand):
    """Print one line for each address; fail when a documented one does not answer as it should."""

    help = "Asks every address of the configured source; the two guessed paths are marked and may fail."

    def handle(self, **_: object) -> None:
        """Ask, print, and count the failures.

        Raises:
            CommandError: when a documented address failed.
        """
        self._failed = 0
        self.stdout.write(COLUMNS.format("STATE", "PATH", "STATUS", "MS", "BYTES", "REQUEST", "VERDICT"))
        self._prober = Prober(SystemClock())
        with closing(self._prober):
            self._ask_all()
        if self._failed:
            raise CommandError(f"Documented addresses that failed: {self._failed}.")

    def _ask_all(self) -> None:
        trading = self._ask(exchange.trading())
        for resource in documented():
            self._ask(resource)
        leaders = self._ask(exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=44))
        wallet = leaders.accounts[0].address if leaders is not None and leaders.accounts else NO_WALLET
        self._ask(exchange.wallet(wallet))
        markets = () if trading is None else trading.instruments
        for market in markets:
            for of_one in of_market(market.symbol):
                self._ask(of_one)
        self._ask(hyperevm.paper())
        for guess in guessed(
            markets,
            liquidation_map_path=settings.LIQUIDATION_MAP_PATH,
            best_positions_path=settings.BEST_POSITIONS_PATH,
        ):
            self._ask(guess, guessed=True)

    def _ask(self, resource: Resource[Value], *, guessed: bool = False) -> Value | None:
        finding = self._prober.ask(resource)
        if finding.problem is not None and not guessed:
            self._failed += 1
        self.stdout.write(_line(finding, guessed=guessed))
        return finding.value


def _line(finding: Finding[Any], *, guessed: bool) -> str:
    answer = finding.answer
    state = "ok" if finding.problem is None else "FAILED"
    path = "guess" if guessed else "known"
    verdict = finding.problem or "shape recognised"
    subject = finding.key.partition(":")[2]
    if answer is None:
        return COLUMNS.format(state, path, "-", "-", "-", f"not asked for {subject}", verdict)
    request = f"{answer.method} {answer.url}"
    if answer.method == "POST":  # many share an address, and tell what they want in their body
        request += f" {subject}"
    ms = round(answer.seconds * 1000)
    return COLUMNS.format(state, path, answer.status or "-", ms, answer.size, request, verdict)
