"""What the pages of concepts and of reference are made with: what tools find now, and worked examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import template
from django.conf import settings
from django.template import Context

from papertrade_site.clock import iso
from papertrade_site.docs import answers
from papertrade_site.docs.faults import ERROR_KINDS, ErrorKind
from papertrade_site.docs.markdown import fence
from papertrade_site.docs.pictures.results import process_results
from papertrade_site.docs.samples import first_call, sample_arguments
from papertrade_site.docs.snippets import Value
from papertrade_site.docs.worked import busts, ladders, mints, wins
from papertrade_site.docs.worked.figures import ENTRY_USD, LEVERAGE, MARGIN_USD
from papertrade_site.figures import text
from papertrade_site.figures.names import NAME_LENGTH
from papertrade_site.figures.venue import WinFee, win_fee
from papertrade_site.figures.wire import Provenance, wire_name
from papertrade_site.limits.client import IPV6_PREFIX
from papertrade_site.limits.in_force import policy
from papertrade_site.market.clusters import BRIDGED_EMPTY_BUCKETS
from papertrade_site.market.emission import Curve
from papertrade_site.market.instrument import Instrument
from papertrade_site.market.settlement import DEADBAND_DIVISOR, IMPACT_POSITION_SCALE
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import Tool
from papertrade_site.upstream.errors import UpstreamError
from papertrade_site.upstream.lifetimes import lifetime_of
from papertrade_site.upstream.process import process_sources
from papertrade_site.upstream.sources import Sources

register = template.Library()

register.simple_tag(busts.danger_rows)
register.simple_tag(ladders.cascade_steps)
register.simple_tag(ladders.cluster_rows)
register.simple_tag(busts.bust_steps)
register.simple_tag(busts.bust_rows)
register.simple_tag(mints.rate_rows)
register.simple_tag(mints.mint_rows)
register.simple_tag(mints.mint_terms)
register.filter(text.number)


@dataclass(frozen=True, slots=True)
class Terms:
    """A market as it is now, and the fee on wins; ``as_of`` is the time of the oldest of both."""

    market: Instrument
    fee: WinFee
    as_of: str


@dataclass(frozen=True, slots=True)
class Mint:
    """The mint curve of PAPER and where it stands, at a time."""

    curve: Curve
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What never depends on the moment: rules of the site and of the venue, and inputs of worked examples.

    Attributes:
        repository: the address of the site's source, where one is named.
        deadband_divisor: what the entry price is divided by for the deadband.
        deadband_bps: the same in basis points of the entry.
        impact_scale: what a market's position multiplier is multiplied by.
        bridged_buckets: empty buckets in a row that do not end a cluster.
        entry: of the long of the examples, whose margin and leverage follow.
        loss: of the example of what losing mints.
    """

    pages_per_window: int
    named_wallets: int
    ipv6_prefix: int
    name_length: int
    allowed_headers: tuple[str, ...]
    exposed_headers: tuple[str, ...]
    repository: str | None
    deadband_divisor: int
    deadband_bps: str
    impact_scale: int
    bridged_buckets: int
    entry: str
    margin: str
    leverage: str
    loss: str


@register.simple_tag
def terms(symbol: str) -> Terms | None:
    """The terms of a market at this moment; None when they cannot be read."""
    sources = process_sources.for_call()
    try:
        trading = sources.trading()
    except UpstreamError:
        return None
    market = trading.market(symbol)
    return None if market is None else Terms(market, win_fee(sources, trading), _as_of(sources))


@register.simple_tag
def tick(market: Instrument) -> str:
    """The smallest step of a market's price, in dollars."""
    return text.dollars(market.price_usd(1))


@register.simple_tag
def curve() -> Mint | None:
    """The mint curve of PAPER and where it stands at this moment; None when it cannot be read."""
    sources = process_sources.for_call()
    try:
        return Mint(sources.summary().paper.curve, _as_of(sources))
    except UpstreamError:
        return None


def _as_of(sources: Sources) -> str:
    """The time of the oldest figure that was read of the sources."""
    return iso(sources.freshness().as_of_ms)


@register.simple_tag
def win_row(of: Terms) -> wins.WinRow:
    """What a long keeps of the move of the worked example."""
    return wins.win_row(of.market, of.fee)


