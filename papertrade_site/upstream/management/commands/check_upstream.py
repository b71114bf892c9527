"""``manage.py check_upstream``: ask every address of the configured source and say what came back."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from papertrade_site.clock import SystemClock
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.upstream import exchange, hyperevm
from papertrade_site.upstream.probe import ASSUMED_MARKETS, Finding, ask, documented, guessed, of_markets
from papertrade_site.upstream.resource import Resource, Value

NO_WALLET = "0x" + "0" * 40
"""Asked for when the leaderboard names nobody: any wallet has a stream."""

AT_ONCE = 6
"""Addresses that are asked at a time, so that a source that hangs does not take minutes."""

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
        self._clock = SystemClock()
        self.stdout.write(COLUMNS.format("STATE", "PATH", "STATUS", "MS", "BYTES", "REQUEST", "VERDICT"))
        with _silenced("papertrade_site.upstream"):
            self._ask_all()
        if self._failed:
            raise CommandError(f"Documented addresses that failed: {self._failed}.")

    def _ask_all(self) -> None:
        trading = self._ask(exchange.trading())
        leaders = self._ask(exchange.leaderboard(Window.ALL, SortKey.OPEN_NOTIONAL, page=0, page_size=44))
        wallet = leaders.accounts[0].address if leaders is not None and leaders.accounts else NO_WALLET
        markets = trading.instruments if trading is not None else ()
        if not markets:
            markets = ASSUMED_MARKETS
            self.stdout.write(_assumption(markets))
        known = [*documented(), exchange.wallet(wallet), *of_markets(markets), hyperevm.paper()]
        guesses = guessed(
            markets,
            liquidation_map_path=settings.LIQUIDATION_MAP_PATH,
            best_positions_path=settings.BEST_POSITIONS_PATH,
        )
        with ThreadPoolExecutor(AT_ONCE) as pool:
            known_found, guesses_found = (
                pool.map(ask, resources, repeat(self._clock)) for resources in (known, guesses)
            )
            for finding in known_found:
                self._report(finding)
            for finding in guesses_found:
                self._report(finding, guessed=True)

    def _ask(self, resource: Resource[Value]) -> Value | None:
        finding = ask(resource, self._clock)
        self._report(finding)
        return finding.value

    def _report(self, finding: Finding[Any], *, guessed: bool = False) -> None:
        if finding.problem is not None and not guessed:
            self._failed += 1
        self.stdout.write(_line(finding, guessed=guessed))


@contextmanager
def _silenced(name: str) -> Iterator[None]:
    """Keep warnings out of the table, which says the same and more."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _assumption(markets: Iterable[Instrument]) -> str:
    each = ", ".join(
        f"{market.symbol} (id {market.id}, price scale {market.price_scale})" for market in markets
    )
    return f"No markets are known from exchange.trading, so these are assumed: {each}."


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
