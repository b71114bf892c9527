"""Making a kernel tool of a function that reads sources and returns figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn, TypeVar

from django.conf import settings
from pydantic import BaseModel, create_model

from papertrade_site.clock import iso
from papertrade_site.figures.wire import FreshnessBlock, Provenance, WireModel
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.limits.policy import ServerLimits
from papertrade_site.mcp.arguments import Fault
from papertrade_site.mcp.errors import ToolError, shown
from papertrade_site.mcp.tool import Answer, BadArgumentsError, Tool
from papertrade_site.upstream.errors import MissingError, UnexpectedError, UpstreamError
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.sources import Sources

Arguments = TypeVar("Arguments", bound=BaseModel)

SOON_S: Final = 3
"""What a caller is told to wait when the source names no time and may be back in a moment."""

LATER_S: Final = 60
"""The same when the source answered and the answer was of no use."""


def call_requests(limits: ServerLimits) -> int:
    """Upstream requests of an ordinary call."""
    return limits.call_requests


def book_requests(limits: ServerLimits) -> int:
    """Upstream requests of a call that reads the tracked wallets one by one."""
    return limits.book_call_requests


@dataclass(frozen=True, slots=True)
class Found:
    """What a tool found, without the fields that all results share, and a sentence that says it."""

    figures: WireModel
    summary: str


def reading_tool(
    find: Callable[[Arguments, Sources], Found],
    *,
    server: str,
    name: str,
    title: str,
    description: str,
    arguments: type[Arguments],
    figures: type[WireModel],
    preface: str = "",
    requests: Callable[[ServerLimits], int] = call_requests,
) -> Tool[Arguments]:
    """A tool that reads with sources of its own for each call and dates what it found.

    Args:
        find: does the work; may raise ``UpstreamError``, ``ToolError`` and ``BadArgumentsError``.
        server: the short name of the server whose limits hold.
        name: see ``Tool``, as for the texts.
        title: see ``Tool``.
        description: see ``Tool``.
        arguments: what ``find`` receives.
        figures: what ``find`` finds.
        preface: begins every error text of the tool.
        requests: how many upstream requests one call may make, by the limits in force.
    """
    result = create_model(f"{figures.__name__}Result", __base__=(figures, Provenance))

    def call(sent: Arguments) -> Answer:
        in_force = policy()
        sources = process_sources.for_call(requests=requests(in_force.servers[server]))
        try:
            found = find(sent, sources)
        except UpstreamError as error:
            raise ToolError(failure_text(error)) from error
        provenance = _provenance(sources)
        fields = dict(found.figures) | dict(provenance)
        unchanged = sources.unchanged()
        return Answer(
            result(**fields),
            _labelled(found.summary, provenance),
            is_current=lambda: policy() is in_force and unchanged(),
        )

    return Tool(
        name=name,
        title=title,
        description=description,
        arguments=arguments,
        result=result,
        call=call,
        preface=preface,
        requests=lambda: requests(limits_for(server)),
    )


def failure_text(error: UpstreamError) -> str:
    """What a caller is told about a source that could not be read: its own advice, else when to try again."""
    if error.advice:
        return str(error)
    is_of_no_use = isinstance(error, MissingError | UnexpectedError)
    wait_s = max(error.retry_after_s or SOON_S, LATER_S if is_of_no_use else 0)
    return f"{error.what} Try again in {wait_s} s."


def refuse(argument: str, value: object, problem: str) -> NoReturn:
    """Refuse one argument by a rule that its schema cannot state; ``problem`` goes on after "it".

    Raises:
        BadArgumentsError: always.
    """
    raise BadArgumentsError([Fault(argument, shown(value), problem)])


def _provenance(sources: Sources) -> Provenance:
    return Provenance(
        generated_at=iso(sources.clock.now_ms()),
        data_source=settings.PAPERTRADE_SOURCE,
        freshness=FreshnessBlock.model_validate(sources.freshness().json()),
    )


def _labelled(summary: str, provenance: Provenance) -> str:
    """The summary with what a reader of it alone has to know about the figures."""
    if provenance.freshness.degraded:
        summary += " Some inputs are old or missing; see freshness."
    return f"{summary} Simulated data." if provenance.data_source == "simulated" else summary
