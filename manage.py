#!/usr/bin/env python
"""The project's command line."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.umask(0o077)  # what a command makes, the database's file first, is for its user alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "papertrade_site.settings")
    execute_from_command_line(sys.argv)
