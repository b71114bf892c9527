"""What a tool finds for an example of a page: asked now and then, cut to a size that one reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from papertrade_site.docs.kept import Kept
from papertrade_site.docs.pictures.results import process_results
from papertrade_site.docs.reference import SHARED
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Tool

KEPT_S: Final = 300.0
"""Seconds for which an example stays: it shows what a result is like, and its own time beside each figure."""

SHOWN_ROWS: Final = 2
"""Rows of a list that an example shows."""

CUT: Final = "… and "
"""How the last row begins where there are more."""

NOBODY: Final = "0x0000000000000000000000000000000000000001"
"""Stands for a trader while none can be found."""


_kept: Final[Kept[str]] = Kept(seconds=KEPT_S, capacity=64)


def example_of(tool: Tool[Any], arguments: Mapping[str, Any]) -> str:
    """A tool's result as JSON with long lists cut.

    Raises:
        ToolError: when there is none at the moment.
    """
    return _kept.get((tool.name, json.dumps(arguments)), lambda: _asked(tool, arguments))


def some_trader(server: Server) -> str:
    """The wallet of a trader with an open position, for examples that need one."""
    closest = server.tools_by_name.get("get_closest_to_bust")
    try:
        rows = process_results.of(closest, {"limit": 1}).figures["positions"] if closest else []
    except ToolError:
        rows = []
    return str(rows[0]["wallet"]) if rows else NOBODY


def _asked(tool: Tool[Any], arguments: Mapping[str, Any]) -> str:
    figures = process_results.of(tool, arguments).figures
    provenance_last = dict(sorted(figures.items(), key=lambda row: row[0] in SHARED))
    return json.dumps(_cut(provenance_last), indent=2, ensure_ascii=False)


def _cut(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _cut(each) for name, each in value.items()}
    if not isinstance(value, list | tuple):
        return value
    rest = len(value) - SHOWN_ROWS
    return [*map(_cut, value[:SHOWN_ROWS]), *([f"{CUT}{rest} more"] if rest > 0 else [])]
