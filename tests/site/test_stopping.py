"""Processes that are asked to stop at the worst of moments."""

from __future__ import annotations

import signal
import sys
from typing import Final

import pytest

from tests.running import newcomers_environ, running

DEAF_MAIN_THREAD: Final = """
import os, signal
from threading import Event, Thread
from papertrade_site.stopping import stop_on_signals

Thread(target=Event().wait, daemon=True).start()
stop = stop_on_signals()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.Signals(NUMBER)])
print("up", flush=True)
stop.wait()
print("asked to stop")
"""
"""Its signals are given to another of its threads while the main one waits, as it may happen by chance."""

AT_THE_EVENTS_LOCK: Final = """
import os
from papertrade_site.stopping import stop_on_signals

stop = stop_on_signals()
print("up", flush=True)
with stop._cond:
    os.kill(os.getpid(), NUMBER)
stop.wait()
print("asked to stop")
"""
"""It gets a signal in the middle of beginning to wait, where it holds the event's own lock."""


REQUESTS: Final = pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name
)


@REQUESTS
def test_a_process_learns_of_a_request_that_another_thread_was_given(number: signal.Signals) -> None:
    with running(_command(DEAF_MAIN_THREAD, number), newcomers_environ()) as process:
        assert process.out.line() == "up"
        assert process.ask_to_end(number) == 0
        assert process.out.rest() == "asked to stop\n"


@REQUESTS
def test_a_process_learns_of_a_request_that_comes_while_it_begins_to_wait(number: signal.Signals) -> None:
    with running(_command(AT_THE_EVENTS_LOCK, number), newcomers_environ()) as process:
        assert process.out.rest() == "up\nasked to stop\n"
        assert process.process.wait() == 0


def _command(program: str, number: signal.Signals) -> list[str]:
    return [sys.executable, "-c", program.replace("NUMBER", str(number.value))]
