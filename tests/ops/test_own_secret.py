"""The secret key that a service without one keeps beside its database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from papertrade_site.env_values import MIN_SECRET_LENGTH
from papertrade_site.ops.own_secret import SecretFileError, own_secret_key


def test_every_start_with_one_database_finds_the_key_of_the_first(tmp_path: Path) -> None:
    key = own_secret_key(tmp_path / "db.sqlite3")
    assert len(key) >= MIN_SECRET_LENGTH
    assert own_secret_key(tmp_path / "db.sqlite3") == key
    assert own_secret_key(tmp_path / "other.sqlite3") != key


def test_without_a_file_each_start_makes_another() -> None:
    assert own_secret_key(None) != own_secret_key(None)


def test_the_key_is_for_this_user_alone(tmp_path: Path) -> None:
    own_secret_key(tmp_path / "db.sqlite3")
    (file,) = tmp_path.iterdir()
    assert file.name == "db.sqlite3.secret-key"
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda file: file.chmod(0o644), "not a file of this user alone"),
        (lambda file: file.write_text("short\n", encoding="utf-8"), "holds no key"),
        (lambda file: file.write_bytes(b"\xff" * 60), "cannot be read"),
        (
            lambda file: file.rename(file.with_name("moved")).parent.joinpath(file.name).mkdir(),
            "cannot be read",
        ),
        (lambda file: file.symlink_to(file.rename(file.with_name("moved"))), "cannot be read"),
    ],
    ids=["open to others", "no key", "no text", "a folder", "a link"],
)
def test_a_file_that_cannot_be_trusted_is_named(
    spoil: Callable[[Path], object], fault: str, tmp_path: Path
) -> None:
    own_secret_key(tmp_path / "db.sqlite3")
    spoil(tmp_path / "db.sqlite3.secret-key")
    with pytest.raises(SecretFileError, match=fault) as caught:
        own_secret_key(tmp_path / "db.sqlite3")
    assert str(tmp_path / "db.sqlite3.secret-key") in str(caught.value)


def test_a_folder_that_takes_no_file_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(SecretFileError, match="cannot be read or written"):
        own_secret_key(tmp_path / "missing" / "db.sqlite3")
