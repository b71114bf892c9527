"""Who sees that there is an admin, what its answers carry, and that nothing of it is anywhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import URLResolver
from pytest_django import Settings

from papertrade_site.dashboard.middleware import is_admin
from papertrade_site.limits.models import ClientNetwork
from tests.dashboard.conftest import SignedIn
from tests.docs.markup import content_of, elements_of

PAGES = [
    "/admin/limits/",
    "/admin/limits/serverrules/",
    "/admin/limits/serverrules/1/change/",
    "/admin/limits/siterules/1/change/",
    "/admin/limits/toolswitch/add/",
    "/admin/limits/clientnetwork/",
    "/admin/limits/clientnetwork/add/",
    "/admin/limits/resourcelifetime/add/",
    "/admin/limits/change/",
    "/admin/limits/effective/?address=203.0.113.7",
    "/admin/ops/incident/add/",
    "/admin/auth/user/",
    "/admin/auth/user/add/",
    "/admin/password_change/",
]
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@pytest.mark.parametrize(
    ("path", "is_it"),
    [
        ("/admin", True),
        ("/admin/", True),
        ("/admin/limits/", True),
        ("/administration", False),
        ("/admin.html", False),
        ("/docs/admin/", False),
        ("/", False),
    ],
)
def test_the_room_begins_at_its_own_name(rf: RequestFactory, path: str, *, is_it: bool) -> None:
    assert is_admin(rf.get(path)) is is_it


def test_the_address_without_a_slash_leads_in(client: Client) -> None:
    assert client.get("/admin")["Location"] == "/admin/"


@pytest.mark.django_db
def test_a_stranger_is_asked_to_sign_in(client: Client) -> None:
    for path in PAGES:
        assert client.get(path)["Location"].startswith("/admin/login/?next=/admin/")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/admin/login/", "/admin/", "/admin/nothing/", "/admin"])
def test_every_answer_may_be_neither_kept_nor_framed_nor_run_strange_code(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer["Cache-Control"] == "no-store"
    policy = answer["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert {"default-src 'none'", "frame-ancestors 'none'", "script-src 'self'", "style-src 'self'"} <= set(
        policy.split("; ")
    )
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in answer.headers


def _forbidden(html: str) -> list[str]:
    """What of a page its policy would not let run or show."""
    found = []
    for element in elements_of(html):
        if element.tag == "style" or (element.tag == "script" and "src" not in element.attributes):
            found.append(element.tag)
        found += [name for name in element.attributes if name == "style" or name.startswith("on")]
    return found


@pytest.mark.django_db
def test_pages_need_nothing_that_the_policy_forbids(superuser: User, signed_in: SignedIn) -> None:
    client = signed_in(superuser)
    for path in PAGES:
        page = client.get(path)
        assert page.status_code == 200, path
        assert (path, _forbidden(page.content.decode())) == (path, [])


@pytest.mark.django_db
def test_pages_are_never_compressed_since_they_hold_tokens(superuser: User, signed_in: SignedIn) -> None:
    page = signed_in(superuser).get(
        "/admin/limits/serverrules/1/change/", headers={"accept-encoding": "gzip"}
    )
    assert (page.status_code, page.has_header("Content-Encoding")) == (200, False)


@pytest.mark.parametrize("path", ["/healthz", "/analytics/mcp", "/nothing/here", "/administration"])
def test_elsewhere_a_session_is_neither_read_nor_made(client: Client, path: str) -> None:
    # Without the mark of a test that uses it, any look into the database fails this test.
    plain = client.get(path)
    known = client.get(path, headers={"cookie": f"sessionid={'a' * 32}; csrftoken={'b' * 32}"})
    assert (known.status_code, known.headers.get("Vary")) == (plain.status_code, plain.headers.get("Vary"))
    assert not known.cookies
    assert "Cookie" not in known.headers.get("Vary", "")


def test_elsewhere_no_form_is_asked_for_a_token() -> None:
    caller = Client(enforce_csrf_checks=True)
    answer = caller.post(
        "/analytics/mcp", PING, content_type="application/json", headers={"cookie": "csrftoken=x"}
    )
    assert answer.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.django_db
def test_cookies_go_to_the_room_alone_and_out_of_reach_of_scripts(client: Client, superuser: User) -> None:
    client.get("/admin/login/")
    client.post("/admin/login/", {"username": "ann", "password": "ink-on-warm-paper"})
    for name in ("sessionid", "csrftoken"):
        cookie = client.cookies[name]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/admin/", True, "Lax")
    assert client.cookies["sessionid"]["max-age"] == 12 * 60 * 60


@pytest.mark.django_db
def test_a_form_from_elsewhere_changes_nothing(superuser: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(superuser)
    answer = client.post("/admin/limits/clientnetwork/add/", {"network": "203.0.113.7", "server": ""})
    assert answer.status_code == 403
    assert "Nothing was changed" in answer.content.decode()
    assert not ClientNetwork.objects.exists()


def _addresses(patterns: list[Any]) -> Iterator[str]:
    """An address of each pattern, with 1 for whatever it takes."""
    for pattern in patterns:
        here = re.sub(r"<[^>]+>", "1", str(pattern.pattern)).removeprefix("^").removesuffix("$")
        if isinstance(pattern, URLResolver):
            yield from (here + rest for rest in _addresses(pattern.url_patterns))
        else:
            yield here


@pytest.mark.django_db
def test_no_view_takes_a_form_without_our_token(superuser: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(superuser)
    addresses = list(_addresses(site.get_urls()))
    assert {"login/", "password_change/", "limits/clientnetwork/add/"} < set(addresses)
    taken = {address: client.post(f"/admin/{address}").status_code for address in addresses}
    assert {address: status for address, status in taken.items() if status != HTTPStatus.FORBIDDEN} == {}


@pytest.mark.django_db
def test_a_strange_page_cannot_use_up_the_attempts_to_sign_in() -> None:
    client = Client(enforce_csrf_checks=True)
    form = {"username": "ann", "password": "wrong"}
    assert {client.post("/admin/login/", form).status_code for _ in range(20)} == {HTTPStatus.FORBIDDEN}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("admin_host", "host", "status"),
    [
        (None, "testserver", 200),
        (None, "analytics.example", 404),
        ("ops.example", "ops.example", 200),
        ("ops.example", "ops.example:8000", 200),
        ("ops.example", "testserver", 404),
        ("ops.example", "analytics.example", 404),
        ("analytics.example", "analytics.example", 200),
        ("analytics.example", "liquidations.example", 404),
    ],
)
def test_only_hosts_for_it_show_the_admin(
    client: Client, settings: Settings, admin_host: str | None, host: str, status: int
) -> None:
    settings.ALLOWED_HOSTS = [".example", "testserver"]
    settings.SERVER_HOSTS = {"analytics.example": "analytics", "liquidations.example": "liquidations"}
    settings.ADMIN_HOST = admin_host
    answer = client.get("/admin/login/", headers={"host": host})
    assert answer.status_code == status
    if status == 404:
        nothing = client.get("/nothing/", headers={"host": host})
        assert set(answer.headers) <= set(nothing.headers)
        assert answer.json()["message"] == nothing.json()["message"]
        assert client.get("/admin", headers={"host": host}).status_code == 404


@pytest.mark.parametrize("name", ["admin/css/base.css", "admin/js/theme.js", "dashboard/admin.css"])
def test_styles_and_scripts_are_served(client: Client, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert (answer.status_code, len(content_of(answer)) > 100) == (200, True)
