"""Which requests nginx, configured as shipped, hands to another machine when one does not answer."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from tests.faults.proxy import PATIENCE_S, post, running_proxy
from tests.protocol.framing import PING

ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
ENDPOINT: Final = "/analytics/mcp"
FORM: Final = "/admin/limits/serverrules/1/change/"
REQUESTS: Final = 20
HELD_UP_S: Final = 1.9
"""Below the 2 s that the file gives a connection."""

MOST_HELD_UP: Final = 4
"""As many as the file's ``max_fails``, and one for the time when the machine is tried again."""


class ScriptedMachine:
    """Takes requests one at a time, and gives each the same answer, or hangs up without one.

    Attributes:
        asked: how many requests came whole.
    """

    def __init__(self, answer: bytes) -> None:
        self.asked = 0
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE_S)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                while not connection.recv(65_536).endswith(PING):
                    pass
                self.asked += 1
                connection.sendall(self._answer)


@contextmanager
def _unreachable() -> Iterator[int]:
    """The port of a machine that answers no packet: its queue is full, and nobody empties it."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = listener.getsockname()
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(address)
        yield int(address[1])


def _seconds(port: int, path: str) -> float:
    """How long a request takes that is answered."""
    began = time.monotonic()
    assert post(port, PING, client="127.1.0.30", path=path).status == 200
    return time.monotonic() - began


@pytest.mark.parametrize(("path", "asked"), [(ENDPOINT, 2), (FORM, 1)])
def test_a_call_whose_answer_is_lost_is_sent_to_one_more_machine_and_an_operator_s_form_to_none(
    tmp_path: Path, path: str, asked: int
) -> None:
    with (
        closing(ScriptedMachine(b"")) as first,
        closing(ScriptedMachine(b"")) as second,
        running_proxy(tmp_path, first.port, second.port) as port,
    ):
        assert post(port, PING, client="127.1.0.30", path=path).status == 502
        assert first.asked + second.asked == asked


@pytest.mark.slow
def test_a_machine_that_cannot_be_reached_holds_up_few_requests_and_fails_none(tmp_path: Path) -> None:
    with (
        _unreachable() as nobody,
        closing(ScriptedMachine(ANSWER)) as machine,
        running_proxy(tmp_path, nobody, machine.port) as port,
    ):
        took = [_seconds(port, path) for path in [ENDPOINT, FORM] * (REQUESTS // 2)]
        assert sum(seconds > HELD_UP_S for seconds in took) <= MOST_HELD_UP
