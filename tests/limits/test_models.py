"""What an operator sets is held to its range by the database itself, and what was done cannot be undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, connection, models, transaction

from papertrade_site.limits.bounds import (
    LIFETIME_BOUNDS,
    NETWORK_BOUNDS,
    SERVER_BOUNDS,
    SITE_BOUNDS,
    Bound,
)
from papertrade_site.limits.models import (
    Change,
    ClientNetwork,
    PermanentError,
    ResourceLifetime,
    ServerRules,
    SiteRules,
    ToolSwitch,
    parsed_network,
)

pytestmark = pytest.mark.django_db

SOUND: Mapping[type[models.Model], dict[str, Any]] = {
    ServerRules: {"server": "analytics"},
    SiteRules: {},
    ClientNetwork: {"network": "203.0.113.0/24"},
    ResourceLifetime: {"resource": "hyperliquid.book", "fresh_s": 2, "stale_s": 86_400},
}
BOUNDS: Mapping[type[models.Model], Mapping[str, Bound]] = {
    ServerRules: SERVER_BOUNDS,
    SiteRules: SITE_BOUNDS,
    ClientNetwork: NETWORK_BOUNDS,
    ResourceLifetime: LIFETIME_BOUNDS,
}
EVERY_NUMBER = [(model, bound) for model, bounds in BOUNDS.items() for bound in bounds.values()]
every_number = pytest.mark.parametrize(
    ("model", "bound"), EVERY_NUMBER, ids=[f"{model.__name__}-{bound.name}" for model, bound in EVERY_NUMBER]
)


@pytest.fixture(autouse=True)
def no_rows() -> None:
    """Begin without the rows that the migration makes."""
    ServerRules.objects.all().delete()
    SiteRules.objects.all().delete()


def refused(row: models.Model) -> str:
    """What the form is told about a row; the database has to refuse it too."""
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()
    with pytest.raises(ValidationError) as error:
        row.full_clean()
    return " ".join(error.value.messages)


class TestNumbers:
    @every_number
    def test_the_ends_of_a_range_are_taken(self, model: type[models.Model], bound: Bound) -> None:
        for value in (bound.least, bound.most):
            row = model(**{**SOUND[model], **_other_end(bound), bound.name: value})
            row.full_clean()
            row.save()
            model._default_manager.all().delete()

    @every_number
    def test_past_them_form_and_database_refuse_and_the_form_tells_the_range(
        self, model: type[models.Model], bound: Bound
    ) -> None:
        for value in (bound.least - 1, bound.most + 1):
            row = model(**{**SOUND[model], bound.name: value})
            assert bound.problem in refused(row)

    def test_a_bulk_update_past_the_range_is_refused_by_the_database(self) -> None:
        ServerRules.objects.create(server="analytics")
        with pytest.raises(IntegrityError), transaction.atomic():
            ServerRules.objects.update(requests_per_minute=6_001)

    def test_a_copy_is_never_shown_for_less_long_than_it_is_fresh(self) -> None:
        row = ResourceLifetime(resource="hyperliquid.book", fresh_s=10, stale_s=9)
        assert refused(row) == "stale_s must be at least fresh_s"

    def test_only_resources_that_exist_have_a_lifetime(self) -> None:
        with pytest.raises(ValidationError, match="not a valid choice"):
            ResourceLifetime(resource="no.such", fresh_s=1, stale_s=1).full_clean()

    def test_there_is_one_row_for_the_site(self) -> None:
        SiteRules.objects.create()
        with pytest.raises(IntegrityError), transaction.atomic():
            SiteRules.objects.create(id=2)


def _other_end(bound: Bound) -> dict[str, int]:
    """What goes with an end of a lifetime."""
    return {"fresh_s": 1} if bound.name == "stale_s" else {}


class TestWords:
    def test_a_server_is_not_switched_off_without_a_message(self) -> None:
        row = ServerRules(server="analytics", is_on=False)
        assert refused(row) == "Write the message that callers get while the server is off."

    def test_a_tool_is_not_switched_off_without_a_reason(self) -> None:
        row = ToolSwitch(server="analytics", tool="get_history", is_on=False)
        assert refused(row) == "Write the reason that callers get while the tool is off."

    def test_a_network_is_not_blocked_without_a_reason(self) -> None:
        row = ClientNetwork(network="203.0.113.0/24", is_blocked=True)
        assert refused(row) == "Write the reason that blocked clients get."

    def test_a_network_is_blocked_or_limited_and_not_both(self) -> None:
        row = ClientNetwork(network="203.0.113.0/24", is_blocked=True, reason="Spam", requests_per_minute=5)
        assert refused(row) == "A blocked network has no limit of its own: leave the number empty."

    @pytest.mark.parametrize("text", ["two\nlines", "bell\x07", "turned \u202e around", "hid\u200bden"])
    def test_what_callers_read_is_one_plain_line(self, text: str) -> None:
        for row in (
            ServerRules(server="analytics", is_on=False, off_message=text),
            ToolSwitch(server="analytics", tool="get_history", reason=text),
            ClientNetwork(network="203.0.113.0/24", is_blocked=True, reason=text),
        ):
            with pytest.raises(ValidationError, match="one line of plain text"):
                row.full_clean()

    @pytest.mark.parametrize("model", [ServerRules, ToolSwitch, ClientNetwork])
    def test_there_are_two_servers(self, model: type[models.Model]) -> None:
        fields = {"tool": "x", "reason": "y"} if model is ToolSwitch else {}
        network = {"network": "203.0.113.0/24"} if model is ClientNetwork else {}
        assert "server must be liquidations" in _constraint_error(model(server="third", **fields, **network))


def _constraint_error(row: models.Model) -> str:
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()
    with pytest.raises(ValidationError) as error:
        row.validate_constraints()
    return " ".join(error.value.messages)


class TestOnce:
    def test_a_network_has_one_rule_for_a_server_and_one_for_both(self) -> None:
        ClientNetwork.objects.create(network="203.0.113.0/24")
        ClientNetwork.objects.create(network="203.0.113.0/24", server="analytics")
        assert refused(ClientNetwork(network="203.0.113.0/24")) == "This network has a rule already."

    def test_a_tool_has_one_switch(self) -> None:
        switch = {"server": "analytics", "tool": "get_history", "reason": "Being mended."}
        ToolSwitch.objects.create(**switch)
        assert refused(ToolSwitch(**switch)) == "This tool has a switch already."


class TestNetwork:
    @pytest.mark.parametrize(
        ("text", "network"),
        [
            ("203.0.113.9/24", "203.0.113.0/24"),
            (" 203.0.113.9 ", "203.0.113.9/32"),
            ("2001:DB8:0::1/48", "2001:db8::/48"),
            ("::ffff:203.0.113.9", "203.0.113.9/32"),
            ("::ffff:203.0.113.9/120", "203.0.113.0/24"),
            ("::/0", "::/0"),
        ],
    )
    def test_it_is_written_in_one_form(self, text: str, network: str) -> None:
        row = ClientNetwork(network=text)
        row.full_clean()
        assert row.network == network == str(parsed_network(text))

    @pytest.mark.parametrize("text", ["203.0.113.0/33", "example.com", "203.0.113.0-9", "/24", "1.2.3"])
    def test_what_is_none_is_refused_with_an_example(self, text: str) -> None:
        with pytest.raises(ValidationError, match="CIDR notation, such as 203"):
            ClientNetwork(network=text).full_clean()


class TestChange:
    @pytest.fixture
    def change(self) -> Change:
        Change(who="ann", what="Analytics limits", field="requests_per_minute", old="60", new="6").save()
        return Change.objects.get()

    def test_the_model_refuses_to_change_or_delete_it(self, change: Change) -> None:
        change.who = "somebody else"
        with pytest.raises(PermanentError):
            change.save()
        with pytest.raises(PermanentError):
            change.delete()

    def test_so_does_a_query(self, change: Change) -> None:
        with pytest.raises(PermanentError):
            Change.objects.update(who="somebody else")
        with pytest.raises(PermanentError):
            Change.objects.all().delete()

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE limits_change SET who = 'somebody else'",
            "DELETE FROM limits_change",
            "INSERT OR REPLACE INTO limits_change (id, at, who, what, field, old, new) "
            "SELECT id, at, 'somebody else', what, field, old, new FROM limits_change",
        ],
    )
    def test_so_does_the_database(self, change: Change, statement: str) -> None:
        with connection.cursor() as cursor, pytest.raises(DatabaseError), transaction.atomic():
            cursor.execute(statement)
        assert [row.who for row in Change.objects.all()] == ["ann"]

    def test_nobody_can_be_given_a_permission_but_to_read_it(self) -> None:
        assert Change._meta.default_permissions == ("view",)
