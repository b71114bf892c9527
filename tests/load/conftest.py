"""Prints what a benchmark noted beside its times."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

NOTES = pytest.StashKey[list[str]]()


@pytest.fixture(autouse=True)
def notes(request: pytest.FixtureRequest, benchmark: BenchmarkFixture) -> Iterator[None]:
    yield
    lines = request.config.stash.setdefault(NOTES, [])
    lines += [f"{request.node.name}: {name} = {value}" for name, value in benchmark.extra_info.items()]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash.get(NOTES, []):
        terminalreporter.write_line(line)
