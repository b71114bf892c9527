"""Folders outside the project's own that hold what only this user may read or write."""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_OF_PROCESS: Final = re.compile(r"(?P<pid>[0-9]{1,10})-[0-9a-f]{8}\.(json|new)")

ABANDONED_S: Final = 3600
"""Seconds after which nobody is about to fill an empty folder."""


class FolderError(Exception):
    """A folder cannot be made, or is not this user's alone; the message says which."""


def make_private_folder(folder: Path) -> None:
    """Make a folder that only this user can enter, or check that it is one.

    Raises:
        FolderError: when it cannot be made, belongs to someone else or is open to others.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise FolderError(f"{folder} cannot be made: remove what is there") from error
    if not _is_private(folder):
        raise FolderError(f"{folder} is not a folder of this user alone: remove it")


def remove_files_of_ended(folder: Path) -> None:
    """Remove the files of processes that are no more, from a folder that only this user can enter.

    They are named ``<number of the process>-<8 hexadecimal digits>`` and end in ``.json`` or ``.new``;
    whatever else stands there is left alone.
    """
    if not _is_private(folder):
        return
    for path in folder.iterdir():
        named = _OF_PROCESS.fullmatch(path.name)
        if named and not _is_alive(int(named["pid"])):
            path.unlink(missing_ok=True)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that has nothing in it, if it is there."""
    with suppress(OSError):
        folder.rmdir()


def remove_abandoned(parent: Path, named: re.Pattern[str]) -> None:
    """Remove the empty folders of this user that a service leaves which is killed.

    What was made or changed within the last hour is left alone: somebody may be about to fill it.
    """
    for folder in parent.iterdir():
        if named.fullmatch(folder.name) and _is_private(folder):
            with suppress(FileNotFoundError):
                if time.time() - folder.lstat().st_mtime > ABANDONED_S:
                    remove_if_empty(folder)


def _is_private(folder: Path) -> bool:
    """Whether it is a folder, and no link to one, that is this user's and closed to all others."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
