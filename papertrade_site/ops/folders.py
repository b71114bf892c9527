"""Folders outside the project's own that hold what only this user may read or write."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


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
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise FolderError(f"{folder} is not a folder of this user alone: remove it")


def remove_files_of_ended(folder: Path) -> None:
    """Remove the files whose names begin with the number of a process, and ``-``, that is no more."""
    for path in folder.glob("*-*"):
        pid = path.name.partition("-")[0]
        if not (pid.isdecimal() and _is_alive(int(pid))):
            path.unlink(missing_ok=True)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that has nothing in it, if it is there."""
    with suppress(OSError):
        folder.rmdir()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
