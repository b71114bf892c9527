"""What applies to an address at each server, by which rule, and why: the gate's own judgement, explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django import forms
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse

from papertrade_site.clock import SystemClock, utc_text
from papertrade_site.dashboard.set_numbers import SetNumbers
from papertrade_site.docs.words import counted
from papertrade_site.limits.applied import Applied, applied, because
from papertrade_site.limits.bounds import BURST_S, PAGES_PER_MINUTE, SERVER_BOUNDS
from papertrade_site.limits.client import Address, block_of, client_at, read_address
from papertrade_site.limits.in_force import policy
from papertrade_site.limits.networks import NetworkRule
from papertrade_site.limits.policy import DEFAULTS, Policy
from papertrade_site.limits.refresh import read_policy
from papertrade_site.limits.switches import tool_off
from papertrade_site.servers import SERVERS

VIEW_PERMISSION: Final = "limits.view_serverrules"
LONGEST_ADDRESS: Final = 60
DEFAULT: Final = "the default"
SET: Final = "set for the server"

_clock: Final = SystemClock()


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit as it applies: what it is about, its value in words, and where that comes from."""

    label: str
    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for a network that holds the address, and what becomes of it."""

    network: str
    says: str
    ends: str
    verdict: str
    is_in_force: bool


@dataclass(frozen=True, slots=True)
class AtServer:
    """What applies at one server.

    Attributes:
        title: of the server.
        blocked: what the client is told, when nothing else is answered.
        closed: the operator's message, when the server is off.
        limits: each limit.
        rules: every rule for the address, the one that counts first.
        tools_off: what callers of each tool are told that is off by itself.
    """

    title: str
    blocked: str | None
    closed: str | None
    limits: tuple[Limit, ...]
    rules: tuple[Rule, ...]
    tools_off: tuple[str, ...]


class AddressForm(forms.Form):
    """The address that is asked about."""

    address = forms.CharField(
        max_length=LONGEST_ADDRESS,
        label="Address",
        help_text="Of a client, such as 203.0.113.7 or 2001:db8:7::1.",
    )

    def clean_address(self) -> Address:
        """The address.

        Raises:
            ValidationError: when it is none.
        """
        address = read_address(self.cleaned_data["address"])
        if address is None:
            raise ValidationError("This is no IP address; write one such as 203.0.113.7 or 2001:db8:7::1.")
        return address


@permission_required(VIEW_PERMISSION, raise_exception=True)
def effective_limits(request: HttpRequest, context: Mapping[str, Any]) -> HttpResponseBase:
    """The page: a form with an address, and what applies to it as it is set now."""
    form = AddressForm(request.GET or None)
    shown = {**context, "title": "Effective limits for an address", "form": form}
    if form.is_valid():
        address, now_ms = form.cleaned_data["address"], _clock.now_ms()
        stored, numbers, is_readable = _read()
        shown |= {
            "address": str(address),
            "counted_as": block_of(address),
            "client": client_at(address).digits,
            "servers": [at_server(stored, slug, address, numbers=numbers, now_ms=now_ms) for slug in SERVERS],
            "is_readable": is_readable,
            "is_coming": stored != policy(),
            "pages": pages_for(stored, address, numbers=numbers, now_ms=now_ms),
        }
    return TemplateResponse(request, "admin/effective_limits.html", shown)


def _read() -> tuple[Policy, SetNumbers, bool]:
    """What is stored, or what is in force where that is no policy, and whether it is the first."""
    try:
        return read_policy(), SetNumbers.stored(), True
    except ValueError:  # somebody has written into the database what no form lets through
        return policy(), SetNumbers.of_policy(policy()), False


def pages_for(stored: Policy, address: Address, *, numbers: SetNumbers, now_ms: int) -> Limit:
    """How many pages an address may read in a minute, at a time."""
    rule = stored.networks.rule_for(address, None, now_ms)
    if rule is not None and rule.is_blocked:
        return Limit(PAGES_PER_MINUTE.label, "no page", f"the rule for {rule.network}")
    why = DEFAULT if numbers.pages_per_minute is None else "set for the site"
    return Limit(PAGES_PER_MINUTE.label, f"{stored.pages_per_minute:,} pages in a minute", why)


def at_server(stored: Policy, slug: str, address: Address, *, numbers: SetNumbers, now_ms: int) -> AtServer:
    """What applies to an address at a server at a time."""
    found = applied(stored, slug, address, now_ms=now_ms)
    return AtServer(
        title=SERVERS[slug].title,
        blocked=found.blocked,
        closed=None if found.limits.is_on else found.limits.off_message,
        limits=tuple(_limits(found, slug, numbers.servers.get(slug, {}))),
        rules=tuple(_rules(stored, slug, address, found.rule, now_ms)),
        tools_off=tuple(_tools_off(stored, slug)) if found.limits.is_on else (),
    )


def _tools_off(stored: Policy, slug: str) -> Iterator[str]:
    for tool in SERVERS[slug].tools:
        told = tool_off(stored, slug, tool.name)
        if told is not None:
            yield told


def _limits(found: Applied, slug: str, numbers: Mapping[str, int]) -> Iterator[Limit]:
    own = None if found.rule is None else found.rule.requests_per_minute
    by_rule = "" if found.rule is None else f"the rule for {found.rule.network}"
    limits = found.limits

    def why(name: str) -> str:
        return SET if name in numbers else DEFAULT

    yield Limit(
        "Messages in a minute",
        f"{found.requests_per_minute:,}",
        by_rule if own is not None else why("requests_per_minute"),
    )
    yield Limit(
        f"Messages in {BURST_S} seconds",
        _number(found.burst_requests),
        f"{by_rule}, which replaces it" if own is not None else why("burst_requests"),
    )
    yield Limit(
        SERVER_BOUNDS["all_clients_per_minute"].label,
        _number(limits.all_clients_per_minute),
        why("all_clients_per_minute"),
    )
    own_batch = numbers.get("batch_messages") or DEFAULTS.servers[slug].batch_messages
    batch_why = why("batch_messages")
    if found.batch_messages != limits.batch_messages:
        batch_why = f"{by_rule}: never more than a window holds"
    elif limits.batch_messages != own_batch:
        batch_why = f"{batch_why}, {own_batch:,}, lowered to what a window of the server holds"
    yield Limit(SERVER_BOUNDS["batch_messages"].label, _number(found.batch_messages), batch_why)
    yield Limit(SERVER_BOUNDS["body_bytes"].label, f"{limits.body_bytes:,} bytes", why("body_bytes"))


def _rules(
    stored: Policy, slug: str, address: Address, chosen: NetworkRule | None, now_ms: int
) -> Iterator[Rule]:
    """Every rule whose network holds the address, the smallest network first, with what becomes of it."""
    holding = [rule for rule in stored.networks.rules if address in rule.network]
    for rule in sorted(holding, key=lambda rule: (rule is not chosen, -rule.network.prefixlen)):
        yield Rule(
            network=str(rule.network),
            says=_says(rule),
            ends="Never" if rule.expires_at_ms is None else f"{_utc(rule.expires_at_ms)} UTC",
            verdict=_verdict(rule, slug, chosen, now_ms),
            is_in_force=rule is chosen,
        )


def _verdict(rule: NetworkRule, slug: str, chosen: NetworkRule | None, now_ms: int) -> str:
    if rule is chosen:
        return "Applies: of the rules that hold here, its network is the smallest."
    if rule.server not in {None, slug}:
        return "Is for the other server."
    if not rule.holds_for(slug, now_ms):
        return "Has ended."
    if chosen is not None and chosen.network == rule.network:
        return "Gives way to the rule for this server alone."
    return "Gives way to a smaller network."


def _says(rule: NetworkRule) -> str:
    if rule.is_blocked:
        return f"Blocked{because(rule.reason)}"
    if rule.requests_per_minute is None:
        return "The server's limits"
    return f"{counted(rule.requests_per_minute, 'message')} in a minute for each client"


def _utc(ms: int) -> str:
    return utc_text(datetime.fromtimestamp(ms / 1000, UTC))


def _number(limit: int | None) -> str:
    return "no limit" if limit is None else f"{limit:,}"