@register.simple_tag
def win_rows(of: Terms) -> tuple[wins.WinRow, ...]:
    """What a long keeps of small and of large moves."""
    return wins.win_rows(of.market, of.fee)


@register.simple_tag(takes_context=True)
def finds(context: Context, tool: str, **arguments: Value) -> Mapping[str, Any] | None:
    """The figures that a tool of the page's server finds now; None when it cannot."""
    try:
        return process_results.of(context["server"].tools_by_name[tool], arguments).figures
    except ToolError:
        return None


@register.simple_tag(takes_context=True)
def answered(context: Context, tool: str, **arguments: Value) -> str:
    """A call of a tool as it is sent, and what the server answers, as two blocks of code."""
    return _exchange(context, tool, arguments)


@register.simple_tag(takes_context=True)
def refused(context: Context, tool: Tool[Any]) -> str:
    """A call whose arguments are wrong, and what the server answers, as two blocks of code."""
    return _exchange(context, tool.name, answers.wrong_arguments(tool))


def _exchange(context: Context, tool: str, arguments: Mapping[str, Value]) -> str:
    sent = answers.request(tool, arguments)
    answer = answers.answer(context["server"], sent)
    return f"{_json(sent)}\n\nThe answer:\n\n{_json(answer)}"


@register.simple_tag(takes_context=True)
def dated(context: Context) -> str:
    """The fields by which a result of the server's first tool says how old it is, as a block of code."""
    tool = context["server"].tools[0]
    try:
        figures = process_results.of(tool, sample_arguments(tool.name)).figures
    except ToolError as error:
        return fence(str(error))
    return _json({name: figures[name] for name in map(wire_name, Provenance.model_fields)})


def _json(value: object) -> str:
    return fence(json.dumps(value, indent=2, ensure_ascii=False), "json")


@dataclass(frozen=True, slots=True)
class Read:
    """A source that a result was made from, and how long its copy lasts, in whole seconds."""

    name: str
    fresh_seconds: str
    stale_seconds: str


@register.simple_tag(takes_context=True)
def reads(context: Context, tool: Tool[Any]) -> list[Read]:
    """What the tool's first call reads; none while it cannot be made."""
    try:
        figures = process_results.of(tool, first_call(tool, context["some_trader"])).figures
    except ToolError:
        return []
    names = [row["name"] for row in figures["freshness"]["sources"]]
    found = ((name, lifetime_of(name)) for name in names)
    return [Read(name, f"{lifetime.fresh_s:.0f}", f"{lifetime.stale_s:.0f}") for name, lifetime in found]


@register.simple_tag
def error_kinds() -> tuple[ErrorKind, ...]:
    """Every JSON-RPC error, and what to do about it."""
    return ERROR_KINDS


@register.simple_tag
def rules() -> Rules:
    """What holds for every page."""
    return Rules(
        pages_per_window=policy().pages_per_minute,
        named_wallets=policy().named_wallets_per_minute,
        ipv6_prefix=IPV6_PREFIX,
        name_length=NAME_LENGTH,
        allowed_headers=tuple(settings.CORS_ALLOW_HEADERS),
        exposed_headers=tuple(settings.CORS_EXPOSE_HEADERS),
        repository=settings.REPOSITORY_URL,
        deadband_divisor=DEADBAND_DIVISOR,
        deadband_bps=text.number(10_000 / DEADBAND_DIVISOR),
        impact_scale=IMPACT_POSITION_SCALE,
        bridged_buckets=BRIDGED_EMPTY_BUCKETS,
        entry=text.dollars(ENTRY_USD),
        margin=text.dollars(MARGIN_USD),
        leverage=f"{LEVERAGE}x",
        loss=text.dollars(mints.LOSS_USD),
    )


@register.filter
def percent_or_unknown(share: float | None) -> str:
    """A share of one in percent, to two decimals."""
    return "unknown" if share is None else f"{text.number(round(share * 100, 2))} %"


@register.filter
def dollars_or_unknown(amount: float | None) -> str:
    """Whole dollars."""
    return "unknown" if amount is None else text.dollars(round(amount))
