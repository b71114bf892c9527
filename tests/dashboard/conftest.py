"""Operators of several kinds, signed in, and counters that are those of this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from papertrade_site.dashboard.groups import LIMITS_EDITORS
from tests.limits.valkey import cache_at

PASSWORD = "ink-on-warm-paper"

SignedIn = Callable[..., Client]


@pytest.fixture(autouse=True)
def counted_in_this_process(settings: Settings, tmp_path: Path) -> None:
    cache_at(settings, "limits", f"unix://{tmp_path}/nobody.sock")


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("ann", password=PASSWORD)


@pytest.fixture
def editor(db: None) -> User:
    user = User.objects.create_user("ben", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=LIMITS_EDITORS))
    return user


@pytest.fixture
def signed_in() -> SignedIn:
    """Make a client that a user has signed in with."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
