"""The style of pictures that stand alone."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from papertrade_site.docs.assets import STATIC
from papertrade_site.docs.pictures import style
from tests.docs.pictures.gallery import DRAWABLE, drawing, parsed
from tests.filled_venue import FilledVenue


def test_it_brings_every_colour_that_it_uses_for_both_schemes() -> None:
    css = style.file_style()
    assert set(re.findall(r"var\((--[a-z-]+)\)", css)) <= set(re.findall(r"(--[a-z-]+):", css))
    assert "color-scheme: light dark" in css


def test_it_has_no_rule_that_only_pages_need() -> None:
    assert ".picture" not in style.file_style()


def test_it_could_not_end_early_in_a_document() -> None:
    assert not set(style.file_style()) & {"<", "&"}


def test_the_security_policy_names_it() -> None:
    digest = b64encode(sha256(style.file_style().encode()).digest()).decode()
    assert style.file_style_source() == f"'sha256-{digest}'"


def test_every_class_with_a_look_is_used_and_no_page_has_a_class_of_a_picture(venue: FilledVenue) -> None:
    css = style.file_style()
    looks = set(re.findall(r"\.(pic-[a-z-]+)", css))
    templates = Path(style.__file__).parents[3] / "templates" / "pictures"
    used = " ".join(path.read_text(encoding="utf-8") for path in templates.glob("*.svg"))
    dynamic = {"pic-long", "pic-short"}
    assert {look for look in looks if look not in used} <= dynamic
    assert "pic-" not in (STATIC / "site.css").read_text(encoding="utf-8")


def test_every_class_of_a_picture_is_named_as_one(venue: FilledVenue) -> None:
    for name, query in DRAWABLE:
        for element in parsed(drawing(name, query)).root.iter():
            assert all(re.match(r"pic(-|$)", each) for each in element.get("class", "").split())
