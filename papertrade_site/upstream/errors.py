"""What can go wrong while reading a source.

::

    UpstreamError
    ├── UnreachableError     refused, DNS, TLS, 5xx, or the breaker is open
    │   └── UnavailableError     502, 503, 504, or no connection: a retry may cure it
    ├── SlowError            no whole answer within the time that was left
    ├── BusyError            429, or no free place to wait for an answer
    ├── MissingError         404: the venue has no such address
    ├── UnexpectedError      an answer that is not what the source promises, or is not plausible
    │   └── RefusedError         a 4xx other than 404 and 429: the source refuses the request itself
    └── BudgetSpentError     the call has used all the requests that it may make
        └── QuotaSpentError      all callers together have, for this minute

Every message is made of sentences of ours: what happened, and what would help where that is not just
to wait. Text that a source sent is never part of it. Foreign exceptions are turned into these in
``http.py`` and in the wire models only.
"""

from __future__ import annotations

from typing import Self


class UpstreamError(Exception):
    """A source could not be read.

    Attributes:
        what: a sentence that says what happened.
        source: the resource's name, such as ``exchange.trading``.
        advice: a sentence that says what to do, or empty when time alone may help.
        detail: where it happened, such as ``at levels.0.0.px``; for operators, and never part of the message.
        retry_after_s: seconds after which another try makes sense, or None when it is not known.
    """

    def __init__(
        self,
        what: str,
        *,
        source: str,
        advice: str = "",
        detail: str = "",
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(f"{what} {advice}" if advice else what)
        self.what = what
        self.source = source
        self.advice = advice
        self.detail = detail
        self.retry_after_s = retry_after_s

    def anew(self) -> Self:
        """The same error without its traceback and context, for whoever keeps it or raises it once more.

        Those hold on to every frame that it came through, and so to the answer that was being read.
        """
        return type(self)(
            self.what,
            source=self.source,
            advice=self.advice,
            detail=self.detail,
            retry_after_s=self.retry_after_s,
        )


class UnreachableError(UpstreamError):
    """The source did not answer, answered with a server error, or is being left alone for a while."""


class UnavailableError(UnreachableError):
    """Unreachable, but perhaps only for a moment: one more try may cure it."""


class SlowError(UpstreamError):
    """The source did not send a whole answer in time."""


class BusyError(UpstreamError):
    """The source, or our own room for waiting on it, takes no further request right now."""


class MissingError(UpstreamError):
    """The source has nothing at this address."""


class UnexpectedError(UpstreamError):
    """The source's answer is not of the promised shape or size, or holds an implausible figure."""


class RefusedError(UnexpectedError):
    """The source refused the request itself."""


class BudgetSpentError(UpstreamError):
    """The call may make no further upstream request."""


class QuotaSpentError(BudgetSpentError):
    """All callers together may make no further request of this kind in this minute."""
