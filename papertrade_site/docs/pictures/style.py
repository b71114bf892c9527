"""The style of a picture that is a file of its own: the rules and the colours that pages use."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Final

from papertrade_site.docs.assets import STATIC

PAGES_ONLY: Final = "/* pages */"
"""Behind it stand the rules that pictures themselves do not need."""

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


@cache
def file_style() -> str:
    """The rules, and the site's colours for light and for dark."""
    rules, _, _ = _read("pictures.css").partition(PAGES_ONLY)
    return " ".join(_COMMENT.sub("", _read("tokens.css") + rules).split())


@cache
def file_style_source() -> str:
    """The same for a content security policy, which lets this style in and no other."""
    return f"'sha256-{b64encode(sha256(file_style().encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
