"""Faults of the settings as numbered Django system checks, and the refusal to serve with any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info
from django.core.exceptions import ImproperlyConfigured

from papertrade_site.env import CHECK_IDS, LOOPBACK_HOSTS, Environment, Problem
from papertrade_site.env_values import MIN_SECRET_LENGTH

EXAMPLE_DOMAIN: Final = "example.org"
EXAMPLE_BLANK: Final = "PASSWORD"
"""What stands in ``deploy/papertrade.env`` in the place of names and secrets of one's own."""


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


def check_example_is_replaced(**_: object) -> list[CheckMessage]:
    """Report settings of a deployment that still hold what the example has in the place of one's own."""
    message = "still holds what deploy/papertrade.env has in the place of a name or secret of your own"
    left = _left_of_example(settings.ENVIRONMENT)
    return [Error(f"{setting} {message}.", id="papertrade.E201") for setting in left]


def check_local_requests(**_: object) -> list[CheckMessage]:
    """Say when nothing on the machine itself, such as what collects metrics, can ask by its address."""
    if LOOPBACK_HOSTS.intersection(host.strip("[]") for host in settings.ENVIRONMENT.allowed_hosts):
        return []
    message = (
        "PAPERTRADE_ALLOWED_HOSTS does not name 127.0.0.1: requests to /metrics, /healthz and /readyz at the"
        " service's own port are refused, unless their Host header names one of the hosts"
    )
    return [Info(f"{message}.", id="papertrade.I202")]


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


def _left_of_example(environment: Environment) -> Iterator[str]:
    hosts: dict[str, list[str | None]] = {
        "PAPERTRADE_ALLOWED_HOSTS": [*environment.allowed_hosts],
        "PAPERTRADE_LIQUIDATIONS_HOST": [environment.liquidations_host],
        "PAPERTRADE_ANALYTICS_HOST": [environment.analytics_host],
        "PAPERTRADE_ADMIN_HOST": [environment.admin_host],
    }
    yield from (setting for setting, names in hosts.items() if _names_example(names))
    addresses = {"DATABASE_URL": environment.database_url, "REDIS_URL": environment.redis}
    for setting, address in addresses.items():
        if urlsplit(address).password == EXAMPLE_BLANK:
            yield setting


def _names_example(hosts: Iterable[str | None]) -> bool:
    return any(f".{host}".endswith(f".{EXAMPLE_DOMAIN}") for host in hosts)
