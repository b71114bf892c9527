"""JSON as people write it on one line."""

from __future__ import annotations

import json


def compact(value: object) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def spaced(value: object) -> str:
    """JSON with spaces; a text alone is a literal of TOML, YAML and Python as well."""
    return json.dumps(value, ensure_ascii=False)
