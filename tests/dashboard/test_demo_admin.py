"""``manage.py demo_admin``: a user for trying things out, never where others can reach the service."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings

from papertrade_site.env import Environment

pytestmark = pytest.mark.django_db


def printed_password() -> str:
    """What the command prints as the password."""
    out = StringIO()
    call_command("demo_admin", stdout=out)
    return out.getvalue().splitlines()[0].split()[-1]


def test_it_prints_a_password_that_works_until_the_next_one() -> None:
    first = printed_password()
    user = User.objects.get(username="demo")
    assert (user.is_staff, user.is_superuser, user.check_password(first)) == (True, True, True)
    second = printed_password()
    user.refresh_from_db()
    assert (user.check_password(second), user.check_password(first)) == (True, False)
    assert len(first) >= 20


@pytest.mark.parametrize(
    ("values", "address"),
    [
        ({"PORT": 9123}, "http://127.0.0.1:9123/admin/"),
        ({"PORT": 9123, "PAPERTRADE_ADMIN_HOST": "ops.localhost"}, "http://ops.localhost:9123/admin/"),
    ],
)
def test_it_says_where_to_sign_in(settings: Settings, values: dict[str, object], address: str) -> None:
    settings.ENVIRONMENT = Environment.model_validate(values)
    out = StringIO()
    call_command("demo_admin", stdout=out)
    assert out.getvalue().startswith(f"Sign in at {address} as demo with the password ")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"PAPERTRADE_SOURCE": "live"}, "PAPERTRADE_SOURCE is live"),
        ({"PAPERTRADE_PUBLIC_SCHEME": "https"}, "PAPERTRADE_PUBLIC_SCHEME is https"),
        ({"PAPERTRADE_ALLOWED_HOSTS": "localhost,mcp.example.com"}, "mcp.example.com is a host"),
        ({"PAPERTRADE_ANALYTICS_HOST": "analytics.example.com"}, "analytics.example.com is a host"),
        ({"PAPERTRADE_ADMIN_HOST": "ops.example.com"}, "ops.example.com is a host"),
    ],
)
def test_it_makes_nobody_where_the_service_is_for_others(
    settings: Settings, values: dict[str, str], reason: str
) -> None:
    settings.ENVIRONMENT = Environment.model_validate(values)
    with pytest.raises(CommandError, match=reason):
        call_command("demo_admin")
    assert not User.objects.exists()
