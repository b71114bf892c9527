"""A program: the usage rollup as it is, but for a moment between its rounds in place of the usual seconds."""

from __future__ import annotations

import os
from typing import Final
from unittest.mock import patch

import django
from django.core.management import call_command

EVERY_S: Final = 0.2


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
    django.setup()
    with patch("papertrade_site.usage.rollup.EVERY_S", EVERY_S):
        call_command("roll_up_usage")


if __name__ == "__main__":
    main()
