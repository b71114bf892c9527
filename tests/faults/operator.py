"""Somebody who has signed in to the dashboard, and reads and fills in its pages as a browser does."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from tests.docs.markup import Element, elements_of
from tests.faults.deployment import PATIENCE_S, administer

NAME: Final = "ann"
PASSWORD: Final = "ink-on-warm-paper"


def make_operator(database: Path | str) -> None:
    """Make the user, who may do everything."""
    words = ("--noinput", "--username", NAME, "--email", "")
    administer(database, "createsuperuser", *words, DJANGO_SUPERUSER_PASSWORD=PASSWORD)


class Operator:
    """The user at work, by way of a port; signs in at once."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}/admin/"
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self.send("login/", username=NAME, password=PASSWORD)
        assert "Recent changes" in self.page()

    def page(self, path: str = "") -> str:
        """The HTML of a page; the start page unless another one is named."""
        return self._read(path, None)

    def send(self, path: str, *, without: tuple[str, ...] = (), **changes: str) -> None:
        """Send a page's form with some fields changed, and some left out as an unticked box is."""
        fields = _fields(elements_of(self.page(path)))
        kept = {name: value for name, value in fields.items() if name not in without}
        answer = self._read(path, urlencode(kept | changes).encode())
        assert "errornote" not in answer

    def _read(self, path: str, form: bytes | None) -> str:
        with self._opener.open(self._root + path, form, timeout=PATIENCE_S) as answer:
            text: str = answer.read().decode()
            return text


def _fields(elements: Iterable[Element]) -> dict[str, str]:
    """What a browser sends of a page's form that nobody has touched."""
    fields, select = {}, ""
    for element in elements:
        name, has = element["name"], element.attributes
        if element.tag == "select":
            select = name
        elif element.tag == "option" and "selected" in has:
            fields[select] = element["value"]
        elif element.tag == "textarea":
            fields[name] = element.text
        elif element.tag == "input" and name and element["type"] not in {"submit", "checkbox"}:
            fields[name] = element["value"]
        elif element.tag == "input" and element["type"] == "checkbox" and "checked" in has:
            fields[name] = "on"
    return fields
