"""How often somebody may try a password: by address, and by the name that is tried, be it one or not."""

from __future__ import annotations

from typing import Final
from unicodedata import normalize

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from papertrade_site.limits.bounds import WINDOW_S
from papertrade_site.limits.counter import Allowance, count_request

ATTEMPTS_PER_MINUTE: Final = 5
HASH_SALT: Final = "papertrade.dashboard.attempts"
NAME_LENGTH: Final = 150
"""Characters of the longest name that a user can have; the rest of a longer one tells nothing."""


def wait_before_attempt(request: HttpRequest, name: str) -> int | None:
    """Count an attempt at a name's password; whole seconds to wait when there were too many, else None.

    Successful ones count too, or a stolen password would be a way to try others.
    """
    allowances = [
        Allowance("sign-in", ATTEMPTS_PER_MINUTE, WINDOW_S),
        Allowance("sign-in-name", ATTEMPTS_PER_MINUTE, WINDOW_S, owner=_name_key(name)),
    ]
    standings = count_request(request, cost=1, allowances=allowances) or []
    return max((standing.reset_s for standing in standings if standing.is_refused), default=None)


def _name_key(name: str) -> str:
    """The tried name, the same however it is written, as nobody can read it; spaces go first, as in forms."""
    usual = normalize("NFKC", name.strip()[:NAME_LENGTH]).strip().casefold()
    return salted_hmac(HASH_SALT, usual, algorithm="sha256").hexdigest()
