"""Signing in: who gets in, and that guessing is slow and tells nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from pytest_django import Settings

from papertrade_site.clock import SystemClock
from papertrade_site.limits import cache
from papertrade_site.limits.failover import Failover
from tests.dashboard.conftest import PASSWORD, SignedIn
from tests.limits.valkey import OwnValkey, cache_at, running_valkey

WRONG = "not-the-password"
LOGIN = "/admin/login/"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wall")]


def attempt(name: str, password: str = WRONG, *, address: str = "203.0.113.7") -> Any:  # noqa: ANN401
    """Try to sign in from an address, with no cookie of an earlier attempt."""
    return Client(REMOTE_ADDR=address).post(LOGIN, {"username": name, "password": password})


def wrong_words(answer: Any) -> str:  # noqa: ANN401
    """What the form says is wrong."""
    assert answer.status_code == 200
    return str(answer.context["form"].non_field_errors())


@pytest.fixture
def of_every_kind(superuser: User, editor: User) -> list[str]:
    """Names with whose passwords nobody gets in, and one that nobody has."""
    User.objects.create_user("customer", password=PASSWORD)
    User.objects.create_user("gone", password=PASSWORD, is_staff=True, is_active=False)
    User.objects.create_user("keyless", is_staff=True)
    return ["customer", "gone", "keyless", "nobody"]


def test_staff_gets_in(superuser: User, editor: User) -> None:
    for name in ("ann", "ben"):
        assert attempt(name, PASSWORD)["Location"] == "/admin/"


def test_everybody_else_is_told_the_same_whatever_is_wrong(of_every_kind: list[str]) -> None:
    told = {
        wrong_words(attempt(name, PASSWORD, address=f"203.0.113.{at}"))
        for at, name in enumerate(of_every_kind)
    }
    told.add(wrong_words(attempt("ann", WRONG)))
    assert len(told) == 1


def test_every_attempt_takes_the_time_of_one_hash_whether_or_not_there_is_such_a_user(
    of_every_kind: list[str], settings: Settings
) -> None:
    settings.PASSWORD_HASHERS = ["tests.dashboard.test_signing_in.CountedHasher"]
    ann = User.objects.get(username="ann")
    for user in User.objects.exclude(username="keyless"):
        user.set_password(PASSWORD)
        user.save()
    counts = {}
    for at, name in enumerate([*of_every_kind, ann.username]):
        CountedHasher.made = 0
        attempt(name, WRONG, address=f"203.0.113.{at}")
        counts[name] = CountedHasher.made
    assert set(counts.values()) == {1}, counts


class CountedHasher(PBKDF2PasswordHasher):
    """Django's usual one, quicker, that counts how often it is at work."""

    iterations = 1_000
    made = 0

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        CountedHasher.made += 1
        return super().encode(password, salt, iterations)


def test_the_sixth_attempt_of_an_address_within_a_minute_is_refused_even_if_right(superuser: User) -> None:
    for at in range(5):
        assert attempt(f"name{at}").status_code == 200
    refused = attempt("ann", PASSWORD)
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert f"Try again in {refused['Retry-After']} s." in refused.content.decode()
    assert attempt("ann", PASSWORD, address="203.0.113.8").status_code == 302


@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_the_sixth_attempt_at_a_name_is_refused_from_wherever_and_however_written(
    superuser: User, name: str
) -> None:
    spellings = [name, name.upper(), f" {name} ", name.title(), name]
    for at, spelling in enumerate(spellings):
        assert attempt(spelling, address=f"203.0.113.{at}").status_code == 200
    refused = attempt(name, PASSWORD, address="203.0.113.9")
    assert refused.status_code == 429
    assert "Too many attempts" in refused.content.decode()


@pytest.mark.parametrize("spaces", [1, 150, 1000])
def test_spaces_before_a_name_make_it_no_other_name(superuser: User, spaces: int) -> None:
    for at in range(5):
        name = f"{' ' * spaces * at}ann"
        assert attempt(name, address=f"203.0.113.{at}").status_code == 200
    assert attempt(f"{' ' * (spaces + 7)}ann", PASSWORD, address="203.0.113.9").status_code == 429


def test_the_old_password_is_tried_as_seldom_as_in_signing_in(superuser: User, signed_in: SignedIn) -> None:
    client, path = signed_in(superuser), "/admin/password_change/"
    sent = {"old_password": WRONG, "new_password1": "warm-paper-on-ink", "new_password2": "warm-paper-on-ink"}
    for at in range(5):
        assert client.post(path, sent, REMOTE_ADDR=f"203.0.113.{at}").status_code == 200
    refused = client.post(path, {**sent, "old_password": PASSWORD}, REMOTE_ADDR="203.0.113.9")
    assert (refused.status_code, 1 <= int(refused["Retry-After"]) <= 60) == (429, True)
    assert attempt("ann", PASSWORD, address="203.0.113.10").status_code == 429
    superuser.refresh_from_db()
    assert superuser.check_password(PASSWORD)
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("password", ["aaaaaaaaaaaa", "135792468013", "abABabABabAB", "xyxyxzxyxzxyxz"])
def test_passwords_that_are_soon_guessed_are_refused(password: str) -> None:
    with pytest.raises(ValidationError):
        validate_password(password)


def test_an_ordinary_long_password_is_taken() -> None:
    validate_password(PASSWORD)


def test_reading_the_form_is_no_attempt(client: Client) -> None:
    for _ in range(8):
        assert client.get(LOGIN).status_code == 200
    assert attempt("ann").status_code == 200


@pytest.fixture
def valkey(short_tmp_path: Path, settings: Settings) -> Iterator[OwnValkey]:
    with running_valkey(short_tmp_path / "valkey.sock") as valkey:
        cache_at(settings, "limits", valkey.url)
        yield valkey


def test_all_processes_count_together_and_store_neither_name_nor_address(valkey: OwnValkey) -> None:
    for _ in range(5):
        with patch.object(cache, "process_counts", Failover(SystemClock())):
            assert attempt("secretname").status_code == 200
    with patch.object(cache, "process_counts", Failover(SystemClock())):
        assert attempt("secretname", address="203.0.113.8").status_code == 429
    keys = " ".join(valkey.stored_keys())
    assert "sign-in" in keys
    assert "secretname" not in keys
    assert "203.0.113" not in keys
