"""Changing limits in the admin: what is saved, what is refused and how, and that all of it is recorded."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from mcp_analytics.server import SERVER as ANALYTICS
from papertrade_site.limits.bounds import LIFETIME_BOUNDS, NETWORK_BOUNDS, SERVER_BOUNDS, SITE_BOUNDS, Bound
from papertrade_site.limits.models import (
    Change,
    ClientNetwork,
    ResourceLifetime,
    ServerRules,
    SiteRules,
    ToolSwitch,
)
from papertrade_site.limits.refresh import read_policy
from tests.dashboard.conftest import PASSWORD, SignedIn
from tests.dashboard.forms import errors, fields_of, send, shown
from tests.policies import InForce

LIQUIDATIONS = "/admin/limits/serverrules/1/change/"
SITE = "/admin/limits/siterules/1/change/"
NETWORK = "/admin/limits/clientnetwork/add/"
TOOL = "/admin/limits/toolswitch/add/"
LIFETIME = "/admin/limits/resourcelifetime/add/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(editor: User, signed_in: SignedIn) -> Client:
    """A limits editor by the name of ben."""
    return signed_in(editor)


def recorded() -> list[tuple[str, str, str, str, str]]:
    """Everything that was recorded, the oldest first."""
    changes = Change.objects.order_by("id")
    return [(each.who, each.what, each.field, each.old, each.new) for each in changes]


def change_address(setting: Any) -> str:  # noqa: ANN401
    """Where a row is changed."""
    return reverse(f"admin:limits_{setting._meta.model_name}_change", args=[setting.pk])


def test_a_lowered_limit_is_stored_and_recorded_with_who_and_what_it_was(admin: Client) -> None:
    assert send(admin, LIQUIDATIONS, {"requests_per_minute": "12"}).status_code == 302
    assert read_policy().servers["liquidations"].requests_per_minute == 12
    assert recorded() == [("ben", "Liquidations limits", "requests_per_minute", "30 (default)", "12")]


def test_an_emptied_number_is_the_default_again(admin: Client) -> None:
    send(admin, LIQUIDATIONS, {"requests_per_minute": "12"})
    send(admin, LIQUIDATIONS, {}, without=("requests_per_minute",))
    assert read_policy().servers["liquidations"].requests_per_minute == 30
    assert recorded()[-1] == ("ben", "Liquidations limits", "requests_per_minute", "12", "30 (default)")


def test_a_form_that_is_sent_as_it_was_shown_changes_and_records_nothing(admin: Client) -> None:
    before = read_policy()
    for path in (LIQUIDATIONS, SITE):
        assert send(admin, path, {}).status_code == 302
    assert (read_policy(), recorded()) == (before, [])


WRONG = [
    *((LIQUIDATIONS, bound, {}) for bound in SERVER_BOUNDS.values()),
    *((SITE, bound, {}) for bound in SITE_BOUNDS.values()),
    *((NETWORK, bound, {"network": "203.0.113.7"}) for bound in NETWORK_BOUNDS.values()),
    *(
        (LIFETIME, bound, {"resource": "exchange.trading", "fresh_s": "1", "stale_s": "86400"})
        for bound in LIFETIME_BOUNDS.values()
    ),
]


@pytest.mark.parametrize(("path", "bound", "others"), WRONG, ids=lambda value: getattr(value, "name", None))
def test_a_number_out_of_its_range_is_refused_with_the_range(
    admin: Client, path: str, bound: Bound, others: dict[str, str]
) -> None:
    before = read_policy()
    wrong = [bound.least - 1, bound.most + 1, -1, 10**30, "many", "1.5"]
    for value in map(str, wrong):
        found = errors(send(admin, path, {**others, bound.name: value}))
        assert (value, found) == (value, {bound.name: [f"Must be {bound.range_text} {bound.unit}."]})
    assert (read_policy(), recorded()) == (before, [])


@pytest.mark.parametrize(("path", "bound", "others"), WRONG, ids=lambda value: getattr(value, "name", None))
def test_both_ends_of_the_range_are_taken(
    admin: Client, path: str, bound: Bound, others: dict[str, str]
) -> None:
    for value in (bound.least, bound.most):
        answer = send(admin, path, {**others, bound.name: str(value)})
        assert answer.status_code == 302, errors(answer)
        ClientNetwork.objects.all().delete()
        ResourceLifetime.objects.all().delete()


def test_each_number_shows_its_range_and_what_holds_while_it_is_empty(admin: Client) -> None:
    form = shown(admin, LIQUIDATIONS)
    for name, bound in SERVER_BOUNDS.items():
        default = bound.default_for("liquidations")
        placeholder = "no limit" if default is None else f"{default:,} (default)"
        assert form.fields[name].widget.attrs["placeholder"] == placeholder
        assert bound.range_text in form.fields[name].help_text


def test_the_analytics_form_leaves_out_what_none_of_its_tools_goes_by(
    admin: Client, in_force: InForce
) -> None:
    path = change_address(ServerRules.objects.get(server="analytics"))
    assert {*SERVER_BOUNDS} - {*field_names(admin, path)} == {"book_call_requests", "wallets_default"}
    before = [tool.requests() for tool in ANALYTICS.tools]
    in_force.server("analytics", book_call_requests=9, wallets_default=3)
    assert [tool.requests() for tool in ANALYTICS.tools] == before
    in_force.server("analytics", call_requests=3)
    assert {tool.requests() for tool in ANALYTICS.tools} == {3}


def field_names(client: Client, path: str) -> list[str]:
    """The fields of a form."""
    return list(shown(client, path).fields)


def test_a_server_is_not_switched_off_without_a_word(admin: Client) -> None:
    found = errors(send(admin, LIQUIDATIONS, {}, without=("is_on",)))
    assert found == {"__all__": ["Write the message that callers get while the server is off."]}
    assert send(admin, LIQUIDATIONS, {"off_message": "Back at noon."}, without=("is_on",)).status_code == 302
    assert not read_policy().servers["liquidations"].is_on
    assert "Off: Back at noon." in admin.get("/admin/limits/serverrules/").content.decode()


def test_there_is_one_row_for_each_server_and_one_for_the_site(superuser: User, signed_in: SignedIn) -> None:
    client = signed_in(superuser)
    for model in ("serverrules", "siterules"):
        assert client.get(f"/admin/limits/{model}/add/").status_code == 403
        assert client.post(f"/admin/limits/{model}/1/delete/", {"post": "yes"}).status_code == 403
    ServerRules.objects.filter(server="analytics").delete()
    assert (
        client.post("/admin/limits/serverrules/add/", {"server": "analytics", "is_on": "on"}).status_code
        == 302
    )
    assert (ServerRules.objects.count(), SiteRules.objects.count()) == (2, 1)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (" 203.0.113.9 ", "203.0.113.9/32"),
        ("203.0.113.9/24", "203.0.113.0/24"),
        ("2001:DB8:7::1/48", "2001:db8:7::/48"),
        ("::ffff:203.0.113.9", "203.0.113.9/32"),
    ],
)
def test_a_network_is_stored_in_its_usual_form(admin: Client, typed: str, stored: str) -> None:
    sent = {"network": typed, "is_blocked": "on", "reason": "Floods.", "expires_at_0": "2099-01-01"}
    assert send(admin, NETWORK, {**sent, "expires_at_1": "12:00"}).status_code == 302
    rule = ClientNetwork.objects.get()
    assert (rule.network, rule.is_blocked) == (stored, True)
    page = admin.get("/admin/limits/clientnetwork/").content.decode()
    assert stored in page
    assert "2099-01-01 12:00:00" in page


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"network": "example.com"}, "network", "network must be in CIDR notation"),
        ({"network": "203.0.113.0/40"}, "network", "network must be in CIDR notation"),
        ({"network": "fe80::%zz/64"}, "network", "network must be in CIDR notation"),
        ({"network": "fe80::%a\n\u202eb/64"}, "network", "network must be in CIDR notation"),
        ({"network": "203.0.113.7", "is_blocked": "on"}, "__all__", "Write the reason"),
        (
            {"network": "203.0.113.7", "is_blocked": "on", "reason": "x", "requests_per_minute": "5"},
            "__all__",
            "has no limit of its own",
        ),
        ({"network": "203.0.113.7", "reason": "two\nlines\x1b"}, "reason", "one line of plain text"),
        ({"network": "203.0.113.7", "server": "elsewhere"}, "server", "valid choice"),
        ({"network": "203.0.113.7", "expires_at_0": "soon"}, "expires_at", "valid date"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_with_what_is_wrong(
    admin: Client, sent: dict[str, str], field: str, words: str
) -> None:
    found = errors(send(admin, NETWORK, sent))
    assert words in " ".join(found[field])
    assert not ClientNetwork.objects.exists()


def test_the_form_of_a_rule_says_what_a_block_leaves_open(admin: Client) -> None:
    assert "/healthz and /readyz answer everybody" in admin.get(NETWORK).text


def test_a_network_has_one_rule_for_a_server(admin: Client) -> None:
    sent = {"network": "203.0.113.0/24", "requests_per_minute": "600"}
    assert send(admin, NETWORK, sent).status_code == 302
    found = errors(send(admin, NETWORK, {**sent, "network": "203.0.113.77/24"}))
    assert found == {"__all__": ["This network has a rule already."]}
    assert send(admin, NETWORK, {**sent, "server": "analytics"}).status_code == 302


def test_what_is_deleted_is_recorded_one_by_one_or_several_at_once(admin: Client) -> None:
    for network in ("203.0.113.1", "203.0.113.2", "203.0.113.3"):
        send(admin, NETWORK, {"network": network, "requests_per_minute": "5"})
    first, *others = ClientNetwork.objects.order_by("network")
    address = reverse("admin:limits_clientnetwork_delete", args=[first.pk])
    assert admin.post(address, {"post": "yes"}).status_code == 302
    sent = {"action": "delete_selected", "_selected_action": [each.pk for each in others], "post": "yes"}
    assert admin.post("/admin/limits/clientnetwork/", sent).status_code == 302
    assert not ClientNetwork.objects.exists()
    gone = [(who, what) for who, what, field, old, new in recorded() if field == "network" and new == ""]
    assert gone == [("ben", f"Network 203.0.113.{at}/32 on both servers") for at in (1, 2, 3)]


def test_a_tool_is_switched_off_and_on_again_and_has_one_switch(admin: Client) -> None:
    sent = {"which": "analytics/get_history", "reason": "Wrong today. Use get_market_stats."}
    assert send(admin, TOOL, sent).status_code == 302
    assert dict(read_policy().switched_off) == {
        ("analytics", "get_history"): "Wrong today. Use get_market_stats."
    }
    assert "valid choice" in " ".join(errors(admin.post(TOOL, sent))["which"])
    path = change_address(ToolSwitch.objects.get())
    assert field_names(admin, path) == ["is_on", "reason", "seen"]
    assert "to switch one back on, tick On" in admin.get(path).text
    assert send(admin, path, {"is_on": "on"}).status_code == 302
    assert dict(read_policy().switched_off) == {}
    assert [row[1:] for row in recorded()][-1] == ("Analytics tool get_history", "is_on", "no", "yes")


@pytest.mark.parametrize("which", ["", "analytics/get_bust_map", "analytics", "nowhere/get_history", "/"])
def test_only_a_tool_of_a_server_can_be_switched(admin: Client, which: str) -> None:
    assert "which" in errors(send(admin, TOOL, {"which": which, "reason": "x"}))
    assert not ToolSwitch.objects.exists()


def test_a_tool_is_not_off_without_a_word(admin: Client) -> None:
    found = errors(send(admin, TOOL, {"which": "analytics/get_history"}))
    assert found == {"__all__": ["Write the reason that callers get while the tool is off."]}


def test_copies_last_as_long_as_is_set_for_a_resource_that_has_no_row_yet(admin: Client) -> None:
    sent = {"resource": "exchange.trading", "fresh_s": "10", "stale_s": "20"}
    assert send(admin, LIFETIME, sent).status_code == 302
    assert read_policy().lifetimes["exchange.trading"].stale_s == 20
    offered = dict(shown(admin, LIFETIME).fields["resource"].choices)
    assert "exchange.trading" not in offered
    assert offered["hyperliquid.book"] == "hyperliquid.book: fresh for 2 s, shown for 15 s"
    assert "fresh for 30 s, shown for 600 s" in admin.get("/admin/limits/resourcelifetime/").content.decode()


def test_copies_are_not_shown_for_less_long_than_they_are_fresh(admin: Client) -> None:
    found = errors(send(admin, LIFETIME, {"resource": "exchange.trading", "fresh_s": "20", "stale_s": "10"}))
    assert found == {"__all__": ["stale_s must be at least fresh_s"]}


def test_what_was_changed_in_a_thing_is_one_click_away(admin: Client) -> None:
    send(admin, LIQUIDATIONS, {"requests_per_minute": "12"})
    send(admin, SITE, {"pages_per_minute": "100"})
    page = admin.get(LIQUIDATIONS.replace("change", "history"), follow=True)
    assert page.status_code == 200
    assert "Messages of one client in a minute" in page.content.decode()
    assert page.context["cl"].result_count == 1


def test_what_was_changed_in_a_thing_is_told_under_all_its_names(admin: Client) -> None:
    send(admin, NETWORK, {"network": "203.0.113.0/24"})
    path = change_address(ClientNetwork.objects.get())
    send(admin, path, {"network": "198.51.100.0/24"})
    send(admin, path, {"network": "192.0.2.0/24"})
    page = admin.get(path.replace("change", "history"), follow=True)
    assert [row.new for row in page.context["cl"].result_list if row.field == "network"] == [
        "192.0.2.0/24",
        "198.51.100.0/24",
        "203.0.113.0/24",
    ]


def test_nobody_reads_in_a_history_what_he_may_not_see(admin: Client, signed_in: SignedIn) -> None:
    send(admin, NETWORK, {"network": "203.0.113.0/24"})
    path = change_address(ClientNetwork.objects.get()).replace("change", "history")
    stranger = User.objects.create_user("eve", password=PASSWORD, is_staff=True)
    answer = signed_in(stranger).get(path)
    assert (answer.status_code, answer.headers.get("Location")) == (403, None)
    assert admin.get("/admin/limits/clientnetwork/999/history/").status_code == 404


def test_every_part_of_a_time_has_a_name_also_for_users(superuser: User, signed_in: SignedIn) -> None:
    page = signed_in(superuser).get(f"/admin/auth/user/{superuser.pk}/change/").content.decode()
    for part in ("Last login: date", "Last login: time", "Date joined: date", "Date joined: time"):
        assert f'aria-label="{part}"' in page


@pytest.fixture
def colleague(superuser: User, signed_in: SignedIn) -> Client:
    """Another operator, by the name of ann."""
    return signed_in(superuser)


def test_a_page_that_was_open_for_long_switches_nothing_back_on(admin: Client, colleague: Client) -> None:
    opened = fields_of(shown(admin, LIQUIDATIONS))
    send(colleague, LIQUIDATIONS, {"off_message": "Back at noon."}, without=("is_on",))
    before = recorded()
    found = errors(admin.post(LIQUIDATIONS, {**opened, "requests_per_minute": "12"}))["__all__"]
    assert "This was changed meanwhile, last by ann at " in found[0]
    assert "open it again" in found[0]
    assert not read_policy().servers["liquidations"].is_on
    assert recorded() == before
    assert send(admin, LIQUIDATIONS, {"requests_per_minute": "12"}).status_code == 302
    limits = read_policy().servers["liquidations"]
    assert (limits.is_on, limits.requests_per_minute) == (False, 12)
    assert recorded()[-1] == ("ben", "Liquidations limits", "requests_per_minute", "30 (default)", "12")


def test_a_form_that_does_not_say_what_it_showed_changes_nothing(admin: Client) -> None:
    found = errors(send(admin, SITE, {"pages_per_minute": "100"}, without=("seen",)))
    assert "open it again" in found["__all__"][0]
    assert recorded() == []


def test_a_form_carries_what_it_showed_unseen(admin: Client) -> None:
    page = admin.get(LIQUIDATIONS).content.decode()
    assert page.count('<input type="hidden" name="seen"') == 1


@pytest.mark.parametrize("failure", [IntegrityError("taken"), ValidationError("taken")])
def test_who_comes_second_with_the_same_rule_is_told_so(
    admin: Client, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(ClientNetwork, "save", fail)
    answer = send(admin, NETWORK, {"network": "203.0.113.0/24"})
    assert answer.status_code == 409
    assert "Somebody else changed this meanwhile" in answer.content.decode()
    assert recorded() == []


def test_a_rule_may_end_in_the_last_second_that_there_is(admin: Client) -> None:
    sent = {"network": "203.0.113.7", "is_blocked": "on", "reason": "Floods.", "expires_at_0": "9999-12-31"}
    assert send(admin, NETWORK, {**sent, "expires_at_1": "23:59:59.999999"}).status_code == 302
    assert recorded()[-1] == (
        "ben",
        "Network 203.0.113.7/32 on both servers",
        "expires_at",
        "",
        "9999-12-31T23:59:59Z",
    )
    (rule,) = read_policy().networks.rules
    assert rule.expires_at_ms == 253_402_300_799_999
    assert "9999-12-31 23:59:59" in admin.get("/admin/limits/effective/?address=203.0.113.7").content.decode()


def test_nobody_adds_changes_or_deletes_a_recorded_change(superuser: User, signed_in: SignedIn) -> None:
    client = signed_in(superuser)
    send(client, LIQUIDATIONS, {"requests_per_minute": "12"})
    key = Change.objects.get().pk
    for path in ("add/", f"{key}/delete/", f"{key}/change/"):
        assert client.post(f"/admin/limits/change/{path}", {"post": "yes", "new": "13"}).status_code == 403
    sent = {"action": "delete_selected", "_selected_action": [key], "post": "yes"}
    client.post("/admin/limits/change/", sent)
    assert [row[-1] for row in recorded()] == ["12"]


def test_words_that_look_like_markup_are_shown_as_words(admin: Client) -> None:
    hostile = "<script>alert(1)</script>{{ 7|add:7 }}\"'><img src=x onerror=alert(1)>"
    send(admin, NETWORK, {"network": "203.0.113.7", "is_blocked": "on", "reason": hostile})
    send(admin, TOOL, {"which": "analytics/get_history", "reason": hostile})
    send(admin, LIQUIDATIONS, {"off_message": hostile}, without=("is_on",))
    paths = ["clientnetwork/", "toolswitch/", "serverrules/", "change/", "effective/?address=203.0.113.7"]
    paths.append(f"clientnetwork/{ClientNetwork.objects.get().pk}/change/")
    for path in paths:
        page = admin.get(f"/admin/limits/{path}").content.decode()
        assert ("alert(1)" in page, "<script>alert" in page, "<img src=x" in page) == (True, False, False), (
            path
        )


@pytest.mark.parametrize(
    "query", ["?q=%00", "?who__exact=%00", "?o=99", "?p=999", "?e=1", "?what=%3Cscript%3E"]
)
def test_a_list_stands_whatever_is_asked_of_it(admin: Client, query: str) -> None:
    send(admin, LIQUIDATIONS, {"requests_per_minute": "12"})
    answer = admin.get(f"/admin/limits/change/{query}", follow=True)
    assert (answer.status_code, "<script>" in answer.content.decode()) == (200, False)
