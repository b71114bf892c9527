"""Fixtures for the whole suite."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_tmp_path() -> Iterator[Path]:
    """A private folder whose path leaves room for a unix socket's name within 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="pt-"))
    yield folder
    shutil.rmtree(folder)
