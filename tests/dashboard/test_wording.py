"""The words around forms and figures: counts agree with their nouns, and switches say what they do."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.db.models import BooleanField, Model
from django.test import Client

from papertrade_site.limits.models import ClientNetwork
from tests.dashboard.conftest import SignedIn
from tests.dashboard.forms import send
from tests.dashboard.shown import shown
from tests.policies import InForce

SWITCHES = [
    field
    for model in apps.get_app_config("limits").get_models()
    for field in model._meta.get_fields()
    if isinstance(field, BooleanField)
]

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(superuser: User, signed_in: SignedIn) -> Client:
    return signed_in(superuser)


def _words(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return shown(answer.content.decode()).words


@pytest.mark.parametrize("model", site._registry, ids=lambda model: model._meta.label)
def test_one_thing_of_a_list_is_called_otherwise_than_several(model: type[Model]) -> None:
    assert model._meta.verbose_name != model._meta.verbose_name_plural


def test_the_one_row_of_the_sites_limits_is_counted_and_told_in_the_singular(operator: Client) -> None:
    path = "/admin/limits/siterules/"
    assert "1 set of site limits" in _words(operator, path)
    send(operator, f"{path}1/change/", {"pages_per_minute": "30"})
    assert "The set of site limits “ Site limits ” was changed successfully." in _words(operator, path)


def test_a_network_with_a_single_message_a_minute_has_a_message_not_messages(
    operator: Client, in_force: InForce
) -> None:
    ClientNetwork.objects.create(network="203.0.113.7", requests_per_minute=1)
    ClientNetwork.objects.create(network="203.0.113.8", requests_per_minute=1_200)
    listed = _words(operator, "/admin/limits/clientnetwork/")
    assert " 1 message a minute" in listed
    assert " 1,200 messages a minute" in listed
    in_force.server("analytics", requests_per_minute=1)
    assert " 1 message a client and minute" in _words(operator, "/admin/")


@pytest.mark.parametrize("switch", SWITCHES, ids=str)
def test_every_switch_of_a_form_of_limits_says_what_callers_get(switch: BooleanField[bool, bool]) -> None:
    assert re.search(r"gets the (message|reason)|with 403 and the reason", str(switch.help_text))


def test_what_an_operator_may_do_stands_apart_without_strokes_that_could_end_a_line(operator: Client) -> None:
    answer = operator.get("/admin/")
    tools = shown(answer.content.decode()).by_id("user-tools").words
    assert tools.startswith("Welcome, ann . View site Change password Log out")
    assert "/" not in tools
