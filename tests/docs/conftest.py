"""What the pages read from while they are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.simulated_calls import SimulatedCalls, simulated_calls


@pytest.fixture(scope="session")
def world() -> Iterator[SimulatedCalls]:
    """One embedded exchange for all pages."""
    with simulated_calls() as calls:
        yield calls


@pytest.fixture
def venue(world: SimulatedCalls, db: None) -> Iterator[SimulatedCalls]:
    """The embedded exchange, from which pages and tools read for the length of a test, and a database."""
    with world.read_by_tools():
        yield world
