"""What keeps people from reading a page, as axe finds it."""

from __future__ import annotations

from typing import Final

from tests.clients.official import MODULES, missing

BARRIERS: Final = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
}"""
"""What a page with axe in it has that is serious or critical."""


def axe_script() -> str:
    """The script of axe."""
    script = MODULES / "axe-core" / "axe.min.js"
    if not script.exists():
        missing("axe-core")
    return script.read_text("utf-8")
