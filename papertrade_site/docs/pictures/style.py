"""The style of a picture that is a file of its own: the rules and the colours that pages use."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).parent.parent / "static" / "docs"
PAGES_ONLY: Final = "/* pages */"
"""Behind it stand the rules that pictures themselves do not need."""

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_USED: Final = re.compile(r"var\((--[a-z-]+)\)")


@cache
def file_style() -> str:
    """The rules, and the site's colours for light and for dark.

    Raises:
        LookupError: when the rules use a colour that nobody defines.
    """
    rules, _, _ = _read("pictures.css").partition(PAGES_ONLY)
    site, own = _definitions(_read("site.css")), _definitions(rules)
    used = sorted(set(_USED.findall(rules)) - set(own))
    colours = "".join(f"{name}:{site[name]};" for name in used)
    return _small(f":root{{color-scheme:light dark;{colours}}}{rules}")


@cache
def file_style_source() -> str:
    """The same for a content security policy, which lets this style in and no other."""
    return f"'sha256-{b64encode(sha256(file_style().encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _definitions(css: str) -> dict[str, str]:
    """The values of custom properties; the first of several stands."""
    found: dict[str, str] = {}
    for name, value in re.findall(r"(--[a-z-]+):\s*([^;]+);", css):
        found.setdefault(name, value)
    return found


def _small(css: str) -> str:
    return re.sub(r"\s+", " ", _COMMENT.sub("", css)).strip()
