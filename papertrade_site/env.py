"""The project's settings, read once from the environment and from ``.env``, typed.

Bad values never stop the import: ``load`` puts the default in their place and returns one numbered
``Problem`` for each, which ``checks.py`` reports all at once and which refuses to boot.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, HttpUrl, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

BASE_DIR: Final = Path(__file__).resolve().parent.parent
VAR_DIR: Final = BASE_DIR / "var"


class Source(StrEnum):
    """Where every figure comes from."""

    LIVE = "live"
    SIMULATED = "simulated"
