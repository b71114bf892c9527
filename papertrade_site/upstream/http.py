"""The one place that speaks HTTP to the outside, and the only importer of httpx.

What comes back is decoded JSON and nothing else; every foreign exception ends here as one of
``errors.py``. Nothing runs past the deadline of the call, whatever the host does, but for one thing:
looking up a host's name is left to the operating system, which takes no deadline.
"""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from random import SystemRandom

import httpcore
import httpx

from papertrade_site.clock import Clock
from papertrade_site.env_values import MAX_PORT
from papertrade_site.strict_json import Json, StrictJsonError
from papertrade_site.upstream.bodies import (
    MAX_BODY_BYTES,
    MAX_EVENT_BYTES,
    bounded,
    first_event_of,
    json_of,
)
from papertrade_site.upstream.breaker import BreakerState
from papertrade_site.upstream.budget import CallBudget
from papertrade_site.upstream.deadline import DeadlineBackend, TooLargeError, allowance_of
from papertrade_site.upstream.errors import UnavailableError, UpstreamError
from papertrade_site.upstream.gate import SLOTS, Gate
from papertrade_site.upstream.refusals import (
    Hindrance,
    broken_off,
    hindrance_of,
    misaddressed,
    refusal,
    slow,
    unconnected,
    unexpected,
    unfit,
)

USER_AGENT = "papertrade-mcp/0.1 (read-only)"

CONNECT_SECONDS = 3.0
READ_SECONDS = 8.0

KEEPALIVE_SECONDS = 4.0
"""Below the idle time of common servers, so that they rarely close a connection under our hands."""

RETRY_PAUSE_SECONDS = (0.2, 0.4)

_TIMEOUT = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
_JSON = "application/json"
_EVENTS = "text/event-stream"
_SCHEMES = frozenset({"http", "https"})

_Read = Callable[[Iterator[bytes]], Json]

