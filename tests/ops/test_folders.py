"""Folders of one user alone, and files of processes in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from papertrade_site.ops.folders import (
    ABANDONED_S,
    FolderError,
    make_private_folder,
    remove_abandoned,
    remove_files_of_ended,
    remove_if_empty,
)


def test_a_private_folder_is_made_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    make_private_folder(folder)
    make_private_folder(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(FolderError, match="not a folder of this user alone"):
        make_private_folder(folder)


@pytest.mark.parametrize(
    "make", [Path.touch, lambda path: path.symlink_to("nowhere")], ids=["file", "dead link"]
)
def test_something_else_in_the_folders_place_is_refused(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "run")
    with pytest.raises(FolderError, match="cannot be made"):
        make_private_folder(tmp_path / "run")


def test_a_link_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "run").symlink_to(tmp_path / "real")
    with pytest.raises(FolderError, match="not a folder of this user alone"):
        make_private_folder(tmp_path / "run")


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_files_of_processes_that_have_ended_are_removed_and_no_others(tmp_path: Path, ended: int) -> None:
    tmp_path.chmod(0o700)
    others = [
        f"{ended}-b.json",
        f"{ended}-0123abcd.txt",
        f"x-{ended}-0123abcd.json",
        "x-0123abcd.json",
        "other",
    ]
    kept = [f"{os.getpid()}-0123abcd.json", "1-0123abcd.json", *others]
    for name in [*kept, f"{ended}-0123abcd.json", f"{ended}-0123abcd.new"]:
        (tmp_path / name).touch()
    remove_files_of_ended(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(kept)


def test_nothing_is_removed_through_a_link_or_from_a_folder_that_others_can_enter(
    tmp_path: Path, ended: int
) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "open").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files = [tmp_path / folder / f"{ended}-0123abcd.json" for folder in ("real", "open")]
    for path in files:
        path.touch()
    (tmp_path / "open").chmod(0o755)
    remove_files_of_ended(tmp_path / "link")
    remove_files_of_ended(tmp_path / "open")
    assert all(path.exists() for path in files)


def test_a_folder_that_is_not_there_has_nothing_to_remove(tmp_path: Path) -> None:
    remove_files_of_ended(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_only_an_empty_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty").mkdir()
    for name in ("full", "empty", "none"):
        remove_if_empty(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_old_empty_folders_of_this_user_and_name_are_removed_and_no_others(tmp_path: Path) -> None:
    for name in ("own-1", "own-2", "own-new", "own-used", "own-open", "other"):
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "own-used" / "socket").touch()
    (tmp_path / "own-open").chmod(0o755)
    (tmp_path / "own-file").touch()
    old = time.time() - ABANDONED_S - 1
    for path in tmp_path.iterdir():
        if path.name != "own-new":
            os.utime(path, (old, old))
    remove_abandoned(tmp_path, re.compile("own-.*"))
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"own-new", "own-used", "own-open", "own-file", "other"}
