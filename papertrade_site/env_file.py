"""The file in which settings stand that the environment does not hold: ``.env``, or one that is named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from dotenv import dotenv_values

ENV_FILE_NAME: Final = "PAPERTRADE_ENV_FILE"
"""The variable that names another file than the usual one; an empty value stands for none."""


def chosen_file(usual: Path) -> Path | None:
    """The file to read settings from: the usual one unless the environment names another, or none."""
    named = os.environ.get(ENV_FILE_NAME)
    if named is None:
        return usual
    return Path(named) if named else None


def file_fault(file: Path | None) -> tuple[str, str] | None:
    """What is wrong with the file, after the name that a person knows it by; None when nothing is.

    Only a file that nobody named may be missing.
    """
    is_named = bool(os.environ.get(ENV_FILE_NAME))
    if file is None or not (is_named or file.exists()):
        return None
    fault = _fault(file)
    if fault is None:
        return None
    return (ENV_FILE_NAME, f"names {file}, which {fault}") if is_named else (file.name, fault)


def _fault(file: Path) -> str | None:
    if not file.is_file():
        return "is not a file" if file.exists() else "is not there"
    try:
        file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return "is not a text in UTF-8"
    except OSError:
        return "cannot be read"
    return None


def names_in(file: Path | None) -> list[str]:
    """The names that a readable file gives values to; none where there is no file."""
    return sorted(dotenv_values(file)) if file is not None and file.is_file() else []
