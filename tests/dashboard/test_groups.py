"""What limits editors may do, and what not."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User

from papertrade_site.dashboard.groups import LIMITS_EDITORS, make_limits_editors
from papertrade_site.limits.models import ServerRules, ToolSwitch
from tests.dashboard.conftest import SignedIn
from tests.dashboard.forms import send

pytestmark = pytest.mark.django_db


def _codes() -> set[str]:
    group = Group.objects.get(name=LIMITS_EDITORS)
    return {f"{each.content_type.app_label}.{each.codename}" for each in group.permissions.all()}


def test_the_group_holds_all_of_limits_and_of_their_record_the_view_alone() -> None:
    models = ("serverrules", "siterules", "toolswitch", "clientnetwork", "resourcelifetime")
    verbs = ("add", "change", "delete", "view")
    assert _codes() == {
        *(f"limits.{verb}_{model}" for model in models for verb in verbs),
        "limits.view_change",
    }


def test_each_migration_brings_the_group_back_to_that() -> None:
    before, group = _codes(), Group.objects.get(name=LIMITS_EDITORS)
    group.permissions.set(Permission.objects.filter(codename="add_user"))
    make_limits_editors(apps.get_app_config("limits"))
    assert _codes() == before


def test_an_editor_changes_limits(editor: User, signed_in: SignedIn) -> None:
    client = signed_in(editor)
    assert (
        send(client, "/admin/limits/serverrules/1/change/", {"requests_per_minute": "7"}).status_code == 302
    )
    sent = {"which": "analytics/get_history", "reason": "Wrong today."}
    assert send(client, "/admin/limits/toolswitch/add/", sent).status_code == 302
    assert ServerRules.objects.get(pk=1).requests_per_minute == 7
    assert ToolSwitch.objects.get().reason == "Wrong today."


@pytest.mark.parametrize(
    "path",
    [
        "/admin/auth/user/",
        "/admin/auth/user/add/",
        "/admin/auth/group/",
        "/admin/ops/incident/",
        "/admin/ops/incident/add/",
        "/admin/limits/change/add/",
        "/admin/limits/serverrules/add/",
        "/admin/limits/serverrules/1/delete/",
    ],
)
def test_an_editor_does_nothing_else(editor: User, signed_in: SignedIn, path: str) -> None:
    client = signed_in(editor)
    for answer in (client.get(path), client.post(path, {"post": "yes"})):
        assert answer.status_code == 403
        assert "Permission denied" in answer.content.decode()


def test_staff_without_a_group_is_shown_no_limits(signed_in: SignedIn) -> None:
    client = signed_in(User.objects.create_user("cid", is_staff=True))
    for path in ("/admin/limits/serverrules/", "/admin/limits/change/", "/admin/limits/effective/"):
        assert client.get(path).status_code == 403
