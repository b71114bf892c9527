"""Connections that end with the call they serve, and bounds on what one answer may cost to take in.

httpx takes time-outs for each operation, and a drip of bytes meets every one of them. So each operation
on a socket is cut to what is left of the call here. Likewise the size of an answer says little about
the work that it makes: endless interim answers, or a megabyte in pieces of one byte, cost seconds of
computing. So bytes and steps are counted.

Whose call that is cannot be handed over when a connection is opened: the pool keeps connections and
gives them to later calls, of any thread. It is read from a context variable instead, at every operation.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ssl import SSLContext

import httpcore

from papertrade_site.upstream.budget import CallBudget

MAX_HEAD_BYTES = 256_000
"""The most that is received before an answer's head is whole, interim answers included."""

MAX_STEPS = 10_000
"""The most times that something of one answer is received or handed on; common servers stay below 3,000."""


class TooLargeError(Exception):
    """An answer has passed what it may take."""


class Allowance:
    """What one answer may still take of its call's time, of bytes as they are received, and of steps."""

    def __init__(self, budget: CallBudget) -> None:
        self._budget = budget
        self._steps_left = MAX_STEPS
        self.bytes_left = MAX_HEAD_BYTES

    @property
    def seconds_left(self) -> float:
        """Seconds until the call must end."""
        return self._budget.seconds_left

    def take(self, size: int = 0) -> None:
        """Count one step, and the bytes that were received by it.

        Raises:
            TooLargeError: when that is more than is left.
        """
        self._steps_left -= 1
        self.bytes_left -= size
        if self._steps_left < 0 or self.bytes_left < 0:
            raise TooLargeError


_allowance_of_call: ContextVar[Allowance] = ContextVar("allowance_of_call")


@contextmanager
def allowance_of(budget: CallBudget) -> Iterator[Allowance]:
    """Bound all that the block does on connections of a ``DeadlineBackend``, to take in one answer."""
    allowance = Allowance(budget)
    token = _allowance_of_call.set(allowance)
    try:
        yield allowance
    finally:
        _allowance_of_call.reset(token)


class DeadlineBackend(httpcore.SyncBackend):
    """Opens connections within the call's time, one address of the host after the other."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that takes the connection.

        Raises:
            ConnectError: when none does.
            ConnectTimeout: when the last one does not answer, or the call's time is over.
        """
        failure: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectError()
        for address in _addresses(host, port):
            seconds = _bounded(timeout, httpcore.ConnectTimeout)
            try:
                stream = super().connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _DeadlineStream(stream)
        raise failure


class _DeadlineStream(httpcore.NetworkStream):
    """A connection whose every read and write ends with the call, so that a drip cannot stretch it.

    A write is bounded as well as a read because all that is ever sent fits the socket's buffer.
    """

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, _bounded(timeout, httpcore.ReadTimeout))
        _allowance_of_call.get().take(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _bounded(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            seconds = _bounded(timeout, httpcore.ConnectTimeout)
        except httpcore.ConnectTimeout:
            self.close()
            raise
        return _DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, seconds))

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _bounded(seconds: float | None, too_late: type[httpcore.TimeoutException]) -> float:
    """A socket operation's time-out, cut to what is left of the call that it serves."""
    left = _allowance_of_call.get().seconds_left
    if left <= 0:
        raise too_late
    return left if seconds is None else min(seconds, left)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpcore.ConnectError from None
    return [str(address[0]) for *_, address in found]
