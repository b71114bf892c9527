"""Whatever is set is recorded with it, or not set."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError

from papertrade_site.limits.audit import delete_audited, save_changed, state_of
from papertrade_site.limits.models import (
    Change,
    ClientNetwork,
    ResourceLifetime,
    ServerRules,
    SiteRules,
    ToolSwitch,
)

pytestmark = pytest.mark.django_db


def recorded() -> list[tuple[str, str, str, str, str]]:
    """Everything that was recorded, the oldest first."""
    changes = Change.objects.order_by("id")
    return [(each.who, each.what, each.field, each.old, each.new) for each in changes]


def stored_limit() -> int | None:
    """What the database has."""
    return ServerRules.objects.get(server="analytics").requests_per_minute


@pytest.fixture
def analytics() -> ServerRules:
    return ServerRules.objects.get_or_create(server="analytics")[0]


def test_each_altered_field_is_recorded_with_old_and_new_value_and_who(analytics: ServerRules) -> None:
    analytics.requests_per_minute, analytics.burst_requests = 6, 3
    assert len(save_changed(analytics, "ann")) == 2
    analytics.requests_per_minute = None
    analytics.is_on, analytics.off_message = False, "Back at noon."
    save_changed(analytics, "ben")
    assert recorded() == [
        ("ann", "Analytics limits", "requests_per_minute", "60 (default)", "6"),
        ("ann", "Analytics limits", "burst_requests", "", "3"),
        ("ben", "Analytics limits", "requests_per_minute", "6", "60 (default)"),
        ("ben", "Analytics limits", "is_on", "yes", "no"),
        ("ben", "Analytics limits", "off_message", "", "Back at noon."),
    ]


def test_old_values_are_those_of_the_database_and_not_those_that_a_form_was_opened_with(
    analytics: ServerRules,
) -> None:
    opened_before = ServerRules.objects.get(server="analytics")
    analytics.requests_per_minute = 6
    save_changed(analytics, "ann")
    opened_before.requests_per_minute = 7
    save_changed(opened_before, "ben")
    assert recorded()[-1] == ("ben", "Analytics limits", "requests_per_minute", "6", "7")


def test_what_does_not_alter_anything_is_not_recorded(analytics: ServerRules) -> None:
    assert save_changed(analytics, "ann") == []
    assert recorded() == []


def test_a_new_rule_and_its_end_are_recorded_whole() -> None:
    network = ClientNetwork(
        network="203.0.113.9/24",
        is_blocked=True,
        reason="Floods.",
        expires_at=datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC),
    )
    save_changed(network, "ann")
    delete_audited(network, "ben")
    named = "Network 203.0.113.0/24 on both servers"
    fields = [
        ("network", "203.0.113.0/24"),
        ("is_blocked", "yes"),
        ("reason", "Floods."),
        ("expires_at", "2030-01-02T03:04:05Z"),
    ]
    assert recorded() == [
        *(("ann", named, field, "", value) for field, value in fields),
        *(("ben", named, field, value, "") for field, value in fields),
    ]
    assert not ClientNetwork.objects.exists()


def test_one_that_is_renamed_is_recorded_under_its_former_name() -> None:
    network = ClientNetwork(network="203.0.113.0/24", requests_per_minute=9)
    save_changed(network, "ann")
    network.network = "198.51.100.0/24"
    (change,) = save_changed(network, "ann")
    assert (change.what, change.old, change.new) == (
        "Network 203.0.113.0/24 on both servers",
        "203.0.113.0/24",
        "198.51.100.0/24",
    )


def test_every_setting_has_a_name_of_its_own() -> None:
    site = SiteRules.objects.get_or_create(id=1)[0]
    site.pages_per_minute = 700
    save_changed(site, "ann")
    save_changed(ToolSwitch(server="analytics", tool="get_history", reason="Being mended."), "ann")
    save_changed(ResourceLifetime(resource="hyperliquid.book", fresh_s=3, stale_s=30), "ann")
    names = {(what, field): (old, new) for _, what, field, old, new in recorded()}
    assert names["Site limits", "pages_per_minute"] == ("600 (default)", "700")
    assert names["Analytics tool get_history", "is_on"] == ("", "no")
    assert names["Cache lifetime of hyperliquid.book", "fresh_s"] == ("", "3")


def test_what_is_out_of_range_is_neither_set_nor_recorded(analytics: ServerRules) -> None:
    analytics.requests_per_minute = 6_001
    with pytest.raises(ValidationError, match="requests_per_minute must be 1 to 6,000"):
        save_changed(analytics, "ann")
    assert stored_limit() is None
    assert recorded() == []


def test_what_cannot_be_recorded_is_not_set(analytics: ServerRules, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError("full")

    network = ClientNetwork.objects.create(network="203.0.113.0/24")
    monkeypatch.setattr(Change, "save", refuse)
    analytics.requests_per_minute = 6
    with pytest.raises(DatabaseError, match="full"):
        save_changed(analytics, "ann")
    with pytest.raises(DatabaseError, match="full"):
        delete_audited(network, "ann")
    assert stored_limit() is None
    assert ClientNetwork.objects.exists()


def test_what_was_altered_after_it_was_seen_is_not_altered_again(analytics: ServerRules) -> None:
    seen = state_of(analytics)
    analytics.requests_per_minute = 6
    save_changed(analytics, "ann", seen=seen)
    analytics.requests_per_minute = 7
    with pytest.raises(ValidationError, match="changed meanwhile, last by ann"):
        save_changed(analytics, "ben", seen=seen)
    assert stored_limit() == 6
    assert [row[0] for row in recorded()] == ["ann"]


def test_what_was_deleted_after_it_was_seen_does_not_come_back() -> None:
    network = ClientNetwork(network="203.0.113.0/24")
    save_changed(network, "ann")
    opened = ClientNetwork.objects.get()
    delete_audited(ClientNetwork.objects.get(), "ann")
    with pytest.raises(ValidationError, match="changed meanwhile, last by ann"):
        save_changed(opened, "ben", seen=state_of(opened))
    assert not ClientNetwork.objects.exists()


def test_one_that_somebody_else_has_deleted_is_not_deleted_twice() -> None:
    network = ClientNetwork(network="203.0.113.0/24")
    save_changed(network, "ann")
    again = ClientNetwork.objects.get()
    delete_audited(network, "ann")
    before = recorded()
    assert delete_audited(again, "ben") == []
    assert recorded() == before
