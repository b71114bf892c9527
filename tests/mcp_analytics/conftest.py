"""A venue whose every answer is sound, for the tests of a tool to change."""

from __future__ import annotations

import pytest

from tests.filled_venue import FilledVenue


@pytest.fixture
def venue() -> FilledVenue:
    return FilledVenue()
