"""Operators while the database cannot be read or written: whatever they ask, they are told what is wrong."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from papertrade_site.env import BASE_DIR
from tests.faults.databases import Fault, being_written, locked, missing, read_only, site_on, spoiled
from tests.faults.deployment import PATIENCE_S, Deployment, environ_of
from tests.limits.valkey import OwnValkey
from tests.running import manage

TOLD = (503, "The database cannot be read or written")
SECRET_KEY = "only-for-tests-" * 4
PASSWORD = "ink-on-warm-paper"
TOKEN = "t" * 32
LIMITS = "/admin/limits/serverrules/1/change/"
SIGN_IN = f"""
from django.contrib import auth
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
ann = User.objects.create_superuser("ann", password="{PASSWORD}")
session = SessionStore()
session[auth.SESSION_KEY] = str(ann.pk)
session[auth.BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[auth.HASH_SESSION_KEY] = ann.get_session_auth_hash()
session.create()
print(session.session_key)
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def prepared(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A database, and the name of the session of somebody who has signed in there."""
    path = Path(shutil.copy(empty_database, tmp_path_factory.mktemp("prepared")))
    environ = environ_of(redis_url="unix:///nowhere", database=path) | {"PAPERTRADE_SECRET_KEY": SECRET_KEY}
    shell = manage("shell", "--verbosity", "0", "--command", SIGN_IN)
    signed_in = subprocess.run(shell, cwd=BASE_DIR, env=environ, check=True, capture_output=True, text=True)
    return path, signed_in.stdout.strip()


@pytest.fixture
def session(prepared: tuple[Path, str]) -> str:
    return prepared[1]


@pytest.fixture
def operated(prepared: tuple[Path, str], database: Path) -> Path:
    """A copy of that database."""
    return Path(shutil.copy(prepared[0], database))


def _asked(site: Deployment, path: str, session: str = "", **fields: str) -> tuple[int, str]:
    """Status and text of a page, or of what comes of its form where there are fields."""
    cookies = f"sessionid={session}; csrftoken={TOKEN}"
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    form = urlencode({**fields, "csrfmiddlewaretoken": TOKEN}) if fields else None
    with closing(HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)) as connection:
        connection.request("POST" if fields else "GET", path, form, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def _is_told(answer: tuple[int, str]) -> bool:
    status, told = TOLD
    return answer[0] == status and told in answer[1]


def _comes(site: Deployment) -> tuple[int, str]:
    return _asked(site, "/admin/login/", username="ann", password=PASSWORD)


@pytest.mark.parametrize("fault", [missing, spoiled, locked, read_only])
def test_who_is_signed_in_or_comes_now_is_told_that_the_database_is_away(
    valkey: OwnValkey, operated: Path, session: str, tmp_path: Path, fault: Fault
) -> None:
    with fault(operated), site_on(operated, valkey, tmp_path) as site, ThreadPoolExecutor() as pool:
        asked = [
            pool.submit(_asked, site, "/admin/", session),
            pool.submit(_asked, site, LIMITS, session, is_on="on"),
            pool.submit(_comes, site),
        ]
        assert all(_is_told(each.result()) for each in asked)
    assert "Traceback" not in site.log.read_text()


def test_while_somebody_else_writes_all_can_be_read_and_changes_are_told_to_have_failed(
    valkey: OwnValkey, operated: Path, session: str, tmp_path: Path
) -> None:
    with site_on(operated, valkey, tmp_path) as site, ThreadPoolExecutor() as pool:
        assert site.get("/healthz").status == 200
        with being_written(operated):
            changes = [
                pool.submit(_asked, site, "/admin/logout/", session, now="yes"),
                pool.submit(_comes, site),
            ]
            assert [_asked(site, path, session)[0] for path in ("/admin/", LIMITS)] == [200, 200]
            assert all(_is_told(each.result()) for each in changes)
        assert _asked(site, "/admin/", session)[0] == 200
        assert _comes(site)[0] == 302
    assert "Traceback" not in site.log.read_text()
