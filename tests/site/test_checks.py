"""Numbered system checks, and the refusal to serve."""

from __future__ import annotations

import os
import subprocess
import sys
from secrets import token_urlsafe

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from papertrade_site.checks import refuse_to_serve_when_wrong
from papertrade_site.env import BASE_DIR, Problem

PROBLEMS = (
    Problem("papertrade.E001", "PAPERTRADE_SOURCE", "is 'x': wrong"),
    Problem("papertrade.E012", "PORT", "is 'y': wrong"),
)


def _raised() -> list[str | None]:
    """Ids of the checks that ``manage.py check`` would show."""
    return [message.id for message in run_checks() if not message.is_silenced()]


def test_sound_settings_raise_no_check() -> None:
    assert _raised() == []


@override_settings(ENVIRONMENT_PROBLEMS=PROBLEMS)
def test_each_problem_is_a_check_with_its_number() -> None:
    assert _raised() == ["papertrade.E001", "papertrade.E012"]


@override_settings(SECRET_KEY_IS_SET=False)
def test_a_missing_secret_key_fails_the_deployment_checks_only() -> None:
    assert _raised() == []
    assert "papertrade.E007" in [message.id for message in run_checks(include_deployment_checks=True)]


@override_settings(ENVIRONMENT_PROBLEMS=PROBLEMS, SECRET_KEY_IS_SET=False)
def test_serving_is_refused_naming_every_fault() -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        refuse_to_serve_when_wrong()
    assert all(name in str(caught.value) for name in ("E001", "E012", "PAPERTRADE_SECRET_KEY is not set"))


@override_settings(SECRET_KEY_IS_SET=True)
def test_serving_is_allowed_with_sound_settings() -> None:
    refuse_to_serve_when_wrong()


def test_gunicorn_does_not_boot_with_wrong_settings_and_says_which() -> None:
    environ = {**os.environ, "PAPERTRADE_SOURCE": "both", "PAPERTRADE_THREADS": "0"}
    command = [sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py", "--check-config"]
    boot = subprocess.run(command, cwd=BASE_DIR, env=environ, capture_output=True, text=True, timeout=60)
    assert boot.returncode != 0
    assert "PAPERTRADE_SOURCE is 'both'" in boot.stderr
    assert "PAPERTRADE_THREADS is '0'" in boot.stderr


def test_production_settings_pass_every_check_of_a_deployment() -> None:
    environ = {
        **os.environ,
        "PAPERTRADE_ENV_FILE": "",
        "PAPERTRADE_SECRET_KEY": token_urlsafe(60),
        "PAPERTRADE_SOURCE": "live",
        "PAPERTRADE_PUBLIC_SCHEME": "https",
        "PAPERTRADE_ALLOWED_HOSTS": "mcp.example.com,127.0.0.1",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    check = subprocess.run(command, cwd=BASE_DIR, env=environ, capture_output=True, text=True, timeout=60)
    assert (check.returncode, "no issues" in check.stdout) == (0, True), check.stderr
    plain = subprocess.run(
        command,
        cwd=BASE_DIR,
        env={**environ, "PAPERTRADE_PUBLIC_SCHEME": "http"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "SESSION_COOKIE_SECURE" in plain.stderr
