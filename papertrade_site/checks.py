"""Faults of the settings as numbered Django system checks, and the refusal to serve with any of them."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured

from papertrade_site.env import CHECK_IDS, MIN_SECRET_LENGTH, Problem


def check_environment(**_: object) -> list[CheckMessage]:
    """Report each setting that is wrong; ``manage.py check`` and every command that checks shows them all."""
    return [
        Error(f"{problem.setting} {problem.message}.", id=problem.id)
        for problem in settings.ENVIRONMENT_PROBLEMS
    ]


def check_secret_key(**_: object) -> list[CheckMessage]:
    """Report a missing secret key, which only serving needs (``manage.py run`` makes one of its own)."""
    return [
        Error(f"{problem.setting} {problem.message}.", id=problem.id)
        for problem in _missing_secret(has_secret=settings.SECRET_KEY_IS_SET)
    ]


def refuse_to_serve_when_wrong() -> None:
    """Stop the boot of a server when a setting is wrong.

    Raises:
        ImproperlyConfigured: naming every setting that is wrong, one a line.
    """
    problems = [*settings.ENVIRONMENT_PROBLEMS, *_missing_secret(has_secret=settings.SECRET_KEY_IS_SET)]
    if problems:
        raise ImproperlyConfigured(describe(problems))


def describe(problems: Sequence[Problem]) -> str:
    """All problems for a person to read, one a line."""
    lines = (f"  {problem.id}  {problem.setting} {problem.message}" for problem in problems)
    return "Some settings are wrong (.env.example describes them):\n" + "\n".join(lines)


def _missing_secret(*, has_secret: bool) -> list[Problem]:
    if has_secret:
        return []
    setting = "PAPERTRADE_SECRET_KEY"
    message = f"is not set: give it {MIN_SECRET_LENGTH} or more random characters"
    return [Problem(CHECK_IDS[setting], setting, message)]
