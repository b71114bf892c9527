"""The secret key that ``manage.py run`` keeps for itself where nobody gave it one.

It stands beside the database file, for what hangs on it is there too: operators' sessions, and clients by the
hashes of their addresses. With a database elsewhere each start makes another.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from django.core.management.utils import get_random_secret_key

from papertrade_site.env_values import MIN_SECRET_LENGTH

SUFFIX: Final = ".secret-key"


class SecretFileError(Exception):
    """The file of the key cannot be used; the message says which, and what to do."""


def own_secret_key(database: Path | None) -> str:
    """The key that belongs to a database file, made when there is none; a new one without a file.

    Raises:
        SecretFileError: when the file is open to others, holds no key, or can be neither read nor written.
    """
    if database is None:
        return get_random_secret_key()
    file = database.with_name(f"{database.name}{SUFFIX}")
    try:
        return _read(file) if os.path.lexists(file) else _make(file)
    except FileExistsError as error:
        raise SecretFileError(f"{file} was being made by another start: start again") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SecretFileError(f"{file} cannot be read or written: remove it") from error


def _make(file: Path) -> str:
    key = get_random_secret_key()
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as new:
        new.write(f"{key}\n")
    return key


def _read(file: Path) -> str:
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), encoding="utf-8") as kept:
        status, key = os.fstat(kept.fileno()), kept.read().strip()
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise SecretFileError(f"{file} is not a file of this user alone: remove it")
    if len(key) < MIN_SECRET_LENGTH:
        raise SecretFileError(f"{file} holds no key: remove it")
    return key
