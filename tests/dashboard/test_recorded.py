"""Incidents, users and groups are in the record of changes as limits are; passwords never are."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from papertrade_site.limits.models import Change
from papertrade_site.ops.models import TEXT_LENGTH, Incident
from tests.dashboard.conftest import PASSWORD, SignedIn
from tests.dashboard.forms import send, shown

INCIDENTS = "/admin/ops/incident"
USERS = "/admin/auth/user"
GROUPS = "/admin/auth/group"
NEW_PASSWORD = "paper-on-warm-ink"
LONG = "All is slow. " * (TEXT_LENGTH // 13)

Row = tuple[str, str, str, str]


@pytest.fixture
def admin(superuser: User, signed_in: SignedIn) -> Client:
    return signed_in(superuser)


def recorded() -> list[Row]:
    """What was recorded, the oldest first; all of it by the one who is signed in."""
    changes = list(Change.objects.order_by("id"))
    assert {change.who for change in changes} <= {"ann"}
    return [(change.what, change.label, change.old, change.new) for change in changes]


def test_an_incident_is_recorded_from_its_first_word_to_its_removal(admin: Client) -> None:
    sent = send(admin, f"{INCIDENTS}/add/", {"title": "Slow", "text": LONG})
    assert sent.status_code == 302
    incident = Incident.objects.get()
    assert {("Incident Slow", "Title", "", "Slow"), ("Incident Slow", "Text", "", LONG.strip())} <= set(
        recorded()
    )
    count = Change.objects.count()
    assert send(admin, f"{INCIDENTS}/{incident.pk}/change/", {"severity": "outage"}).status_code == 302
    assert recorded()[count:] == [("Incident Slow", "Severity", "degraded", "outage")]
    admin.post(f"{INCIDENTS}/{incident.pk}/delete/", {"post": "yes"})
    assert not Incident.objects.exists()
    assert ("Incident Slow", "Severity", "outage", "") in recorded()[count + 1 :]


def test_an_incident_that_somebody_else_has_changed_meanwhile_is_not_overwritten(admin: Client) -> None:
    incident = Incident.objects.create(title="Slow")
    path = f"{INCIDENTS}/{incident.pk}/change/"
    seen = shown(admin, path).initial["seen"]
    Incident.objects.update(severity="outage")
    answer = send(admin, path, {"title": "Fast", "seen": seen})
    assert "changed meanwhile" in answer.content.decode()
    assert Incident.objects.get().title == "Slow"
    assert recorded() == []


def test_a_user_is_recorded_with_his_groups_and_never_with_his_password(admin: Client) -> None:
    passwords = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    added = admin.post(f"{USERS}/add/", {"username": "cy", "usable_password": "true", **passwords})
    assert added.status_code == 302
    assert recorded() == [("User cy", "Username", "", "cy"), ("User cy", "Password", "", "another one")]
    user, group = User.objects.get(username="cy"), Group.objects.get(name="limits editor")
    answer = send(admin, f"{USERS}/{user.pk}/change/", {"groups": str(group.pk), "is_staff": "on"})
    assert answer.status_code == 302
    assert set(recorded()[2:]) == {
        ("User cy", "Staff status", "no", "yes"),
        ("User cy", "Groups", "", "limits editor"),
    }
    admin.post(f"{USERS}/{user.pk}/delete/", {"post": "yes"})
    assert ("User cy", "Groups", "limits editor", "") in recorded()[4:]
    told = " ".join(text for row in recorded() for text in row)
    assert NEW_PASSWORD not in told
    assert user.password not in told


def test_another_password_is_recorded_whoever_gives_it(admin: Client, editor: User) -> None:
    passwords = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}
    assert admin.post(f"{USERS}/{editor.pk}/password/", passwords).status_code == 302
    own = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    assert admin.post("/admin/password_change/", own).status_code == 302
    assert recorded() == [
        ("User ben", "Password", "", "another one"),
        ("User ann", "Password", "", "another one"),
    ]


def test_a_password_that_is_refused_is_not_recorded(admin: Client, editor: User) -> None:
    assert (
        admin.post(f"{USERS}/{editor.pk}/password/", {"password1": "x", "password2": "y"}).status_code == 200
    )
    assert admin.post("/admin/password_change/", {"old_password": "x"}).status_code == 200
    assert recorded() == []


def test_a_group_is_recorded_with_what_it_may(admin: Client) -> None:
    group = Group.objects.create(name="readers")
    permission = Permission.objects.get(codename="view_change")
    path = f"{GROUPS}/{group.pk}/change/"
    assert send(admin, path, {"permissions": str(permission.pk)}).status_code == 302
    assert recorded() == [("Group readers", "Permissions", "", str(permission))]
    admin.post(f"{GROUPS}/", {"action": "delete_selected", "_selected_action": [group.pk], "post": "yes"})
    assert not Group.objects.filter(name="readers").exists()
    assert recorded()[1:] == [
        ("Group readers", "Name", "readers", ""),
        ("Group readers", "Permissions", str(permission), ""),
    ]


@pytest.mark.parametrize("kind", ["incident", "user"])
def test_what_was_changed_in_a_thing_is_one_click_away(admin: Client, superuser: User, kind: str) -> None:
    incident = Incident.objects.create(title="Slow")
    path = f"{INCIDENTS}/{incident.pk}" if kind == "incident" else f"{USERS}/{superuser.pk}"
    changed = {"title": "Slower"} if kind == "incident" else {"first_name": "Ann"}
    assert send(admin, f"{path}/change/", changed).status_code == 302
    history = admin.get(f"{path}/history/", follow=True)
    assert changed.popitem()[1] in history.content.decode()