_random = SystemRandom()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one request that was sent came to.

    Attributes:
        source: what it was asked for.
        status: None when no answer came.
        size: bytes of the body that came; of a refused answer none are taken in, unless asked for.
        error: why the answer is of no use; None when it is of use.
    """

    source: str
    method: str
    url: str
    status: int | None
    size: int
    seconds: float
    error: UpstreamError | None


def _nobody(_: Answer) -> None:
    """Is told, and does nothing."""


class HttpClient:
    """Asks one host for JSON; thread-safe, with its own connections, places and breaker.

    ``expect_simulated`` says whether every answer must, or must not, come from the embedded exchange;
    ``on_answer`` is told what each request that was sent came to, and ``takes_in_refused`` has the body of a
    refused answer taken in too, for its size.

    Attributes:
        base_url: where the host is, without a slash at its end.
        clock: for requests that say what time it is.
    """

    def __init__(
        self,
        *,
        base_url: str,
        clock: Clock,
        expect_simulated: bool,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        on_answer: Callable[[Answer], None] = _nobody,
        takes_in_refused: bool = False,
    ) -> None:
        self.clock = clock
        self.base_url = base_url.rstrip("/")
        self._expect_simulated = expect_simulated
        self._sleep = sleep
        self._on_answer = on_answer
        self._takes_in_refused = takes_in_refused
        self._gate = Gate(clock)
        self._client = httpx.Client(
            transport=transport or _DeadlineTransport(),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
            timeout=_TIMEOUT,
            follow_redirects=False,
            trust_env=False,
        )

    @property
    def breaker(self) -> BreakerState:
        """Whether requests to the host are let through now."""
        return self._gate.breaker

    def get_json(
        self,
        path: str,
        *,
        params: Sequence[tuple[str, str]] = (),
        source: str,
        budget: CallBudget,
        max_bytes: int = MAX_BODY_BYTES,
    ) -> Json:
        """The JSON document at a path, of at most so many bytes.

        Raises:
            UpstreamError: when there is none within the budget; ``errors.py`` says which kind means what.
        """
        request = self._request("GET", path=path, accept=_JSON, source=source, params=params)
        return self._ask(request, read=json_of, max_bytes=max_bytes, source=source, budget=budget)

    def post_json(self, path: str, body: Json, *, source: str, budget: CallBudget) -> Json:
        """The JSON document that a path answers to a JSON body; the request must be safe to repeat.

        Raises:
            UpstreamError: see ``get_json``.
        """
        request = self._request("POST", path=path, accept=_JSON, source=source, body=body)
        return self._ask(request, read=json_of, max_bytes=MAX_BODY_BYTES, source=source, budget=budget)

    def first_event(
        self,
        path: str,
        *,
        params: Sequence[tuple[str, str]] = (),
        event: str,
        source: str,
        budget: CallBudget,
    ) -> Json:
        """The data of a stream's first event of the given name; then the stream is hung up on.

        Raises:
            UpstreamError: see ``get_json``.
        """
        request = self._request("GET", path=path, accept=_EVENTS, source=source, params=params)
        read = partial(first_event_of, name=event)
        return self._ask(request, read=read, max_bytes=MAX_EVENT_BYTES, source=source, budget=budget)

    def close(self) -> None:
        """Close all connections; the client cannot be used afterwards."""
        self._client.close()

    def _request(
        self,
        method: str,
        *,
        path: str,
        accept: str,
        source: str,
        params: Sequence[tuple[str, str]] = (),
        body: Json = None,
    ) -> httpx.Request:
        return self._client.build_request(
            method,
            _address(self.base_url + path, source),
            params=list(params) or None,
            json=body,
            headers={"Accept": accept},
        )

    def _ask(
        self,
        request: httpx.Request,
        *,
        read: _Read,
        max_bytes: int,
        source: str,
        budget: CallBudget,
    ) -> Json:
        try:
            return self._attempt(request, read=read, max_bytes=max_bytes, source=source, budget=budget)
        except UnavailableError as error:
            if not self._pause_before_retry(error, budget):
                raise
        return self._attempt(request, read=read, max_bytes=max_bytes, source=source, budget=budget)

    def _pause_before_retry(self, error: UnavailableError, budget: CallBudget) -> bool:
        pause_s = max(_random.uniform(*RETRY_PAUSE_SECONDS), error.retry_after_s or 0)
        if pause_s >= budget.seconds_left or not budget.spare_request():
            return False
        self._sleep(pause_s)
        return True

    def _attempt(
        self,
        request: httpx.Request,
        *,
        read: _Read,
        max_bytes: int,
        source: str,
        budget: CallBudget,
    ) -> Json:
        if budget.seconds_left <= 0:
            raise slow(source)
        with (
            self._gate.turn(source, budget),
            self._watched(request, source) as watch,
            allowance_of(budget) as allowance,
            _foreign_errors(source, budget),
            closing(self._client.send(request, stream=True)) as response,
        ):
            watch.response = response
            pieces = bounded(response.iter_bytes(), allowance, max_bytes=max_bytes)
            error = self._refusal(response, accept=request.headers["Accept"], source=source)
            if error is None:
                return read(pieces)
            if self._takes_in_refused:
                response.headers.pop("Content-Encoding", None)  # to be counted as it comes, not unpacked
                _take_in(pieces, source, budget)
            raise error

    @contextmanager
    def _watched(self, request: httpx.Request, source: str) -> Iterator[_Watch]:
        watch = _Watch()
        began = self.clock.monotonic()

        def tell(error: UpstreamError | None) -> None:
            seconds = self.clock.monotonic() - began
            self._on_answer(
                Answer(
                    source=source,
                    method=request.method,
                    url=str(request.url),
                    status=watch.status,
                    size=watch.size,
                    seconds=seconds,
                    error=error,
                )
            )

        try:
            yield watch
        except UpstreamError as error:
            # as text, for a record that keeps the error would keep what was being read
            _log.warning("%s: %s: %s (status %s)", source, type(error).__name__, str(error), watch.status)
            tell(error)
            raise
        tell(None)

    def _refusal(self, response: httpx.Response, *, accept: str, source: str) -> UpstreamError | None:
        """Why the answer cannot be used, by its status and headers; None when it can."""
        retry_after = response.headers.get("Retry-After", "")
        by_status = refusal(
            response.status_code, retry_after=retry_after, source=source, now_ms=self.clock.now_ms()
        )
        return by_status or unfit(
            response.headers, accept=accept, expect_simulated=self._expect_simulated, source=source
        )


class _Watch:
    """The answer to a request under way, once there is one."""

    response: httpx.Response | None = None

    @property
    def status(self) -> int | None:
        return self.response.status_code if self.response is not None else None

    @property
    def size(self) -> int:
        return self.response.num_bytes_downloaded if self.response is not None else 0


def _address(text: str, source: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
        sound = url.scheme in _SCHEMES and url.host != "" and (url.port or 0) <= MAX_PORT
    except (httpx.InvalidURL, ValueError):
        sound = False
    if not sound:
        raise misaddressed(source)
    return url


def _take_in(pieces: Iterator[bytes], source: str, budget: CallBudget) -> None:
    """Receive the body of an answer that is of no use, for its size alone."""
    with suppress(UpstreamError), _foreign_errors(source, budget):
        for _ in pieces:
            pass


@contextmanager
def _foreign_errors(source: str, budget: CallBudget) -> Iterator[None]:
    """Turn what httpx, httpcore and the decoder raise into errors of ours."""
    try:
        yield
    except (httpx.ConnectTimeout, httpcore.ConnectTimeout):
        raise slow(source) if budget.seconds_left <= 0 else unconnected(source, Hindrance.TIME) from None
    except (httpx.ConnectError, httpcore.ConnectError) as error:
        raise unconnected(source, hindrance_of(error)) from None
    except (httpx.TimeoutException, httpcore.TimeoutException):
        raise slow(source) from None
    except (httpx.TransportError, httpcore.NetworkError, httpcore.ProtocolError):
        raise broken_off(source) from None
    except TooLargeError:
        raise unexpected(source, "is larger than any that is known") from None
    except StrictJsonError:
        raise unexpected(source, "is not complete, valid JSON") from None


@cache
def _tls() -> ssl.SSLContext:
    """How all clients check a host's certificate; reading the list of authorities takes a while."""
    return httpx.create_ssl_context(trust_env=False)


class _DeadlineTransport(httpx.BaseTransport):
    """httpx's way to the network, over connections that obey the call's deadline."""

    def __init__(self) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls(),
            max_connections=SLOTS,
            max_keepalive_connections=SLOTS,
            keepalive_expiry=KEEPALIVE_SECONDS,
            network_backend=DeadlineBackend(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=str(request.url),
                headers=request.headers.raw,
                content=request.read(),
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_PoolStream(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _PoolStream(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()
