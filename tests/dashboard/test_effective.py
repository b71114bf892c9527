"""Effective limits for an address, and why."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from papertrade_site.dashboard.effective import AtServer, at_server
from papertrade_site.dashboard.set_numbers import SetNumbers
from papertrade_site.limits.audit import save_changed
from papertrade_site.limits.models import ClientNetwork, ServerRules, SiteRules, ToolSwitch
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.limits.policy import DEFAULTS, Policy, ServerLimits
from papertrade_site.servers import SERVERS
from papertrade_site.usage.record import client_hash
from tests.dashboard.conftest import SignedIn
from tests.policies import InForce

NOW_MS = 1_796_040_000_000


def rule(network: str, **values: object) -> NetworkRule:
    """A rule for a network."""
    return NetworkRule(network=ip_network(network), **values)  # type: ignore[arg-type]


def policy_with(*rules: NetworkRule, **numbers: int) -> Policy:
    """The defaults with these rules, and these numbers on Analytics."""
    servers = {**DEFAULTS.servers, "analytics": ServerLimits.of("analytics", numbers)}
    return Policy(servers=servers, networks=Networks(rules), pages_per_minute=600)


def applied_to(address: str, policy: Policy, slug: str = "analytics") -> AtServer:
    numbers = SetNumbers.of_policy(policy)
    return at_server(policy, slug, ip_address(address), numbers=numbers, now_ms=NOW_MS)


def limits(found: AtServer) -> list[tuple[str, str]]:
    return [(limit.value, limit.why) for limit in found.limits]


def rules(found: AtServer) -> list[tuple[str, str, bool]]:
    return [(each.network, each.verdict, each.is_in_force) for each in found.rules]


def test_while_nothing_is_set_every_limit_is_the_default() -> None:
    found = applied_to("203.0.113.7", DEFAULTS)
    assert limits(found) == [
        ("60", "the default"),
        ("no limit", "the default"),
        ("no limit", "the default"),
        ("10", "the default"),
        ("65,536 bytes", "the default"),
    ]
    assert (found.title, found.blocked, found.closed, found.rules) == (
        "Papertrade Analytics",
        None,
        None,
        (),
    )


def test_a_limit_that_was_set_says_so() -> None:
    found = applied_to("203.0.113.7", policy_with(requests_per_minute=50, burst_requests=20))
    assert limits(found)[:2] == [("50", "set for the server"), ("20", "set for the server")]


def test_a_network_with_a_limit_of_its_own_replaces_the_servers_and_may_narrow_a_batch() -> None:
    policy = policy_with(rule("203.0.113.0/24", requests_per_minute=4), burst_requests=20)
    assert limits(applied_to("203.0.113.7", policy))[:4] == [
        ("4", "the rule for 203.0.113.0/24"),
        ("no limit", "the rule for 203.0.113.0/24, which replaces it"),
        ("no limit", "the default"),
        ("4", "the rule for 203.0.113.0/24: never more than a window holds"),
    ]


def test_of_several_rules_each_is_told_why_it_does_or_does_not_apply() -> None:
    policy = policy_with(
        rule("203.0.0.0/16", requests_per_minute=9),
        rule("203.0.113.0/24", requests_per_minute=600),
        rule("203.0.113.0/24", server="analytics", is_blocked=True, reason="Floods"),
        rule("203.0.113.4/30", server="liquidations", requests_per_minute=5),
        rule("203.0.113.7/32", requests_per_minute=5, expires_at_ms=NOW_MS),
        rule("198.51.100.0/24", is_blocked=True),
    )
    found = applied_to("203.0.113.7", policy)
    assert (
        found.blocked == "This network is blocked: Floods. Nothing is answered until the operator lifts this."
    )
    assert rules(found) == [
        ("203.0.113.0/24", "Applies: of the rules that hold here, its network is the smallest.", True),
        ("203.0.113.7/32", "Has ended.", False),
        ("203.0.113.4/30", "Is for the other server.", False),
        ("203.0.113.0/24", "Gives way to the rule for this server alone.", False),
        ("203.0.0.0/16", "Gives way to a smaller network.", False),
    ]
    assert [each.ends for each in found.rules][:2] == ["Never", "2026-11-30 12:00:00 UTC"]
    assert rules(applied_to("203.0.113.7", policy, "liquidations"))[0][0] == "203.0.113.4/30"


def test_a_server_that_is_off_tells_its_message() -> None:
    off = ServerLimits.of("analytics", {}, is_on=False, off_message="Back at noon.")
    policy = Policy(servers={**DEFAULTS.servers, "analytics": off}, pages_per_minute=600)
    assert applied_to("203.0.113.7", policy).closed == "Back at noon."
    assert applied_to("203.0.113.7", policy, "liquidations").closed is None


PAGE = "/admin/limits/effective/"


@pytest.mark.django_db
def test_the_page_tells_what_is_stored_and_that_it_is_on_its_way(
    editor: User, signed_in: SignedIn, rf: RequestFactory
) -> None:
    save_changed(ClientNetwork(network="2001:db8:7::/48", requests_per_minute=7), "ann")
    page = signed_in(editor).get(PAGE, {"address": "2001:db8:7::1"}).content.decode()
    assert "the rule for 2001:db8:7::/48" in page
    assert "2001:db8:7::/64" in page
    assert "within 5 seconds" in page
    assert "It may read 600 pages in a minute (the default)." in page
    assert client_hash(rf.get("/", REMOTE_ADDR="2001:db8:7::99")) in page


@pytest.mark.django_db
def test_a_rule_for_both_servers_blocks_pages_too(editor: User, signed_in: SignedIn) -> None:
    save_changed(ClientNetwork(network="203.0.113.7", is_blocked=True, reason="Floods"), "ann")
    page = signed_in(editor).get(PAGE, {"address": "203.0.113.7"}).content.decode()
    assert "It may read no page (the rule for 203.0.113.7/32)." in page


def _shown(client: Client) -> tuple[list[list[tuple[str, str]]], tuple[str, str]]:
    context = client.get(PAGE, {"address": "203.0.113.7"}).context
    servers, pages = context["servers"], context["pages"]
    return [limits(found) for found in servers], (pages.value, pages.why)


@pytest.mark.django_db
def test_a_number_that_is_set_to_the_default_is_set_all_the_same(editor: User, signed_in: SignedIn) -> None:
    ServerRules.objects.filter(server="analytics").update(requests_per_minute=60, burst_requests=7)
    SiteRules.objects.update(pages_per_minute=600)
    by_server, pages = _shown(signed_in(editor))
    assert by_server[[*SERVERS].index("analytics")] == [
        ("60", "set for the server"),
        ("7", "set for the server"),
        ("no limit", "the default"),
        ("7", "the default, 10, lowered to what a window of the server holds"),
        ("65,536 bytes", "the default"),
    ]
    assert pages == ("600 pages in a minute", "set for the site")


@pytest.mark.django_db
def test_tools_that_are_off_are_told_as_their_callers_are(editor: User, signed_in: SignedIn) -> None:
    off = ToolSwitch(server="analytics", tool="get_market_stats", is_on=False, reason="It is wrong today")
    save_changed(off, "ann")
    page = signed_in(editor).get(PAGE, {"address": "203.0.113.7"}).content.decode()
    assert page.count("The operator has switched off get_market_stats: It is wrong today.") == 1


@pytest.mark.django_db
def test_a_row_that_is_no_rule_leaves_what_is_in_force_to_be_shown(
    editor: User, signed_in: SignedIn, in_force: InForce
) -> None:
    in_force.server("analytics", requests_per_minute=59)
    ClientNetwork.objects.bulk_create([ClientNetwork(network="nonsense")])
    client = signed_in(editor)
    assert "not what is stored" in client.get(PAGE, {"address": "203.0.113.7"}).content.decode()
    assert _shown(client)[0][[*SERVERS].index("analytics")][0] == ("59", "set for the server")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["example.com", "203.0.113.0/24", "<script>alert(1)</script>", " ", "1" * 61, "\0"]
)
def test_what_is_no_address_is_refused_in_place(editor: User, signed_in: SignedIn, text: str) -> None:
    answer = signed_in(editor).get(PAGE, {"address": text})
    assert answer.status_code == 200
    assert 'class="errorlist"' in answer.content.decode()
    assert "<script>alert" not in answer.content.decode()
    assert "servers" not in answer.context


@pytest.mark.django_db
def test_without_an_address_the_page_asks_for_one(editor: User, signed_in: SignedIn) -> None:
    page = signed_in(editor).get(PAGE).content.decode()
    assert 'name="address"' in page
    assert "errorlist" not in page
