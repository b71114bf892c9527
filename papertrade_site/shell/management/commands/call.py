"""``manage.py call``: call any tool of either server from the shell, and show what it says."""

from __future__ import annotations

import json
import logging
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from shutil import get_terminal_size
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.management.color import supports_color

from papertrade_site.env import Environment
from papertrade_site.limits.refresh import refresh
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool
from papertrade_site.ops.runner import answers_ok
from papertrade_site.servers import SERVERS
from papertrade_site.shell.call import (
    UsageError,
    arguments_of,
    call,
    manual,
    page,
    server_list,
    server_named,
    tool_named,
)
from papertrade_site.shell.terminal import Terminal, visible
from papertrade_site.upstream.process import process_sources

OWN_OPTIONS: Final = frozenset({"--json", "--about"})

UNKNOWN_SIZE: Final = (120, 24)
"""Of a terminal that is none, such as a file."""


class Command(BaseCommand):
    """Print what a tool finds for a person, or its JSON; without a tool, what there is to call."""

    help = "Calls a tool of a server: call liquidations get_wallet_distance_to_bust wallet=0x…"

    def run_from_argv(self, argv: list[str]) -> None:
        """Run as typed, but take the own options between words too, where argparse would not."""
        own = [word for word in argv if word in OWN_OPTIONS]
        super().run_from_argv([*(word for word in argv if word not in OWN_OPTIONS), *own])

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take a server, one of its tools, and the tool's arguments."""
        parser.add_argument(
            "server", nargs="?", help="liquidations or analytics; without one, lists all tools"
        )
        parser.add_argument("tool", nargs="?", help="without one, lists the server's tools")
        parser.add_argument("arguments", nargs="*", metavar="name=value", help="the tool's arguments")
        parser.add_argument("--json", action="store_true", help="print the result's JSON and nothing else")
        parser.add_argument(
            "--about", action="store_true", help="tell what the tool is for and what it takes"
        )

    def handle(self, *, server: str | None, tool: str | None, arguments: list[str], **options: bool) -> None:
        """List, explain or call.

        Raises:
            CommandError: when what was typed cannot be a call; the exit status is then 2.
            SystemExit: with status 1 when the tool fails, after its text.
        """
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        terminal = Terminal(get_terminal_size(UNKNOWN_SIZE).columns, coloured=_wants_colour(options))
        try:
            servers = [server_named(name) for name in ([server] if server else SERVERS)]
            if tool is None:
                self._print([*server_list(servers, terminal), "Add a tool's name and --about to learn more."])
                return
            chosen = tool_named(servers[0], tool)
            if options["about"]:
                self._print(manual(chosen, terminal))
            else:
                self._call(servers[0], chosen, arguments, None if options["json"] else terminal)
        except UsageError as error:
            raise CommandError(str(error), returncode=2) from error

    def _call(self, server: Server, tool: Tool[Any], words: list[str], terminal: Terminal | None) -> None:
        try:
            with _without_warnings():
                refresh()
                outcome = call(server, tool, arguments_of(words, tool.input_schema))
        finally:
            process_sources.close()
        if outcome.result is None:
            advice = [] if outcome.is_refusal else _advice(settings.ENVIRONMENT)
            self.stderr.write("\n".join([visible(outcome.text), *advice]))
            raise SystemExit(1)
        self._print(
            [json.dumps(outcome.result, indent=2)] if terminal is None else page(tool, outcome, terminal)
        )

    def _print(self, lines: Iterable[str]) -> None:
        self.stdout.write("\n".join(lines))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keep from standard error what the outcome tells anyway: which sources failed, and why."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _wants_colour(options: dict[str, bool]) -> bool:
    if options["no_color"] or os.environ.get("NO_COLOR"):
        return False
    return options["force_color"] or supports_color()


def _advice(environment: Environment) -> list[str]:
    """What to do when the reason is that the embedded exchange does not run."""
    port = environment.embedded_exchange_port
    if not environment.runs_exchange or answers_ok(port, "/relayer/health"):
        return []
    return [f"Nothing answers on port {port}: `make run` starts the embedded exchange. PORT=… names another."]
