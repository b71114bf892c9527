"""The site's style sheets: colours from one place, and no rule that nothing on the site needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from django.contrib.staticfiles import finders
from django.template import Engine

from papertrade_site.docs.pages import LANDING, pages_of
from papertrade_site.docs.service import State
from papertrade_site.docs.text import html_page
from papertrade_site.upstream.readiness import Condition
from tests.docs.markup import elements_of
from tests.docs.reading import PLACE, SERVERS

STATIC: Final = Path(finders.find("docs/site.css") or "").parent
TEMPLATES: Final = Path(Engine.get_default().dirs[0])
SHEETS: Final = tuple(sorted(STATIC.glob("*.css")))
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_TOKENS: Final = re.compile(r":root \{(.*?)\}", re.DOTALL)


def css(sheet: Path) -> str:
    return _COMMENT.sub("", sheet.read_text(encoding="utf-8"))


def tokens() -> dict[str, str]:
    """What every sheet takes its colours from."""
    blocks = (block for sheet in SHEETS for block in _TOKENS.findall(css(sheet)))
    return {name: value for block in blocks for name, value in re.findall(r"(--[a-z-]+): ([^;]+);", block)}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_a_colour_is_named_and_never_written_out(sheet: Path) -> None:
    rules = _TOKENS.sub("", css(sheet))
    assert re.findall(r"light-dark\([^)]*\)|#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(", rules) == []


def test_every_named_colour_is_used() -> None:
    everything = "".join(map(css, SHEETS))
    assert [name for name in tokens() if f"var({name})" not in everything] == []


@pytest.mark.usefixtures("venue")
def test_the_browsers_own_frame_has_the_colour_of_the_page() -> None:
    light, dark = re.findall(r"#[0-9a-f]+", tokens()["--paper"])
    head = html_page(None, LANDING, PLACE)
    told = {each["media"]: each["content"] for each in elements_of(head) if each["name"] == "theme-color"}
    assert told == {"(prefers-color-scheme: light)": light, "(prefers-color-scheme: dark)": dark}


@pytest.mark.usefixtures("venue")
def test_every_rule_is_for_a_class_that_something_has() -> None:
    pages = [html_page(server, page, PLACE) for server in SERVERS for page in pages_of(server)]
    pages.append(html_page(None, LANDING, PLACE))
    worn = {name for page in pages for each in elements_of(page) for name in each["class"].split()}
    written = [*TEMPLATES.rglob("*.html"), *TEMPLATES.rglob("*.svg"), *STATIC.glob("*.js")]
    words = set(re.findall(r"[\w-]+", "".join(path.read_text(encoding="utf-8") for path in written)))
    states = {*Condition, *State}
    for sheet in SHEETS:
        selectors = re.sub(r"\{[^{}]*\}", "{}", css(sheet))
        looks = set(re.findall(r"\.([a-z][\w-]*)", selectors))
        assert looks - worn - words - states == set(), sheet.name
