"""What keeps people from reading a page, as axe finds it."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

from tests.browser.visits import DESK, HEIGHT, PHONE, SCHEMES
from tests.clients.official import MODULES, missing

BARRIERS: Final = """async (rules) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false, ...rules });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
}"""
"""What a page with axe in it has that is serious or critical."""

ALL_RULES: Final[dict[str, object]] = {}
RULES_OF_COLOURS: Final[dict[str, object]] = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
}

DRAWN: Final = """async () => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
}"""
"""Ends once what began before is drawn, and moves no more."""


def axe_script() -> str:
    """The script of axe."""
    script = MODULES / "axe-core" / "axe.min.js"
    if not script.exists():
        missing("axe-core")
    return script.read_text("utf-8")


def resize(page: Page, width: int) -> None:
    """Give a page so wide a window, and wait until it has done what it does about that."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.evaluate(DRAWN)


def barriers(page: Page, axe: str) -> list[str]:
    """What axe finds serious or critical, on a phone and on a desk, and of colours in both schemes."""
    found = []
    page.evaluate(axe)
    for width in (PHONE, DESK):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        rules = ALL_RULES
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.evaluate(DRAWN)
            found += [f"{width} px, {scheme}: {barrier}" for barrier in page.evaluate(BARRIERS, rules)]
            rules = RULES_OF_COLOURS  # all others do not depend on the scheme
    return found
