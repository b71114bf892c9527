"""What a password has to be besides what Django asks of it."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError

LEAST_DIFFERENT: Final = 6


class VariedPasswordValidator:
    """Refuses passwords of a few characters over and over, which are long and yet soon guessed."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Check a new password, whosever it is.

        Raises:
            ValidationError: when it has too few different characters, however written.
        """
        if len(set(password.casefold())) < LEAST_DIFFERENT:
            raise ValidationError(
                f"This password has fewer than {LEAST_DIFFERENT} different characters.",
                code="password_monotonous",
            )

    def get_help_text(self) -> str:
        """What the form says before."""
        return f"Your password must contain at least {LEAST_DIFFERENT} different characters."
